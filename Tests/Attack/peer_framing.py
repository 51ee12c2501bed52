#!/usr/bin/env python3
"""Attacks what reads HTTP/1.1: two lengths, chunk tricks, 1xx, trailers, answers that nobody asked for, header lines of
every kind, cookies, Retry-After, drips. An attempt is one household with a trick at one operation.
Beyond not trapping and not hanging: an answer smuggled behind another one (it says "signed in" to a TV whose service never
says so) is never taken for the answer to the next request, and memory stays below 200 MB."""
import json
import random

from peers import NAMES, Attack, Proxy

SMUGGLED = json.dumps({"requestor": "DEMOTV", "mvpd": "DemoSat", "userId": "smuggled-user", "expires": "4000000000000"}).encode()
INNER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(SMUGGLED), SMUGGLED)
NUMBERS = [b"-1", b"+5", b"0x10", b"1e3", b"99999999999999999999", b"18446744073709551616", b"9223372036854775807", b"5, 5", b"5,6", b" ", b"", b"\xd9\xa3", b"5 5", b"05", b"5;x", b"\t5"]
HEADERS = [b"Retry-After: " + n for n in NUMBERS] + [b"Retry-After: Sun, 99 Nov 99999 99:99:99 GMT", b"Date: Mon, 01 Jan 292277026597 00:00:00 GMT", b"Date: x",
    b"X: " + b"a" * 60000, b"X" * 60000 + b": a", b": empty", b" folded: x", b"X: a\r\n folded", b"X: a\r\n\tb\r\n\tc", b"NoColon", b"X : a", b"X\x00: a", b"X: a\x00b", b"X: \xff\xfe",
    b"X: a\rY: b", b"X: a\nY: b", b"\r\n", b"X: \x1b[2Jterminal", b"Content-Encoding: gzip", b"Content-Encoding: br, deflate", b"Transfer-Encoding: gzip, chunked",
    b"Connection: close, keep-alive", b"Connection: upgrade\r\nUpgrade: h2c", b"Keep-Alive: timeout=-1, max=99999999999999999999", b"Content-Type: text/html; charset=utf-7",
    b"Content-Type: application/json; charset=\"", b"Content-Range: bytes 0-1/9", b"Trailer: Content-Length", b"Alt-Svc: h3=\":1\"", b"Strict-Transport-Security: max-age=9",
    b"Refresh: 0; url=http://127.0.0.1:1/", b"\r\n".join(b"X%d: y" % i for i in range(4000)), b"Location: x", b"Proxy-Authenticate: Basic", b"WWW-Authenticate: Negotiate " + b"A" * 9000]
COOKIES = [b"=", b"a", b"=v", b"a=" + b"x" * 50000, b"a=b; Max-Age=" + b"9" * 40, b"a=b; Max-Age=-" + b"9" * 40, b"a=b; Expires=Thu, 32 Foo 0000 25:61:61", b"a=b; Domain=127.0.0.1",
    b"a=b; Domain=.", b"a=b; Domain=com", b"a=b; Path=", b"a=b; Path=" + b"/" * 9000, b"__Host-a=b; Domain=x", b"a=\"b\\\"c\"", b"a=b\x00c", b"a=b\x01c", b"\xff=\xfe", b"a=b;" * 5000,
    b"a=b; SameSite=; Secure; HttpOnly; Partitioned", b"a=b; Expires=Fri, 31 Dec 292277026596 23:59:59 GMT", b"AP_FLOW=x", b"AP_FLOW=; Max-Age=0", b"a=b, c=d; Domain=[::1]", b"a=b\r\n c=d"]


