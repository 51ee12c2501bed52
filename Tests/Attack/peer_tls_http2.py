#!/usr/bin/env python3
"""Attacks what reads certificates and HTTP/2: certificates whose names hold markup, escape sequences, line ends, NULs and
other hosts, and frames of HTTP/2 after a true handshake that are cut, swollen, out of order or for other streams. Needs
the `openssl` program. An attempt is one certificate, or one household whose connection was answered with one trick.
Nothing of a name may reach the terminal or a file as a control character or as markup, and no wrong certificate passes."""
import os
import random
import re
import ssl
import struct
import subprocess
import socket
import threading

from peers import Attack, Proxy, Answer

NAMES = ["<script>zqx()</script>", "\x1b[2J\x1b]0;zqx\x07", "a\r\nINJECTED: zqx", "127.0.0.1\x00.evil.test", "*", "*.0.0.1", "127.0.0.*", "=zqx()", "x" * 64, "\u202e1.0.0.721", "\x9b2Jzqx", "'; touch zqx-made; '", "%s%s%n%x", "127.0.0.1 ", " 127.0.0.1",
         "localhost", "127.0.0.2", "0.0.0.0", "::1", "good.test", "]]>", "\x7f\x08\x08", "é" * 20, "\"", "CN=127.0.0.1", "127.0.0.1/emailAddress=a"]
SANS = ["", "DNS:127.0.0.1", "DNS:*", "IP:127.0.0.2", "IP:::1", "DNS:localhost", "email:a@127.0.0.1", "URI:https://127.0.0.1/", "DNS:zqx.test", "IP:127.0.0.1"]


def certificate(folder, name, san, days):
    """A self-signed certificate; None where openssl refuses it."""
    config = os.path.join(folder, "ssl.cnf")
    escaped = "".join("\\" + c if c in "\\$#\"';" else c for c in name.replace("\x00", "\\0").replace("\r", "").replace("\n", "\\n"))
    with open(config, "w", encoding="utf-8", newline="") as file:
        file.write("[req]\nprompt=no\ndistinguished_name=dn\nutf8=yes\nstring_mask=utf8only\nx509_extensions=ext\n[dn]\nCN=\"" + escaped + "\"\nO=\"" + escaped + "\"\n[ext]\nbasicConstraints=CA:TRUE\n" + (f"subjectAltName={san}\n" if san else ""))
    made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", str(days), "-config", config, "-utf8", "-keyout", os.path.join(folder, "key.pem"), "-out", os.path.join(folder, "cert.pem")], capture_output=True)
    if made.returncode:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem"))
    return context


