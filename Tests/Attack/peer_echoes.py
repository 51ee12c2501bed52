#!/usr/bin/env python3
"""Attacks what is written: a service repeats each secret that it was sent or handed out, in writings that decoders of
another make know, and plants markup, formulas, escape sequences, shell and Python code in every text that reaches an
output. Then every byte of every output is read: files, terminal, `try`, `export`, `report --share`, `replay --emit`,
metrics and dashboard. An attempt is one household that was answered so."""
import ast
import base64
import csv
import html.parser
import io
import json
import os
import random
import re
import subprocess
import threading
import urllib.parse
import urllib.request
import xml.etree.ElementTree
import zipfile

from peers import Attack, Proxy

PAYLOADS = ["<img src=x onerror=zqx()>", "\"><script>zqx()</script>", "'-zqx()-'", "</script><script>zqx()</script>", "]]><zqx/>", "--><zqx>", "</style><zqx>", "</textarea></title><zqx>", "=zqx()", "+zqx", "-zqx()", "@zqx",
            "\t=zqx()", "\x1b]0;zqx\x07", "\x1b[2Jzqx", "\x9b2Jzqx", "zqx\r\nINJECTED: zqx", "$(touch zqx-made)", "`touch zqx-made`", "'; touch zqx-made; '", "\\'; touch zqx-made #", "'''\nopen('zqx-made','w')\n'''", "\"\"\"\nopen('zqx-made','w')\n\"\"\"",
            "\\\nopen('zqx-made','w')", "zqx\"} 1\nzqx_metric 1", "zqx\\", "zqx|zqx|zqx", "[zqx](javascript:zqx())", "<!--zqx", "\u202ezqx", "\u2028zqx()", "../../../tmp/zqx-made", "zqx\x00zqx", "&lt;zqx&gt;", "javascript:zqx()", "{{zqx}}", "${zqx}", "%0a%0dzqx", "::error::zqx", "\n::set-output name=zqx::1", "\n# zqx", "\n```\n<zqx>", "a\u0085zqx"]
TAGS = {"zqx", "img"}


def rot(text):
    return base64.b64encode(base64.b64encode(text.encode())).decode()


def writings(text):
    """Writings of a secret. What the docs leave out (pieces, reversed, hashes) is not among them."""
    raw, b64 = text.encode(), base64.b64encode(text.encode()).decode()
    return [("plain", text), ("percent", urllib.parse.quote(text, safe="")), ("percent lower", "".join(f"%{b:02x}" for b in raw)), ("percent all", "".join(f"%{b:02X}" for b in raw)), ("entities", "".join(f"&#{ord(c)};" for c in text)),
            ("padded entities", "".join(f"&#00000{ord(c)};" for c in text)), ("hex entities", "".join(f"&#X{ord(c):x};" for c in text)), ("json", "".join(f"\\u{ord(c):04X}" for c in text)), ("base64", b64), ("unpadded", b64.rstrip("=")),
            ("base64 twice", rot(text)), ("base64 of user", base64.b64encode(b"someone@home:" + raw).decode()), ("base64 in percent", urllib.parse.quote(b64, safe="")), ("percent twice", urllib.parse.quote(urllib.parse.quote(text, safe=""), safe="")),
            ("base64 of json", base64.b64encode(json.dumps({"p": text}).encode()).decode()), ("base64 of form", base64.b64encode(b"user=x&pass=" + raw + b"&y=1").decode()), ("glued", "x" + text + "y"), ("glued base64", "zz" + b64), ("basic", "Basic " + base64.b64encode(b"u:" + raw).decode()),
            ("json in json", json.dumps(json.dumps(text))[1:-1]), ("base64 lines", "\n".join(b64[i:i + 76] for i in range(0, len(b64), 76))), ("entity in percent", urllib.parse.quote("".join(f"&#{ord(c)};" for c in text), safe="")), ("jwt", "eyJh." + base64.urlsafe_b64encode(json.dumps({"sub": text}).encode()).decode().rstrip("=") + ".c2ln")]


