#!/usr/bin/env python3
"""Attacks what reads answers: bodies in JSON, XML and HTML are spoilt in types, sizes, numbers, nesting, duplicates,
encodings and bytes, one operation of each household. An attempt is one household with its own spoilt conversation.
Beyond not trapping: no run passes in which nobody signed in, a household whose every poll is no token never signs in,
and what the run left is reported, exported and shared without a trap."""
import json
import os
import random
import re

from peers import NAMES, Attack, Proxy

BIG = ["9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e308", "1e999", "-1e999", "-0", "0.1e-400",
       "1" * 400, "1.7976931348623159e308", "253402300800000", "-62135596800001", "4102444800000", "9007199254740993", "1E400",
       "18446744073709551615", "0", "-1", "1e18", "92233720368547758.07e2", "6666666666666666667"]
STRINGS = ["", " ", "\x00", "\ud800", "\udfff\ud800", "\u202e", "é" * 300, "a" * 70000, "\u2028", "\U0010ffff", "%00%0a", "../../x", "null",
           "12abc", "9" * 30, "-9223372036854775808", "1e99", "NaN", "Infinity", "\r\nX: y", "e\u0301" * 5000, "\u200d" * 1000,
           "0x10", "+5", "٣٤٥", "１２３", "true", "[]", "2026-02-30T25:61:61Z", "=cmd|' /C calc'!A0"]
LEAVES = BIG + [json.dumps(s) for s in STRINGS] + ["true", "false", "null", "[]", "{}", "[[]]", '[null,null]', '{"":""}', '[{"id":1}]']
DEEP = ['[' * 5000 + ']' * 5000, '{"a":' * 3000 + '1' + '}' * 3000, '[' * 200000, '[' + '{},' * 20000 + '{}]', '[' + '0,' * 200000 + '0]',
        '{' + ','.join(f'"k{i}":{i}' for i in range(20000)) + '}', '{' + ','.join('"id":1' for i in range(20000)) + '}']


ACTIONS = ["", "#", "?", "//", "///", "http:", "http://", "http:///x", "\\\\", "mailto:x", "x" * 70000, "/%", "/%zz", "/\0", "?" + "&" * 9999, "/a b", "/é",
           "http://[", "http://]:1", "http://:1/", "http://127.0.0.1:99999/", "http://127.0.0.1:0/", "http://127.0.0.1:-1/", "../" * 9000]


def spoil_json(rng, body):
    try:
        text = body.decode()
        spots = [m.span() for m in re.finditer(r'"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d+(?:\.\d+)?|true|false|null|\[\]|\{\}', text)]
    except UnicodeDecodeError:
        return spoil_bytes(rng, body)
    kind = rng.randrange(9)
    if kind <= 4 and spots:
        start, end = rng.choice(spots)
        leaf = rng.choice(DEEP) if kind == 4 else rng.choice(LEAVES)
        return (text[:start] + leaf + text[end:]).encode("utf-8", "surrogatepass")
    if kind == 5:
        keys = [m.group() for m in re.finditer(r'"[^"]*":', text)]
        if keys:
            extra = "".join(rng.choice(keys) + rng.choice(LEAVES) + "," for _ in range(rng.choice([1, 2, 50])))
            return text.replace("{", "{" + extra, 1).encode("utf-8", "surrogatepass")
    if kind == 6:
        keys = sorted(set(re.findall(r'"([^"]*)":', text)))
        if keys:
            name = rng.choice(keys)
            return text.replace(f'"{name}":', rng.choice(['"":', f'"{name}\\u0000":', f'"{name.upper()}":', f'"x{name}":']), 1).encode()
    if kind == 7:
        return rng.choice(LEAVES + DEEP).encode("utf-8", "surrogatepass")
    return spoil_bytes(rng, body)


