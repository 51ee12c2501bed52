#!/usr/bin/env python3
"""A service that makes a client talk: whatever secret it is sent or hands out, it repeats, in every place
of its answers and in every writing that a peer has: titles, notices, error bodies, headers, redirects, field
names, XML, user ids, names of providers.

    echo.py NEEDLES     prints its URL, and appends what it has repeated to NEEDLES, one hexadecimal line each
"""
import base64
import html
import http.server
import itertools
import json
import sys
import threading
import time
import urllib.parse

PLACES = ["user", "title", "notice", "refused", "back", "elsewhere", "fields", "script", "stray",
          "polls", "xml", "media", "denied", "check", "metadata", "record"]


def writings(text):
    """A text in every writing."""
    raw = text.encode()
    quoted = urllib.parse.quote(text, safe="")
    dumped = json.dumps(text)[1:-1]
    return [
        text, quoted, urllib.parse.quote_plus(text), "".join(f"%{b:02x}" for b in raw),
        html.escape(text), "".join(f"&#{ord(c)};" for c in text),
        "".join(f"&#x{ord(c):04X};" for c in text), "".join(f"\\u{ord(c):04x}" for c in text),
        dumped, json.dumps(text, ensure_ascii=False)[1:-1].replace("/", "\\/"),
        quoted.replace("%", "%25"), html.escape(html.escape(text)),
        base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode(),
        base64.b64encode(b"x" + raw).decode(), base64.b64encode(b"ann:" + raw).decode(),
        base64.b64encode(b"some.body@home.test:" + raw).decode(),
    ]