class Page(html.parser.HTMLParser):
    """Looks for what was planted where it would have become markup."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.bad = []

    def handle_starttag(self, tag, attributes):
        if tag == "zqx" or any("zqx" in name or name.startswith("on") and "zqx" in (value or "") for name, value in attributes):
            self.bad.append((tag, attributes))
        for name, value in attributes:
            if name in ("href", "src", "action") and re.match(r"\s*(javascript|data):", value or "", re.I) and "zqx" in value:
                self.bad.append((tag, attributes))


def inspect(name, data):
    """What is wrong with an output, by its kind."""
    text = data.decode("utf-8", "replace")
    if name.endswith(".html"):
        page = Page()
        page.feed(text)
        yield from (f"markup: {bad}" for bad in page.bad[:2])
        for script in re.findall(r"<script[^>]*>(.*?)</script>", text, re.S):
            if re.match(r"\s*\{", script):
                try:
                    json.loads(script)
                except ValueError as error:
                    yield f"data island is no JSON: {error}"
            elif re.search(r"(?<![\"'\w])zqx\(\)", script) and "\"" not in script:
                yield "script holds zqx()"
    elif name.endswith(".csv"):
        rows = list(csv.reader(io.StringIO(text, newline="")))
        if len({len(row) for row in rows if row}) > 1:
            yield f"rows of {sorted({len(row) for row in rows if row})} fields"
        yield from (f"formula {field[:60]!r}" for row in rows for field in row if re.match(r"[=+@\t\r]|-[^\d]", field) and "zqx" in field)
    elif name.endswith(".xml"):
        try:
            xml.etree.ElementTree.fromstring(data)
        except xml.etree.ElementTree.ParseError as error:
            yield f"no XML: {error}"
        if re.search(r"<zqx", re.sub(r"<!\[CDATA\[.*?\]\]>", "", text, flags=re.S)):
            yield "element planted"
    elif name.endswith(".json") or name.endswith(".har"):
        try:
            json.loads(text)
        except ValueError as error:
            yield f"no JSON: {error}"
    elif name.endswith(".jsonl"):
        for line in text.split("\n"):
            try:
                line and json.loads(line)
            except ValueError as error:
                yield f"a line is no JSON: {error}"
    elif name.endswith(".md"):
        if re.search(r"(?<!\\)<(zqx|script|img)", re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)):
            yield "markup in Markdown"
        if re.search(r"^::(error|set-output)", text, re.M):
            yield "a workflow command at the start of a line"
    elif name.endswith(".prom"):
        for line in text.split("\n"):
            if line and not line.startswith("#") and not re.fullmatch(r'[a-z_:]+(\{([a-z]+="(?:[^"\\]|\\.)*",?)*\})? [-+0-9.eEinfINaN]+', line):
                yield f"line of metrics {line[:120]!r}"
    elif name.endswith(".py"):
        try:
            tree = ast.parse(text)
            if any(isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("zqx", "open") and "zqx" in ast.dump(node) for node in ast.walk(tree)):
                yield "code planted in the script"
        except SyntaxError as error:
            yield f"no Python: {error}"
    if not name.endswith((".sqlite", ".zip", ".png")) and re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]", data):
        yield "control bytes: %r" % re.search(rb".{0,30}([\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]).{0,10}", data, re.S).group()


class Echo:
    def __init__(self, seed):
        self.random, self.secrets, self.said, self.lock, self.mode = random.Random(seed), {}, {}, threading.Lock(), 0

    def note(self, household, *texts):
        for text in texts:
            if text and len(text) >= 8:
                self.secrets.setdefault(household, {})[text] = True

    def learn(self, request, answer):
        form = dict(urllib.parse.parse_qsl(request.body.decode("latin-1")))
        self.note(request.household, form.get("password"), form.get("pass"), form.get("client_secret"), form.get("SAMLResponse"), request.values.get("authorization", "").removeprefix("Bearer "), request.values.get("x-planted"))
        for cookie in request.values.get("cookie", "").split(";"):
            self.note(request.household, cookie.partition("=")[2])

    def handed(self, request, answer):
        """What the answer hands out, as it leaves."""
        text = answer.body.decode("latin-1")
        self.note(request.household, *re.findall(r'"(?:client_secret|access_token|serializedToken|software_statement)"\s*:\s*"([^"]+)"', text + request.body.decode("latin-1")))

    def words(self, household):
        """A secret in some writing, or something planted."""
        with self.lock:
            if self.random.random() < 0.45 or not self.secrets.get(household):
                return self.random.choice(PAYLOADS)
            secret = self.random.choice(list(self.secrets[household]))
            name, text = self.random.choice(writings(secret))
            if len(text) < 6000:
                self.said[text] = (name, secret)
            return text

    def hook(self, request, answer):
        self.learn(request, answer)
        rng, household = self.random, request.household
        kind = dict((n.lower(), v) for n, v in answer.headers).get("content-type", "")
        if rng.random() < 0.3:
            answer.headers.append((rng.choice(["Server", "Via", "X-Request-Id", "Adobe-Request-Id", "X-Amzn-Trace-Id", "CF-Ray", "X-Word", "Content-Language", "Retry-After", "Warning"]), re.sub(r"[\r\n\x00]", " ", self.words(household))))
        if rng.random() < 0.2:
            answer.headers.append(("Set-Cookie", f"C{rng.randrange(9)}=planted-cookie-{rng.randrange(10**12)}; Path=/"))
        if rng.random() < 0.1:
            answer.status = rng.choice([400, 401, 403, 404, 500, 503])
            answer.body = json.dumps({name: self.words(household) for name in ("status", "message", "error", "code", "details", "helpUrl", "action", "trace", "error_description")}).encode("utf-8", "surrogatepass")
        elif "json" in kind and rng.random() < 0.6:
            names = r'"(mvpd|userId|id|userID|householdID|message|details|displayName|logoUrl|resource|requestor|registrationURL|code|token_type|zip)"\s*:\s*"[^"]*"'
            answer.body = re.sub(names, lambda m: f'"{m.group(1)}":' + json.dumps(self.words(household)) if rng.random() < 0.3 else m.group(), answer.body.decode()).encode()
        elif "html" in kind and rng.random() < 0.7:
            text = answer.body.decode()
            plain = self.words(household)
            text = re.sub(r"<title>[^<]*", lambda m: "<title>" + plain.replace("<", "&lt;"), text)
            text = text.replace("<form", f"<h1>{self.words(household)}</h1><p role=alert>{self.words(household)}</p><form", 1)
            if rng.random() < 0.3:
                text = re.sub(r"type=\"?'?password\"?'?", "type=text", text)
            answer.body = text.encode("utf-8", "surrogatepass")
        elif answer.status in (301, 302) and rng.random() < 0.15:
            answer.headers = [(n, v + ("&" if "?" in v else "?") + "word=" + urllib.parse.quote(self.words(household), safe=rng.choice(["", "/+=<>"]))) if n.lower() == "location" else (n, v) for n, v in answer.headers]
        self.handed(request, answer)
        return answer.raw()


def leaks(echo, outputs):
    """Secrets, in the writings in which they were said and in plain, found in an output."""
    needles = {text: said for text, said in echo.said.items() if len(text) >= 8}
    for secrets in echo.secrets.values():
        needles.update({secret: ("plain", secret) for secret in secrets})
    for name, data in outputs.items():
        for needle, (writing, secret) in needles.items():
            if needle.encode("utf-8", "surrogatepass") in data or json.dumps(needle)[1:-1].encode() in data:
                yield name, writing, secret, needle
                break


def outputs_of(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
            if name.endswith(".zip"):
                with zipfile.ZipFile(path) as archive:
                    found.update({f"{name}!{inner}": archive.read(inner) for inner in archive.namelist()})
    return found


def main():
    attack = Attack(__doc__, 400)
    port = attack.serve("--policy", "verify-statements=false")
    while attack.attempts < attack.options.count:
        batch = attack.starts
        rng = random.Random(f"{attack.options.seed}/{batch}")
        echo = Echo(rng.random())
        proxy = Proxy(port, echo.hook)
        folder, households = attack.folder(), rng.choice([1, 20, 20])
        with open(os.path.join(folder, "accounts.csv"), "w") as file:
            file.write("mvpd,user,password\n" + "".join(f"{m},viewer{i}{m},pa\u00dfw\u00f6rd+/={i}{rng.randrange(10**9)}\n" for i in range(30) for m in ("DemoCable", "DemoSat")))
        os.chmod(os.path.join(folder, "accounts.csv"), 0o600)
        header = f"header-secret-{rng.randrange(10**12)}"
        attack.rig(folder, f"http://127.0.0.1:{proxy.port}", households, engine=rng.choice(["direct", "multi"]), target="  headers: {X-Planted: \"${PLANTED}\"}\n  software-statement: \"${STATEMENT}\"\n", rest="accounts: {file: accounts.csv}\n" if rng.random() < 0.6 else "")
        live = {}

        def watch(process):
            for _ in range(40):
                if not os.path.exists(f"/proc/{process.pid}/exe"):
                    return
                for name, address in (("live.prom", f"http://127.0.0.1:{attack.options.seed % 100 + 18000}/metrics"), ("live.json", f"http://127.0.0.1:{attack.options.seed % 100 + 19000}/state.json")):
                    try:
                        live[name] = urllib.request.urlopen(address, timeout=1).read()
                    except OSError:
                        pass
                threading.Event().wait(0.2)

        env = {"PLANTED": header, "STATEMENT": "eyJhbGciOiJSUzI1NiJ9.eyJzb2Z0d2FyZV9pZCI6ImF0dGFjayJ9.c3RhdGVtZW50LXNpZ25hdHVyZS1%d" % rng.randrange(10**9), "GITHUB_STEP_SUMMARY": os.path.join(folder, "step.md")}
        first = ["try", "rig.yaml", "--out", "out", "--bodies"] if households == 1 else ["run", "rig.yaml", "--out", "out", "--metrics", str(attack.options.seed % 100 + 18000), "--dashboard", str(attack.options.seed % 100 + 19000)]
        result = attack.run(first, folder, timeout=80, env=env, during=watch)
        attack.attempts += households
        attack.judge(f"batch {batch}", result, first, folder)
        echo.note(-1, header)
        outputs = {"terminal.txt": result.out + result.err, **live}
        cases = os.path.join(folder, "out", "cases")
        after = [["export", "out", "--household", "0", "--format", f] for f in ("har", "jsonl", "curl")] + [["report", "out", "--share", "share.zip"], ["report", "out"], ["compare", "out", "out", "--html", "compare.html"]]
        names = ["export.har", "export.jsonl", "export.sh", "share.txt", "report.txt", "compare.txt"]
        for case in sorted(os.listdir(cases))[:4] if os.path.isdir(cases) else []:
            if case.endswith(".json"):
                after += [["replay", f"out/cases/{case}", "--emit", "python"], ["replay", f"out/cases/{case}", "--emit", "har"]]
                names += [f"{case}.py", f"{case}.har"]
        for arguments, name in zip(after, names):
            part = attack.run(arguments, folder, timeout=40, env=env)
            attack.judge(f"batch {batch} {arguments[0]}", part, arguments, folder)
            outputs[name] = part.out if part.code == 0 else b"{}" if name.endswith(("har", "jsonl")) else b""
            outputs[name + ".err"] = part.err
        if outputs.get("export.sh"):
            # The lines are read by a shell in which curl is a word that does nothing.
            subprocess.run(["sh", "-c", "curl() { :; }\n" + outputs["export.sh"].decode("utf-8", "replace")], cwd=folder, capture_output=True, timeout=20, env={"PATH": "/nowhere"} | {"PATH": os.environ["PATH"]})
        outputs.update({n: d for n, d in outputs_of(folder).items() if n not in ("accounts.csv", "rig.yaml")})
        if any("zqx-made" in os.path.basename(name) for name in outputs):
            attack.find("high", f"batch {batch}", "a file was made by what a peer said", first, folder, list(outputs))
        for name, writing, secret, needle in leaks(echo, outputs):
            attack.find("high", f"batch {batch}", f"secret as {writing} in {name}", first, folder, f"{secret[:80]!r} as {needle[:120]!r}", result)
        for name, data in outputs.items():
            for what in inspect(name, data):
                attack.find("medium", f"batch {batch}", f"{name}: {what}", first, folder, "", result)
    attack.end()


if __name__ == "__main__":
    main()