def spoil_xml(rng, body):
    text = body.decode("utf-8", "replace")
    spots = [m.span(1) for m in re.finditer(r">([^<>]+)<", text)]
    kind = rng.randrange(8)
    if kind <= 2 and spots:
        start, end = rng.choice(spots)
        leaf = rng.choice(BIG + STRINGS + ["&#0;", "&#xD800;", "&#99999999999;", "&amp;" * 30000, "<![CDATA[" + "]" * 9000 + "]]>", "&lol;",
                                           "<!--" + "-" * 3000 + "-->", "<?x " + "?" * 5000 + "?>", "<a>" * 3000, "<a/>" * 30000])
        return (text[:start] + leaf + text[end:]).encode("utf-8", "surrogatepass")
    if kind == 3:
        names = re.findall(r"<([A-Za-z]+)", text)
        if names:
            name = rng.choice(names)
            return re.sub(rf"<{name}\b", f"<{name} " + rng.choice(["a='1' a='2'", "xmlns='x'", "xml:space='x'", " ".join(f"a{i}=''" for i in range(5000)),
                                                               "xmlns:" + "p" * 5000 + "='y'", "a='<'", "a=" + "'" * 999]), text, count=1).encode()
    if kind == 4:
        return ("<!DOCTYPE a [<!ENTITY l SYSTEM 'file:///etc/passwd'>]>" + text).encode()
    if kind == 5:
        return text.encode(rng.choice(["utf-16", "utf-16-be", "utf-32", "utf-8-sig", "cp037"]), "replace")
    if kind == 6:
        return re.sub(r"encoding=\"[^\"]*\"", f'encoding="{rng.choice(["utf-7", "x" * 4000, "UTF-16", "IBM037", "ISO-2022-KR", "UCS-4"])}"', text).encode()
    return spoil_bytes(rng, body)


def spoil_html(rng, body):
    text = body.decode("utf-8", "replace")
    kind = rng.randrange(10)
    tags = ["<form>", "<form method=dialog>", "<input type=password>", "<template>", "<noscript>", "<textarea>", "<script>", "<style>", "<title>", "<svg>",
            "<math>", "<select multiple>", "<option selected value=1>", "<base href='//[::1'>", "<base href='javascript:1'>", "<!--", "-->", "<![CDATA[", "</form>",
            "<plaintext>", "<iframe srcdoc='<form>'>", "<button formaction='/x' formmethod=get>", "<input type=submit formaction=data:,x>", "<?php", "<%",
            "<input name=a value=b form=signin>", "<object>", "<meta http-equiv=refresh content='99999999999999999999999;url=/x'>",
            "<meta http-equiv=refresh content='0;url='>", "<meta charset=utf-16>", "<input type=image name=x>", "<input type=file name=f>", "<fieldset disabled>"]
    if kind <= 3:
        for _ in range(rng.choice([1, 3, 40])):
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(tags) + text[at:]
        return text.encode()
    if kind == 4:
        return (text + rng.choice(tags) * rng.choice([5000, 30000])).encode()[:1_000_000]
    if kind == 5:
        piece = rng.choice(["<", "<a ", "</", "<!", "&", "&#", "<input ", "<form ", "'", '"', "<a href='", "=", "<p", "&amp", "<script></", "<title></titl", "\0", "\f", "<b><i>", "</b></i>"])
        return (text.replace("<form", piece * rng.choice([1000, 100000]) + "<form", 1)).encode()[:1_000_000]
    if kind == 6:
        return re.sub(r"value=\"[^\"]*\"", lambda m: 'value="' + rng.choice(["&#0;", "&#x110000;", "&#xD800;", "&" * 999, "\n" * 99, "&notanentity;", "x" * 300000]) + '"', text, count=1).encode()
    if kind == 7:
        action = rng.choice(ACTIONS)
        return re.sub(r"action=\"[^\"]*\"", lambda m: 'action="' + action + '"', text, count=1).encode()
    if kind == 8:
        return re.sub(r"name=\"[^\"]*\"", lambda m: f'name="{rng.choice(["", "_charset_", "isindex", "a" * 60000, "a=b&c", "%", "é", "[]", "__proto__"])}"', text, count=rng.choice([1, 5])).encode()
    return spoil_bytes(rng, body)


