"""Faults of an answer that arrives whole: refusals without an end, bombs, absurd numbers, clocks that jump."""

import functools
import gzip
import json
import time

from http11 import Response

LEAST, MOST = -(2 ** 63), 2 ** 63 - 1
HTML, APPLICATION_JSON, APPLICATION_XML = "text/html;charset=utf-8", "application/json", "application/xml"
XML = '<?xml version="1.0"?>'

BOMBS = {
    "bomb-title": (HTML, lambda: "<html><title>" + "<!---->" * 140_000),
    "bomb-forms": (HTML, lambda: "<html><body>" + "<form action=/idp/x><input name=q></form>" * 20_000),
    "bomb-inputs": (HTML, lambda: "<form method=post>" + "<input type=password name=p>" * 30_000 + "</form>"),
    "bomb-attributes": (HTML, lambda: "<form " + " ".join(f"a{n}=b" for n in range(60_000)) + ">"),
    "bomb-nesting": (HTML, lambda: "<html><body>" + "<div>" * 80_000 + "</div>" * 80_000),
    "bomb-open-tags": (HTML, lambda: "<html>" + "<" * 900_000),
    "bomb-references": (HTML, lambda: "<form action='" + "&amp;" * 180_000 + "'><input type=password></form>"),
    "bomb-json-depth": (APPLICATION_JSON, lambda: "[" * 120_000 + "]" * 120_000),
    "bomb-json-objects": (APPLICATION_JSON, lambda: '{"a":' * 120_000 + "1" + "}" * 120_000),
    "bomb-json-keys": (APPLICATION_JSON, lambda: "{" + ",".join(f'"k{n}":1' for n in range(70_000)) + "}"),
    "bomb-json-same-key": (APPLICATION_JSON, lambda: "{" + ",".join(['"code":"A"'] * 80_000) + "}"),
    "bomb-json-digits": (APPLICATION_JSON, lambda: '{"expires":' + "9" * 900_000 + "}"),
    "bomb-json-escapes": (APPLICATION_JSON, lambda: '{"code":"' + "\\u0000" * 150_000 + '"}'),
    "bomb-xml-depth": (APPLICATION_XML, lambda: XML + "<a>" * 120_000 + "</a>" * 120_000),
    "bomb-xml-entity": (APPLICATION_XML, lambda: (
        XML + '<!DOCTYPE a [<!ENTITY e "' + "x" * 10_000 + '">]><a>' + "&e;" * 100_000 + "</a>")),
    "bomb-xml-laughs": (APPLICATION_XML, lambda: (
        XML + '<!DOCTYPE a [<!ENTITY e0 "ha">' + "".join(
            f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12)) + "]><a>&e11;</a>")),
    "bomb-xml-attributes": (APPLICATION_XML, lambda: (
        XML + "<a " + " ".join(f'a{n}="b"' for n in range(60_000)) + "/>")),
}
# Numbers of a registration code: when it was made, when it runs out.
CODE_TIMES = {
    "numbers-extreme": (LEAST, MOST),
    "numbers-overflow": (1, 9223372037000),
    "numbers-reversed": (MOST, LEAST),
    "numbers-zero": (0, 0),
}
# Numbers of every other field that says a time.
TIMES = {"numbers-most": MOST, "numbers-least": LEAST, "numbers-float": 1e308, "numbers-text": "9" * 400}
JUMPS_MS = {"clock-forward": 6 * 3600_000, "clock-back": -6 * 3600_000}
HEADERS = {
    "headers-numbers": [
        ("Retry-After", "99999999999999999999"), ("Age", "-1"), ("Expires", "Thu, 01 Jan 99999 00:00:00 GMT"),
        ("Set-Cookie", f"a=b; Max-Age={MOST}"), ("Set-Cookie", f"c=d; Max-Age={LEAST}")],
    "headers-cookies": [("Set-Cookie", f"c{n}={'x' * 40}; Path=/") for n in range(400)],
}
NAMES = (set(BOMBS) | set(CODE_TIMES) | set(TIMES) | set(JUMPS_MS) | set(HEADERS)
         | {"bomb-gzip", "throttle-for-ever", "throttle-huge", "busy-for-ever", "redirect-loop", "redirect-growing",
            "codes-of-1-ms"})


@functools.cache
def bomb(fault):
    if fault == "bomb-gzip":
        return gzip.compress(b"[" + b" " * 100_000_000, compresslevel=1)
    return BOMBS[fault][1]().encode()


def instead(peer, request):
    """An answer without a look at the service; None where the service answers."""
    fault = peer.fault
    if fault in JUMPS_MS and peer.began and time.monotonic() - peer.began > 0.7:
        peer.jump_ms = JUMPS_MS[fault]
    if fault in BOMBS:
        return Response(200, bomb(fault), BOMBS[fault][0])
    if fault == "bomb-gzip":
        return Response(200, bomb(fault), APPLICATION_JSON, [("Content-Encoding", "gzip")])
    if fault == "throttle-for-ever":
        return Response(429, "slow down", "text/html")
    if fault == "throttle-huge":
        return Response(429, "slow down", "text/html", [("Retry-After", str(MOST))])
    if fault == "busy-for-ever":
        return Response(503)
    if fault == "redirect-loop":
        return Response(302, headers=[("Location", request.origin + request.target)])
    if fault == "redirect-growing":
        return Response(302, headers=[("Location", request.origin + request.target + "x" * 4000)])
    return None


def changed(peer, request, response):
    """The service's own answer with something in it that cannot be."""
    fault = peer.fault
    if fault in HEADERS:
        response.headers += HEADERS[fault]
    if fault in CODE_TIMES:
        generated, expires = CODE_TIMES[fault]
        return rewritten(response, lambda value: value | {"generated": generated, "expires": expires})
    if fault == "codes-of-1-ms":
        return rewritten(response, lambda value: value | {"expires": value["generated"] + 1})
    if fault in TIMES:
        return rewritten(response, lambda value: {
            key: TIMES[fault] if key in ("expires", "expires_in", "created_at", "updated") else inner
            for key, inner in value.items()})
    return response


def rewritten(response, change):
    try:
        value = json.loads(response.body)
    except ValueError:
        return response
    if isinstance(value, dict):
        response.body = json.dumps(change(value)).encode()
    return response
