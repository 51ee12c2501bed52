#!/usr/bin/env python3
"""Attacks by way of the proxy, and attacks on Ctrl-C. A proxy repeats the credentials that it was sent in a 407 (or any
other status), in plain, Base64 and percent: no output may show them. A service drips without an end, and Ctrl-C once or
twice has to end the command within 5 s (+1 s for a busy machine). An attempt is one start of the binary."""
import base64
import json
import os
import random
import signal
import time
import urllib.parse

from peers import Attack, Proxy


def credentials(attack, rng):
    """One start through a talkative proxy."""
    said, word = set(), f"prx-s3cret!{rng.randrange(10**9)}"
    status = rng.choice([407, 407, 502, 403, 404, 200])
    loud = rng.random() < 0.7

    def hook(request, answer):
        sent = request.values.get("proxy-authorization", "")[6:]
        answer.status, answer.headers, answer.body = status, [("Proxy-Authenticate", "Basic realm=x")] * (status == 407), b'{"message":"no"}'
        if sent and loud:
            text = rng.choice([sent, base64.b64decode(sent).decode(), word, urllib.parse.quote(word, safe=""), base64.b64encode(word.encode()).decode()])
            said.add(text)
            answer.headers.append((rng.choice(["X-Echo", "Via", "Adobe-Request-Id", "Proxy-Authenticate"]), text))
            answer.body = json.dumps({"message": text, "details": text}).encode()
        return answer.raw()

    proxy = Proxy(None, hook)
    address = f"http://prxuser:{urllib.parse.quote(word, safe='')}@127.0.0.1:{proxy.port}"
    folder, hidden = attack.folder(), rng.random() < 0.5
    attack.rig(folder, "http://127.0.0.1:9", 1, target="  proxy: " + ('"${PX}"' if hidden else address) + "\n")
    arguments = rng.choice([["try", "rig.yaml", "--out", "out", "--bodies"], ["run", "rig.yaml", "--out", "out"]])
    result = attack.run(arguments, folder, timeout=40, env={"PX": address})
    name = f"proxy {status} {'loud' if loud else 'silent'}"
    attack.judge(name, result, arguments, folder)
    needles = {word, urllib.parse.quote(word, safe=""), base64.b64encode(f"prxuser:{word}".encode()).decode(), *said}
    outputs = {"terminal": result.out + result.err}
    for at, _, names in os.walk(os.path.join(folder, "out")):
        for each in names:
            with open(os.path.join(at, each), "rb") as file:
                outputs[each] = file.read()
    shown = sorted(each for each, data in outputs.items() if any(needle.encode() in data for needle in needles))
    if shown:
        attack.find("high", name, f"credentials of the proxy in {', '.join(shown)}", arguments, folder, sorted(needles), result)


def interrupt(attack, rng, port):
    """One start against a service that drips, and Ctrl-C."""
    operation = rng.choice(["register-client", "registration-code", "configuration", "authenticate", "mvpd-login", "assertion", "poll-token"])
    kind, pieces = rng.choice([("text/html", b"<a x="), ("text/html", b"<!--x"), ("application/json", b'{"a":'), ("application/xml", b"<a>..")]), 3000

    def hook(request, answer):
        if request.operation != operation:
            return answer.raw()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: " + kind[0].encode() + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
        return [head] + [part for _ in range(pieces) for part in (b"5\r\n" + kind[1] + b"\r\n", 0.01)]

    proxy, folder = Proxy(port, hook), attack.folder()
    attack.rig(folder, f"http://127.0.0.1:{proxy.port}", 8, engine=rng.choice(["direct", "multi"]), timeout="60s")
    arguments = rng.choice([["run", "rig.yaml", "--out", "out"], ["try", "rig.yaml", "--out", "out"], ["race", "rig.yaml", "--plan", "poll-authenticate", "--out", "out"]])
    twice, told = rng.random() < 0.5, []

    def during(process):
        try:
            time.sleep(rng.choice([0.5, 1.5]))
            told.append(time.monotonic())
            os.kill(process.pid, signal.SIGINT)
            if twice:
                time.sleep(0.3)
                os.kill(process.pid, signal.SIGINT)
        except ProcessLookupError:
            pass
    result = attack.run(arguments, folder, timeout=30, during=during)
    took = time.monotonic() - told[0] if told else 0
    name = f"Ctrl-C {'twice' if twice else 'once'} {operation} {kind}"
    if result.code != 130 and told:
        attack.find("medium", name, f"exit code {result.code}, not 130", arguments, folder, round(took, 1), result)
    if took > (3 if twice else 6.5):
        attack.find("high", name, f"ended {took:.0f} s after Ctrl-C", arguments, folder, "", result)


def main():
    attack = Attack(__doc__, 40)
    port = attack.serve()
    while attack.attempts < attack.options.count:
        rng = random.Random(f"{attack.options.seed}/{attack.attempts}")
        if attack.attempts % 3 < 2:
            credentials(attack, rng)
        else:
            interrupt(attack, rng, port)
        attack.attempts += 1
    attack.end()


if __name__ == "__main__":
    main()