class Memory:
    """The secrets of each household, all passwords, and what was said of them."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.needles = open(path, "ab", buffering=0)
        self.secrets = {}
        self.said = set()
        self.turn = itertools.count()
        self.devices = {}

    def note(self, household, name, secret):
        if secret:
            with self.lock:
                self.secrets.setdefault("" if name == "word" else household, {})[name] = secret

    def echo(self, household, header=False, more=()):
        """All secrets in the next writing."""
        with self.lock:
            secrets = [*self.secrets.get(household, {}).values(), *self.secrets.get("", {}).values(), *more]
            number = next(self.turn)
            said = []
            for secret in secrets:
                text = writings(secret)[number % 17]
                if header:
                    text = text.encode("ascii", "ignore").decode() if text.isascii() else ""
                if text and text not in self.said:
                    self.said.add(text)
                    self.needles.write(text.encode().hex().encode() + b"\n")
                said.append(text)
            return " ; ".join(part for part in said if part)

    def place(self, device):
        with self.lock:
            return self.devices.setdefault(device, PLACES[len(self.devices) % len(PLACES)])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    memory = None
    # What this connection was given by an answer that nobody has confirmed yet: until then no other answer
    # of the household repeats it, for it could arrive first, with a secret that no client can know.
    handed = ()

    def echo(self, header=False):
        return self.memory.echo(self.household(), header, self.handed)

    def log_message(self, *arguments):
        pass

    def answer(self, status, body="", kind="application/json", **headers):
        data = body.encode()
        self.send_response_only(status)
        echo = self.echo(True)[:1500]
        for name in ("Server", "X-Request-Id", "Via", "X-Cache", "X-Amz-Cf-Id", "X-Echo", "Retry-After"):
            if echo:
                self.send_header(name, echo)
        self.send_header("Set-Cookie", "S=cookie-%s-planted; Path=/" % self.household()[-6:])
        self.memory.note(self.household(), "cookie", "cookie-%s-planted" % self.household()[-6:])
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def object(self, status, /, **members):
        self.answer(status, json.dumps(members, ensure_ascii=False))

    def error(self, status):
        echo = self.echo()
        self.object(status, status=status, message=echo, error=echo, code=echo, details=echo)

    def page(self, title="Sign in", body="", status=200):
        self.answer(status, f"<html><head><title>{title}</title></head><body>{body}</body></html>", "text/html")

    def household(self):
        return self.headers.get("X-Screenrig", "").rpartition("/")[0]

    FORM = '<form method=post action="{}"><input name=user><input type=password name=word></form>'

    def serve(self):
        length = int(self.headers.get("Content-Length") or 0)
        fields = dict(urllib.parse.parse_qsl(self.rfile.read(length).decode("utf-8", "replace")))
        memory, household = self.memory, self.household()
        # The next request shows that the last answer was read.
        for token in self.handed:
            memory.note(household, "media", token)
        self.handed = ()
        place = memory.place(household)
        for name in ("software_statement", "client_secret", "word"):
            memory.note(household, name, fields.get(name))
        memory.note(household, "bearer", (self.headers.get("Authorization") or "").rpartition(" ")[2])
        now = int(time.time() * 1000)
        path = urllib.parse.urlsplit(self.path).path
        if path == "/o/client/register":
            return self.object(201, client_id="c-" + self.echo(), client_secret="client-secret-%s-planted" % household)
        if path == "/o/client/token":
            return self.object(201, access_token="bearer/%s+planted" % household, expires_in=3600)
        if path == "/api/v1/config/DEMOTV":
            echo = self.echo()
            providers = [{"id": "DemoCable", "displayName": echo}, {"id": echo, "displayName": echo}]
            return self.object(200, requestor={"id": "DEMOTV", "name": echo, "mvpds": providers})
        if path.startswith("/reggie/v1/DEMOTV/regcode"):
            if self.command == "GET" and place == "record" and "" in memory.secrets:
                return self.error(404)
            return self.object(200 if self.command == "GET" else 201, id=self.echo(), code=code(household),
                               requestor="DEMOTV", mvpd=None, generated=now, expires=now + 60_000)
        if path == "/api/v1/authenticate":
            return self.answer(302, Location="/login")
        if path == "/login":
            return self.login(place)
        if path == "/sso":
            return self.answer(302, Location="https://demo.test/done" + ("?error=" + self.echo(True)[:600] if place == "back" else ""))
        return self.signed_in(path, place, now)

    def login(self, place):
        echo = self.echo()
        form = self.FORM.format("/login")
        if self.command == "GET":
            return self.page(body=form)
        if place == "title":
            return self.page(title=echo)
        if place == "notice":
            return self.page(title=echo, body=f'<div class="error">{echo}</div>{form}')
        if place == "refused":
            return self.page(title=echo, body=f"<p role=alert>{echo}</p>", status=403)
        if place == "elsewhere":
            address = urllib.parse.quote(self.echo(True)[:600], safe="%")
            return self.answer(302, Location=f"https://elsewhere.test/{address}?x={address}#{address}")
        if place == "fields":
            name = html.escape(echo)
            forms = f'<form method=post action="{name}"><input name="{name}"><input type=password name="{name}"></form>'
            return self.page(body=forms + forms.replace("post", "get"))
        if place == "script":
            return self.page(body=f"<noscript>JavaScript {echo}</noscript><script>var x = '{echo}'</script>")
        if place == "stray":
            return self.page(body=f'<input name="{html.escape(echo)}" value="{html.escape(echo)}"><!-- {echo} --><p>{echo}</p>')
        return self.answer(302, Location="/sso")

    def signed_in(self, path, place, now):
        memory = self.memory
        if "" not in memory.secrets or path == "/api/v1/checkauthn":
            return self.error(403)
        if path.startswith("/api/v1/checkauthn/"):
            return self.error(500) if place == "check" else self.answer(200)
        if path == "/api/v1/tokens/authn":
            if place == "polls":
                return self.error(400)
            if place == "xml":
                echo = html.escape(self.echo())
                return self.answer(500, f"<error><message>{echo}</message><{'x' * 3} a='{echo}'/></error>", "application/xml")
            echo = self.echo() if place == "user" else "u-1"
            return self.object(200, mvpd=echo if place == "user" else "DemoCable", userId=echo, requestor="DEMOTV",
                               expires=now + 600_000)
        if path == "/api/v1/tokens/usermetadata":
            if place == "metadata":
                return self.error(400)
            return self.object(200, data={"userID": self.echo(), "householdID": self.echo()})
        if path == "/api/v1/authorize":
            if place == "denied":
                return self.error(403)
            return self.object(200, mvpd="DemoCable", requestor="DEMOTV", resource=self.echo(), expires=now + 600_000)
        if path == "/api/v1/tokens/media":
            if place == "media":
                return self.error(412)
            token = "media-token-%s-planted" % self.household()
            self.handed = (token,)
            return self.object(200, serializedToken=token, resource=self.echo(), mvpdId=self.echo(),
                               userId=self.echo(), expires=now + 600_000)
        return self.error(404)

    do_GET = do_POST = do_DELETE = serve


def code(household):
    digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    number = sum(ord(c) * 31 ** i for i, c in enumerate(household))
    return "".join(digits[number // 26 ** i % 26] for i in range(7))


def main():
    Handler.memory = Memory(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
