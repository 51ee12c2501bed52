#!/usr/bin/env python3
"""The senders of scripts/notify before receivers of their own: an SMTP server, and webhooks of Slack and Teams.

  python3 Tests/Notify/check.py --screenrig .build/debug/screenrig --work /tmp/notify

Makes two nights in virtual time, one of which violates a promise, and has 'nights add --notify' start each sender as a user
would. Ends with 0, or 1 and what did not hold.
"""
import argparse, ast, base64, email, email.policy, http.server, json, os, pathlib, re, socketserver, subprocess, sys, threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
problems = []


def expect(holds, words):
    print("%s %s" % ("ok  " if holds else "FAIL", words), flush=True)
    if not holds:
        problems.append(words)


class MailServer(socketserver.StreamRequestHandler):
    """As much of SMTP (RFC 5321) and AUTH PLAIN (RFC 4954) as a sender needs; refuses what is out of order."""
    mails, logins, asks_login = [], [], False

    def say(self, line):
        self.wfile.write((line + "\r\n").encode())

    def handle(self):
        self.say("220 sink")
        sender, receivers, user = None, [], None
        while True:
            line = self.rfile.readline().decode().rstrip("\r\n")
            verb, _, rest = line.partition(" ")
            verb = verb.upper()
            if verb == "EHLO":
                self.say("250-sink")
                self.say("250-AUTH PLAIN" if MailServer.asks_login else "250-8BITMIME")
                self.say("250 SIZE 10000000")
            elif verb == "AUTH" and rest.startswith("PLAIN "):
                user = base64.b64decode(rest[6:]).decode().split("\0")[1:]
                MailServer.logins.append(user)
                self.say("235 welcome" if user == ["ann", "hush-9"] else "535 no")
            elif verb == "MAIL" and (user or not MailServer.asks_login):
                sender = re.search("<(.*?)>", rest).group(1)
                self.say("250 ok")
            elif verb == "RCPT" and sender:
                receivers.append(re.search("<(.*?)>", rest).group(1))
                self.say("250 ok")
            elif verb == "DATA" and receivers:
                self.say("354 go on")
                data = b""
                while not data.endswith(b"\r\n.\r\n"):
                    data += self.rfile.readline()
                MailServer.mails.append((sender, receivers, data[:-5].replace(b"\r\n..", b"\r\n.")))
                self.say("250 kept")
            elif verb == "QUIT" or not line:
                return self.say("221 bye")
            else:
                self.say("503 out of order")


class Webhook(http.server.BaseHTTPRequestHandler):
    """Takes what Slack's and Teams' receivers document, and refuses what is beyond their limits."""
    kept, busy = {}, 0

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if Webhook.busy:
            Webhook.busy -= 1
            return self.answer(503, "busy")
        wrong = self.slack(body) if self.path.startswith("/slack/") else self.teams(body) if self.path.startswith("/teams/") \
            else "no_service"
        if wrong:
            return self.answer(400, wrong)
        Webhook.kept.setdefault(self.path.split("/")[1], []).append(body)
        self.answer(200 if self.path.startswith("/slack/") else 202, "ok")

    def slack(self, body):
        if not body.get("text") or not 1 <= len(body["blocks"]) <= 50:
            return "invalid_payload"
        for block in body["blocks"]:
            text = block.get("text") or block["elements"][0]
            limit, kind = {"header": (150, "plain_text"), "section": (3000, "mrkdwn"), "context": (3000, "mrkdwn")}[block["type"]]
            if text["type"] != kind or not 1 <= len(text["text"]) <= limit:
                return "invalid_blocks"

    def teams(self, body):
        cards = body.get("attachments", [])
        if body.get("type") != "message" or len(cards) != 1 or len(json.dumps(body)) > 28000:
            return "bad message"
        card = cards[0]["content"]
        if cards[0]["contentType"] != "application/vnd.microsoft.card.adaptive" or card["type"] != "AdaptiveCard":
            return "no card"
        if any(block["type"] != "TextBlock" or not block["text"] for block in card["body"]):
            return "bad block"

    def answer(self, code, words):
        self.send_response(code)
        self.send_header("Content-Length", str(len(words)))
        self.end_headers()
        self.wfile.write(words.encode())

    def log_message(self, *words):
        pass