def spoil_bytes(rng, body):
    data = bytearray(body)
    kind = rng.randrange(6)
    if kind == 0:
        return bytes(data[:rng.randrange(len(data) + 1)])
    if kind == 1:
        return body.decode("utf-8", "replace").encode(rng.choice(["utf-16", "utf-8-sig", "utf-32"]))
    if kind == 2:
        return body + rng.choice([body, b"\x00", b"}", b"\xff" * 99, b" " * 500000, b"{}"])
    if kind == 3:
        return bytes(rng.randrange(256) for _ in range(rng.choice([1, 20, 3000])))
    if kind == 4:
        return b"\xef\xbb\xbf" * 3 + body
    for _ in range(rng.choice([1, 4, 30])):
        if data:
            data[rng.randrange(len(data))] = rng.choice([0, 0x22, 0x5c, 0x7b, 0x5d, 0x2c, 0x3c, 0x26, 0xc3, 0xff, 0xed, rng.randrange(256)])
    return bytes(data)


NO_TOKEN = [b"", b"{}", b"[]", b"null", b'"signed in"', b"<html>signed in</html>", b"1", b'{"userId":"x"}', b'{"mvpd":"DemoSat"', b'{"expires":1}',
            b'{"requestor":"DEMOTV","mvpd":"DemoSat","userId":"u","expires":"1"}', b'{"requestor":"DEMOTV","mvpd":"DemoSat","userId":"u","expires":"soon"}',
            b'{"requestor":"DEMOTV","mvpd":[],"userId":{},"expires":[]}', b'{"requestor":"DEMOTV","mvpd":"DemoSat","userId":"u","expires":"99999999999999999999"}']


def main():
    attack = Attack(__doc__, 800)
    port = attack.serve()
    plan = {}

    def hook(request, answer):
        rng, operation, lie = plan.get(request.household, (None, "", None))
        if operation == request.operation:
            if lie is not None:
                answer.status, answer.body = 200, lie
            elif answer.body:
                kind = dict((n.lower(), v) for n, v in answer.headers).get("content-type", "")
                spoil = spoil_html if "html" in kind else spoil_xml if "xml" in kind else spoil_json
                answer.body = spoil(rng, answer.body)
                if rng.random() < 0.1:
                    answer.status = rng.choice([200, 201, 400, 403, 404, 410, 429, 500, 503, 302, 206, 299, 599])
            elif rng.random() < 0.5:
                answer.body, answer.status = rng.choice(LEAVES).encode("utf-8", "surrogatepass"), rng.choice([200, answer.status])
        return answer.raw()

    proxy = Proxy(port, hook)
    while attack.attempts < attack.options.count:
        batch, households = attack.starts, 40
        rng = random.Random(f"{attack.options.seed}/{batch}")
        plan.clear()
        told, lies = [], rng.random() < 0.15
        for household in range(households):
            operation = "poll-token" if lies else rng.choice(NAMES[:-1] + ["mvpd-login"] * 4)
            seed = f"{attack.options.seed}/{batch}/{household}"
            plan[household] = (random.Random(seed), operation, rng.choice(NO_TOKEN) if lies else None)
            told.append(f"{household}:{operation}")
        folder = attack.folder()
        attack.rig(folder, f"http://127.0.0.1:{proxy.port}", households, engine=rng.choice(["direct", "multi"]), format="json" if lies else rng.choice(["json", "json", "xml"]))
        arguments = ["run", "rig.yaml", "--out", "out", "--quiet"]
        result = attack.run(arguments, folder, timeout=75)
        attack.attempts += households
        name = f"batch {batch}"
        attack.judge(name, result, arguments, folder, note=told)
        summary = attack.summary(folder)
        if result.code == 0 and (summary is None or not summary["households"]["signedIn"]):
            attack.find("high", name, "passed although nobody signed in", arguments, folder, told, result)
        if lies and summary and summary["households"]["signedIn"]:
            attack.find("high", name, "signed in by an answer that is no token", arguments, folder, [plan[h][2] for h in plan], result)
        if result.code in (1, 2, 3) and not result.text.strip():
            attack.find("medium", name, "failed without a word", arguments, folder, told, result)
        if os.path.isdir(os.path.join(folder, "out")):
            household = str(rng.randrange(households))
            for after in (["report", "out"], ["judge", "out"], ["export", "out", "--household", household, "--format", rng.choice(["har", "curl", "jsonl"])],
                          ["report", "out", "--share", "share.zip"], ["compare", "out", "out"])[rng.randrange(3)::2]:
                attack.judge(name + " " + after[0], attack.run(after, folder, timeout=40), after, folder, note=told)
    attack.end()


if __name__ == "__main__":
    main()