def frame(kind, flags, stream, payload=b"", length=None):
    return struct.pack(">I", len(payload) if length is None else length)[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def text(data):
    return bytes([len(data)]) + data if len(data) < 127 else b"\x7f" + varint(len(data) - 127) + data


def varint(number):
    out = b""
    while number >= 128:
        out, number = out + bytes([number % 128 + 128]), number // 128
    return out + bytes([number])


def headers(*pairs):
    return b"".join(b"\x00" + text(n) + text(v) for n, v in pairs)


def trick(rng, stream):
    """Frames for one request of a stream."""
    ok = frame(1, 4, stream, headers((b":status", b"200"), (b"content-type", b"application/json")))
    body = b'{"requestor":"DEMOTV","mvpd":"DemoSat","userId":"smuggled-user","expires":"4000000000000"}'
    kind = rng.randrange(26)
    if kind == 0:
        return ok + frame(0, 1, stream + 2 * rng.randrange(1, 9), body)
    if kind == 1:
        return ok + frame(0, 1, 0, body)
    if kind == 2:
        return frame(5, 4, stream, struct.pack(">I", 2) + headers((b":method", b"GET"), (b":path", b"/x"), (b":scheme", b"https"), (b":authority", b"evil.test"))) + ok + frame(0, 1, stream, body)
    if kind == 3:
        return frame(1, 0, stream, headers((b":status", b"200"))) + b"".join(frame(9, 0, stream, headers((b"x%d" % i, b"y" * 4000))) for i in range(rng.choice([3, 300])))
    if kind == 4:
        return frame(4, 0, 0, struct.pack(">HI", rng.randrange(9), rng.choice([0, 1, 2**31, 2**32 - 1])) * rng.choice([1, 2000])) + ok + frame(0, 1, stream, body)
    if kind == 5:
        return frame(6, 0, 0, b"12345678") * rng.choice([1, 20000]) + ok + frame(0, 1, stream, body)
    if kind == 6:
        return frame(3, 0, stream, struct.pack(">I", rng.choice([0, 1, 7, 8, 11, 13, 2**32 - 1])))
    if kind == 7:
        return frame(7, 0, 0, struct.pack(">II", rng.choice([0, stream, 2**31 - 1]), rng.randrange(15)) + b"\x1b[2J<zqx>" * 50)
    if kind == 8:
        return frame(8, 0, rng.choice([0, stream]), struct.pack(">I", rng.choice([0, 2**31 - 1]))) * 3 + ok + frame(0, 1, stream, body)
    if kind == 9:
        return frame(1, 4, stream, bytes(rng.randrange(256) for _ in range(rng.choice([1, 40, 900]))))
    if kind == 10:
        return ok + ok + frame(0, 1, stream, body)
    if kind == 11:
        return ok + frame(0, 0, stream, body) + frame(1, 5, stream, headers((b":status", b"200"), (b"x", b"y")))
    if kind == 12:
        return frame(1, 4, stream, headers((b":status", rng.choice([b"", b"99", b"2000", b"-1", b"abc", b"\x00", b"200 OK"])))) + frame(0, 1, stream, body)
    if kind == 13:
        return frame(1, 4, stream, headers((b":status", b"200"), (b":status", b"404"), (b":path", b"/"))) + frame(0, 1, stream, body)
    if kind == 14:
        return frame(1, 4, stream, headers((b":status", b"200"), (b"content-length", rng.choice([b"5", b"-1", b"99999999999999999999"])))) + frame(0, 1, stream, body)
    if kind == 15:
        return frame(1, 4, stream, headers((b":status", b"200"), (b"X-Upper", b"a\r\nb: c"), (b"x\r\ny", b"z"), (b"", b""), (b"set-cookie", b"a=\x1b[2J"))) + frame(0, 1, stream, body)
    if kind == 16:
        return frame(1, 4, stream, headers((b":status", rng.choice([b"100", b"103"])))) * rng.choice([1, 3000]) + ok + frame(0, 1, stream, body)
    if kind == 17:
        return ok + frame(0, 0, stream, b"") * 20000 + frame(0, 1, stream, body)
    if kind == 18:
        return ok + b"".join(frame(0, 0, stream, b" " * 16384) for _ in range(80)) + frame(0, 1, stream, body)
    if kind == 19:
        return ok + frame(0, 9, stream, b"\xff" + body)
    if kind == 20:
        return frame(rng.randrange(10, 256), rng.randrange(256), rng.choice([0, stream, 2**31 - 1]), body, rng.choice([None, 2**24 - 1])) + ok + frame(0, 1, stream, body)
    if kind == 21:
        return ok + frame(0, 1, stream, body) + frame(0, 1, stream, body) * 3
    if kind == 22:
        return frame(1, 4, stream, b"\x00" + b"\x7f" + b"\xff" * rng.choice([3, 9, 30]))
    if kind == 23:
        return frame(1, 4, stream, b"\x3f\xe1\xff\xff\xff\x0f" + headers((b":status", b"200"))) + frame(0, 1, stream, body)
    if kind == 24:
        return (ok + frame(0, 1, stream, body))[:rng.randrange(1, 80)]
    data = bytearray(ok + frame(0, 1, stream, body))
    for _ in range(rng.choice([1, 4])):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def speak(client, rng):
    """One connection of HTTP/2: settings, then a trick for each request; every third connection begins with honest 404s."""
    try:
        client.settimeout(6)
        file = client.makefile("rb")
        if not file.read(24).startswith(b"PRI"):
            return
        client.sendall(frame(4, 0, 0))
        honest = rng.choice([0, 1, 3])
        while len(head := file.read(9)) == 9:
            size, kind, flags, stream = int.from_bytes(head[:3], "big"), head[3], head[4], int.from_bytes(head[5:], "big")
            file.read(size)
            if kind == 4 and not flags & 1:
                client.sendall(frame(4, 1, 0))
            if kind in (0, 1) and flags & 1:
                honest -= 1
                client.sendall(frame(1, 5, stream, headers((b":status", b"404"))) if honest >= 0 else trick(rng, stream))
                if rng.random() < 0.2:
                    return
    except OSError:
        pass
    finally:
        client.close()


def main():
    attack = Attack(__doc__, 300)
    rng = attack.random
    while attack.attempts < attack.options.count:
        folder = attack.folder()
        if rng.random() < 0.5:
            name, san = rng.choice(NAMES), rng.choice(SANS)
            context = certificate(folder, name, san, rng.choice([1, 1, 9999]))
            if context is None:
                continue
            proxy = Proxy(None, lambda request, answer: Answer(404, [], b"").raw(), wrap=lambda sock: context.wrap_socket(sock, server_side=True))
            trusted = rng.random() < 0.5
            attack.rig(folder, f"https://127.0.0.1:{proxy.port}", 1, engine=rng.choice(["direct", "multi"]), target="  tls: {ca: cert.pem}\n" if trusted else "")
            arguments = [rng.choice(["try", "run"]), "rig.yaml", "--out", "out"]
            result = attack.run(arguments, folder, timeout=40)
            attack.attempts += 1
            attack.judge(f"certificate {name!r} {san}", result, arguments, folder)
            if proxy.requests and (not trusted or san not in ("IP:127.0.0.1", "DNS:127.0.0.1") and not (san == "" and name.strip() == "127.0.0.1")):
                attack.find("high", f"certificate {name!r} {san}", "a wrong certificate was taken", arguments, folder, trusted, result)
        else:
            context = certificate(folder, "127.0.0.1", "IP:127.0.0.1", 1)
            context.set_alpn_protocols(["h2"])
            listener = socket.create_server(("127.0.0.1", 0))

            def accept():
                while True:
                    try:
                        client, _ = listener.accept()
                        client.settimeout(6)
                        client = context.wrap_socket(client, server_side=True)
                    except ssl.SSLError:
                        continue
                    except OSError:
                        return
                    threading.Thread(target=speak, args=(client, random.Random(rng.random())), daemon=True).start()
            threading.Thread(target=accept, daemon=True).start()
            attack.rig(folder, f"https://127.0.0.1:{listener.getsockname()[1]}", 12, target="  tls: {ca: cert.pem}\n  http: 2\n  auth: none\n")
            arguments = ["run", "rig.yaml", "--out", "out", "--quiet"]
            result = attack.run(arguments, folder, timeout=60)
            attack.attempts += 12
            attack.judge("http/2", result, arguments, folder, codes=(1, 3, 4))
            listener.close()
            if result.code == 0:
                attack.find("high", "http/2", "passed", arguments, folder, "", result)
        for at, _, names in os.walk(os.path.join(folder, "out")):
            for each in names:
                with open(os.path.join(at, each), "rb") as file:
                    data = file.read()
                if re.search(rb"<script>zqx|<zqx>", data) and not each.endswith((".sqlite", ".json", ".csv", ".yaml")):
                    attack.find("high", "markup", f"in {each}", arguments, folder, "", result)
                if not each.endswith(".sqlite") and re.search(rb"\x1b\[|\xc2\x9b|INJECTED: zqx\n", data):
                    attack.find("medium", "control", f"in {each}", arguments, folder, "", result)
    attack.end()


if __name__ == "__main__":
    main()
