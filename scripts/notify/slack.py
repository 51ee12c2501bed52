#!/usr/bin/env python3
"""Posts the digest of a night to a Slack channel (incoming webhook, Block Kit).

  screenrig nightly rigs/nightly.yaml --notify 'python3 scripts/notify/slack.py --from amber'

Environment: SCREENRIG_SLACK_WEBHOOK (or SCREENRIG_SLACK_WEBHOOK_FILE), the webhook's address, which is a secret.
"""
from common import fail, limited, message, parts, post, setting

SIGNS = {"red": ":red_circle:", "amber": ":large_orange_circle:", "green": ":large_green_circle:"}


def escaped(text):
    """The three signs of Slack's mrkdwn; names of rigs and promises are no markup."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def blocks(digest):
    # Limits of Block Kit: 150 characters of a header, 3000 of a section, 50 blocks.
    yield {"type": "header", "text": {"type": "plain_text", "text": limited(digest["subject"], 150)}}
    yield {"type": "section",
           "text": {"type": "mrkdwn", "text": SIGNS[digest["colour"]] + " " + limited(escaped(digest["headline"]), 2900)}}
    for title, sentences in parts(digest)[:40]:
        words = "*%s*\n" % title + "\n".join("• " + escaped(sentence) for sentence in sentences)
        yield {"type": "section", "text": {"type": "mrkdwn", "text": limited(words, 3000)}}
    link = digest["link"]
    words = "<%s|Read on>" % escaped(link) if link.startswith("http") else "Read on: `%s`" % escaped(link)
    yield {"type": "context", "elements": [{"type": "mrkdwn", "text": limited(words, 3000)}]}


digest = message("Posts the digest of a night of screenrig to Slack.")["digest"]
answer = post(setting("SCREENRIG_SLACK_WEBHOOK", "the address of a Slack webhook"),
              {"text": escaped(digest["subject"]), "blocks": list(blocks(digest))})
if answer.strip() != "ok":
    fail("Slack answered: %s" % answer[:200])