def tricks(rng, answer):
    """(name, bytes and pauses) of one trick on a healthy answer."""
    head, body = answer.head(length=False)[:-2], answer.body
    size = b"Content-Length: %d\r\n" % len(body)
    chunks = lambda *parts: b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in parts if p) + b"0\r\n\r\n"
    number = rng.choice(NUMBERS)
    kind = rng.randrange(34)
    if kind == 0:
        return "two lengths", head + size + b"Content-Length: %d\r\n\r\n" % (len(body) + len(INNER)) + body + INNER
    if kind == 1:
        return "length and chunks", head + size + b"Transfer-Encoding: chunked\r\n\r\n" + chunks(body) + INNER
    if kind == 2:
        return "length number", head + b"Content-Length: " + number + b"\r\n\r\n" + body
    if kind == 3:
        return "chunk number", head + b"Transfer-Encoding: chunked\r\n\r\n" + number + b"\r\n" + body + b"\r\n0\r\n\r\n"
    if kind == 4:
        return "extra answer", answer.raw() + INNER * rng.choice([1, 2, 20])
    if kind == 5:
        return "late extra answer", [answer.raw(), 0.05, INNER]
    if kind == 6:
        return "1xx", b"HTTP/1.1 %d x\r\n\r\n" % rng.choice([100, 102, 103, 101, 199]) * rng.choice([1, 3, 5000]) + answer.raw()
    if kind == 7:
        return "1xx with body", b"HTTP/1.1 103 x\r\nContent-Length: %d\r\n\r\n" % len(INNER) + INNER + answer.raw()
    if kind == 8:
        return "204 with body", b"HTTP/1.1 204 x\r\nContent-Length: %d\r\n\r\n" % len(INNER) + INNER
    if kind == 9:
        return "304 with body", b"HTTP/1.1 304 x\r\nContent-Length: %d\r\n\r\n" % len(INNER) + INNER
    if kind == 10:
        return "trailers", head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks(body)[:-2] + b"Content-Length: 5\r\nSet-Cookie: t=1\r\n" * rng.choice([1, 20000]) + b"\r\n"
    if kind == 11:
        return "chunk extension", head + b"Transfer-Encoding: chunked\r\n\r\n" + b"%x;%s\r\n%s\r\n0\r\n\r\n" % (len(body), b"e" * rng.choice([5, 9000, 3000000]), body)
    if kind == 12:
        return "tiny chunks", head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks(*[body[i:i + 1] for i in range(len(body))])
    if kind == 13:
        return "bare LF", answer.raw().replace(b"\r\n", b"\n")
    if kind == 14:
        return "start line", rng.choice([b"HTTP/1.1", b"HTTP/1.1 ", b"HTTP/1.1 200", b"HTTP/1.1 2000 x", b"HTTP/1.1 -200 x", b"HTTP/1.1 99 x", b"HTTP/1.1 600 x", b"HTTP/1.1 000 x", b"HTTP/9.9 200 OK", b"HTTP/1.0 200 OK",
                                        b"HTTP/0.9 200 OK", b"ICY 200 OK", b"http/1.1 200 ok", b"HTTP/1.1\t200\tOK", b"HTTP/1.1  200 OK", b"HTTP/1.1 200 " + b"O" * 70000, b"HTTP/1.1 20\xd9\xa3 x", b"HTTP/2 200", b"\x16\x03\x01", b"SSH-2.0-x"]) + answer.raw()[12:]
    if kind == 15:
        return "drip", [1 and (answer.raw()[i:i + 1]) if i % 2 == 0 else 0.02 for i in range(200)] + [None]
    if kind == 16:
        return "drip head", [part for _ in range(80) for part in (b"HTTP/1.1 200 OK\r\n" if not _ else b"X: y\r\n", 0.03)] + [None]
    if kind == 17:
        return "drip chunks", [head + b"Transfer-Encoding: chunked\r\n\r\n"] + [part for _ in range(80) for part in (b"1\r\nx\r\n", 0.03)] + [None]
    if kind == 18:
        return "no end", [head + b"\r\n" + body + b" " * 3_000_000, None]
    if kind == 19:
        return "short", [head + b"Content-Length: %d\r\n\r\n" % (len(body) + 100) + body, None]
    if kind == 20:
        return "cut", [answer.raw()[:rng.randrange(len(answer.raw()))], None]
    if kind == 21:
        return "nothing", [None]
    if kind == 22:
        data = bytearray(answer.raw())
        for _ in range(rng.choice([1, 3, 10])):
            data[rng.randrange(min(len(data), 300))] = rng.randrange(256)
        return "bytes", [bytes(data), 0.3, None]
    if kind == 23:
        return "transfer encoding", head + b"Transfer-Encoding: " + rng.choice([b"identity", b"chunked, chunked", b"xchunked", b"\x0bchunked", b"chunked\r\nTransfer-Encoding: x", b"Chunked", b"chunked;q=1", b", chunked", b"gzip"]) + b"\r\n\r\n" + chunks(body) + INNER
    if kind == 24:
        return "chunk ends", head + b"Transfer-Encoding: chunked\r\n\r\n%x\n%s\n0\n\n" % (len(body), body) + INNER
    if kind == 25:
        return "chunk too long", head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s0\r\n\r\n" % (len(body) + 7, body) + INNER
    if kind == 26:
        return "empty lines first", b"\r\n" * rng.choice([1, 3, 100000]) + answer.raw()
    if kind <= 30:
        lines = b"\r\n".join(rng.choice(HEADERS) for _ in range(rng.choice([1, 1, 3])))
        return "header", head + size + lines + b"\r\n\r\n" + body + (b"" if kind < 30 else INNER)
    lines = b"".join(b"Set-Cookie: " + rng.choice(COOKIES) + b"\r\n" for _ in range(rng.choice([1, 3, 300])))
    return "cookies", head + size + lines + b"\r\n" + body


def main():
    attack = Attack(__doc__, 600)
    port = attack.serve()
    plan, told = {}, []

    def hook(request, answer):
        rng, operation = plan.get(request.household, (None, ""))
        if request.operation == "poll-token":
            answer.status, answer.body = 404, b'{"status":404,"message":"Authentication token not found"}'
        if operation != request.operation:
            return answer.raw()
        name, parts = tricks(rng, answer)
        if len(told) < 4000:
            told.append(f"{request.household}:{operation}:{name}")
        return parts

    proxy = Proxy(port, hook)
    while attack.attempts < attack.options.count:
        batch, households = attack.starts, 40
        rng = random.Random(f"{attack.options.seed}/{batch}")
        plan.clear()
        told.clear()
        for household in range(households):
            plan[household] = (random.Random(f"{attack.options.seed}/{batch}/{household}"), rng.choice(NAMES[:-1] + ["check-authentication", "poll-token"] * 3))
        folder = attack.folder()
        attack.rig(folder, f"http://127.0.0.1:{proxy.port}", households, engine=rng.choice(["direct", "direct", "multi"]),
                   rest="connections: pooled\n" if rng.random() < 0.3 else "")
        arguments = ["run", "rig.yaml", "--out", "out", "--quiet"]
        result = attack.run(arguments, folder, timeout=90)
        attack.attempts += households
        attack.judge(f"batch {batch}", result, arguments, folder, note=told)
        summary = attack.summary(folder)
        # Every poll was answered 404 and only extra, unasked bytes said "signed in".
        if summary and (summary["households"]["signedIn"] or summary["outcome"] == "pass"):
            attack.find("high", f"batch {batch}", "signed in by a smuggled answer", arguments, folder, told, result)
        if result.code in (1, 2, 3) and not result.text.strip():
            attack.find("medium", f"batch {batch}", "failed without a word", arguments, folder, told, result)
    attack.end()


if __name__ == "__main__":
    main()
