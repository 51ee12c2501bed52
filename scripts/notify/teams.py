#!/usr/bin/env python3
"""Posts the digest of a night to a Microsoft Teams channel (a workflow's webhook, Adaptive Card).

  screenrig nightly rigs/nightly.yaml --notify 'python3 scripts/notify/teams.py --from amber'

Environment: SCREENRIG_TEAMS_WEBHOOK (or SCREENRIG_TEAMS_WEBHOOK_FILE), the webhook's address, which is a secret.
"""
import re
from common import limited, message, parts, post, setting

COLORS = {"red": "attention", "amber": "warning", "green": "good"}


def plain(text):
    """Adaptive Cards read Markdown: names of rigs and promises are none."""
    return re.sub(r"([\\*_\[\]`~#])", r"\\\1", text)


def block(text, **looks):
    return {"type": "TextBlock", "text": text, "wrap": True, **looks}


digest = message("Posts the digest of a night of screenrig to Teams.")["digest"]
body = [block(plain(limited(digest["subject"], 200)), weight="bolder", size="medium", color=COLORS[digest["colour"]]),
        block(plain(digest["headline"]))]
for title, sentences in parts(digest):
    body.append(block(title, weight="bolder", spacing="medium"))
    body.append(block("\n".join("- " + plain(limited(sentence, 1000)) for sentence in sentences[:20])))
card = {"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4",
        "msteams": {"width": "Full"}, "body": body}
if digest["link"].startswith("http"):
    card["actions"] = [{"type": "Action.OpenUrl", "title": "Read on", "url": digest["link"]}]
else:
    body.append(block("Read on: " + plain(digest["link"]), isSubtle=True))
post(setting("SCREENRIG_TEAMS_WEBHOOK", "the address of a Teams webhook"),
     {"type": "message", "attachments": [{"contentType": "application/vnd.microsoft.card.adaptive", "content": card}]})