def serve(server):
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenrig", required=True)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    screenrig, folder = os.path.abspath(options.screenrig), os.path.abspath(options.work)
    os.makedirs(folder, exist_ok=True)
    for script in sorted((ROOT / "scripts/notify").glob("*.py")):
        ast.parse(script.read_text(), feature_version=(3, 8))
    smtp = serve(socketserver.ThreadingTCPServer(("127.0.0.1", 0), MailServer))
    web = serve(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Webhook))

    def call(words, **environment):
        return subprocess.run([screenrig] + words, cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "no_proxy": "*", **environment})

    for day, faults in (("17", []), ("18", ["--fault", "stale-replica:lag=1500ms"])):
        call(["simulate", str(ROOT / "rigs/twenty.yaml"), "--quiet", "--out", "reports/twenty-202611%sT020000Z" % day] + faults)

    def night(day, script, **environment):
        return call(["nights", "add", "reports/twenty-202611%sT020000Z" % day, "--mark", "v<2>&3", "--link", "https://ci.example/reports/",
                     "--notify", "%s %s" % (sys.executable, ROOT / "scripts/notify" / script)], **environment)

    mail = dict(SCREENRIG_MAIL_TO="team@example.test, ann@example.test", SCREENRIG_MAIL_FROM="rig@example.test",
                SCREENRIG_SMTP="127.0.0.1:%d" % smtp)
    night("17", "mail.py", **mail)
    ended = night("18", "mail.py", **mail)
    expect(len(MailServer.mails) == 2 and "notify" not in ended.stderr, "two mails are sent: %s" % ended.stderr.strip())
    sender, receivers, data = MailServer.mails[-1]
    letter = email.message_from_bytes(data, policy=email.policy.default)
    expect((sender, receivers) == ("rig@example.test", ["team@example.test", "ann@example.test"]), "from and to are those asked for")
    expect("sign-in-visible violated" in letter["Subject"], "the subject says what is wrong: %s" % letter["Subject"])
    plain = letter.get_body(("plain",)).get_content()
    expect("Failed last night" in plain and "mark changed" not in plain and "v<2>&3" in plain, "the text reads: %s" % plain)
    page = letter.get_body(("html",)).get_content()
    cids = set(re.findall('src="cid:(.*?)"', page))
    parts = {part["Content-ID"].strip("<>"): part for part in letter.walk() if part.get_content_type() == "image/png"}
    expect(cids and cids == set(parts) and "data:" not in page.split("<body>")[1], "each picture is a part of the mail: %s" % sorted(cids))
    expect(all(part.get_content()[:8] == b"\x89PNG\r\n\x1a\n" for part in parts.values()), "and a PNG")
    expect("https://ci.example/reports/twenty-20261118T020000Z/report.html" in page, "the link leads to the night's report")
    MailServer.asks_login = True
    secret = os.path.join(folder, "password")
    open(secret, "w").write("hush-9\n")
    night("18", "mail.py", SCREENRIG_SMTP_USER="ann", SCREENRIG_SMTP_PASSWORD_FILE=secret, **mail)
    expect(MailServer.logins[-1] == ["ann", "hush-9"] and len(MailServer.mails) == 3, "a server that asks for a login gets it")
    ended = night("18", "mail.py", SCREENRIG_SMTP_USER="ann", SCREENRIG_SMTP_PASSWORD="wrong-7", **mail)
    expect("refuses SCREENRIG_SMTP_USER" in ended.stderr and "wrong-7" not in ended.stderr, "a wrong one is told: %s" % ended.stderr.strip())

    for name in ("slack", "teams"):
        hook = {"SCREENRIG_%s_WEBHOOK" % name.upper(): "http://127.0.0.1:%d/%s/s3cr3t" % (web, name)}
        ended = night("18", name + ".py", **hook)
        expect(len(Webhook.kept.get(name, [])) == 1, "%s takes it: %s" % (name, ended.stderr.strip()))
        said = json.dumps(Webhook.kept.get(name, [{}])[-1], ensure_ascii=False)
        expect("sign-in-visible" in said.replace("\\", "") and "https://ci.example/reports/" in said, "%s has what is wrong, and the link" % name)
        Webhook.busy = 1
        night("18", name + ".py", **hook)
        expect(len(Webhook.kept[name]) == 2, "%s is tried again when it is busy" % name)
        call(["nights", "--at", "2026-11-17T08:00:00Z", "--notify",
              "%s %s --from red" % (sys.executable, ROOT / "scripts/notify" / (name + ".py"))], **hook)
        expect(len(Webhook.kept[name]) == 2, "%s is left alone on a quiet night if only red ones are wanted" % name)
        ended = night("18", name + ".py")
        expect("SCREENRIG_%s_WEBHOOK is not set" % name.upper() in ended.stderr, "a missing address is told: %s" % ended.stderr.strip())
        hook = {key: "http://127.0.0.1:1/%s/s3cr3t" % name for key in hook}
        ended = night("18", name + ".py", **hook)
        expect("cannot be reached" in ended.stderr and "s3cr3t" not in ended.stderr, "%s that is not there is told, its secret is not: %s"
               % (name, ended.stderr.strip()))
    slack = json.dumps(Webhook.kept["slack"][0])
    expect("v&lt;2&gt;&amp;3" in slack and "v<2>" not in slack.split('"blocks"')[1].split('"header"')[0], "Slack's signs are escaped")

    ended = call(["nights", "--link", "https://ci.example/r", "--notify",
                  'printf "%s|%s|" "$SCREENRIG_SUBJECT" "$SCREENRIG_COLOUR"; head -1 "$SCREENRIG_TEXT"; head -1 "$SCREENRIG_HTML"'])
    expect("twenty: sign-in-visible violated" in ended.stderr and "|red|twenty:" in ended.stderr and "<!doctype html>" in ended.stderr,
           "a shell command finds subject, colour and files in its environment: %s" % ended.stderr.strip())
    print("%d problems" % len(problems) if problems else "every sender was heard")
    sys.exit(1 if problems else 0)


main()
