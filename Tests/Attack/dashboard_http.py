#!/usr/bin/env python3
"""Attacks the two HTTP servers that screenrig itself is: the dashboard and the metrics of a run, and the stand-in of `serve`.
Spoilt requests (start lines, lengths, chunks, hosts, origins, drips, half-open connections); the dashboard must answer to
names of this machine with its own port only. An attempt is one connection. Afterwards both must still answer, and the run
must end with its report in its own time."""
import json
import os
import random
import re
import signal
import socket
import subprocess
import time

from peers import Attack

HOSTS = ["evil.test", "evil.test:{p}", "localhost:{q}", "localhost", "127.0.0.1", "127.0.0.1:{p}.evil.test", "localhost:{p}@evil.test", "evil.test@localhost:{p}", "localhost.evil.test:{p}", "127.0.0.1:{p}:80",
         "localhost:{p},evil.test", "localhost:{p} evil.test", "localhost.:{p}", "localhost:0{p}", "localhost:+{p}", "[::1]:{q}", "[::2]:{p}", "0.0.0.0:{p}", "127.0.0.2:{p}", "127.1:{p}", "2130706433:{p}", "0x7f000001:{p}",
         "[::ffff:127.0.0.1]:{p}", "[0:0:0:0:0:0:0:1]:{p}", "", " ", "localhost:{p}/", "localhost:{p}#", "http://localhost:{p}", "localhost\x00:{p}", "localhost:{p}\x00", "ｌocalhost:{p}", "localhost:６４", "a.localhost:{p}", "localhost:{p}\tx",
         "*", "localhost:", "127.0.0.1:{p}%", "127.0.0.1%00:{p}", "::1:{p}", "::1"]
GOOD = ["localhost:{p}", "127.0.0.1:{p}", "[::1]:{p}", "LocalHost:{p}"]
PATHS = ["/", "/events", "/state.json", "/metrics", "/../../etc/passwd", "//evil.test/", "/%2e%2e/", "*", "http://evil.test/", "/?" + "a" * 9000, "/" + "a" * 100000, "", " ", "/\x00", "/events?x=<script>", "/state.json?callback=x", "/é", "/#", "/%"]
METHODS = ["GET", "HEAD", "POST", "OPTIONS", "TRACE", "CONNECT", "DELETE", "get", "G" * 9000, "", "GET\x00", "PRI", "M-SEARCH", "\x16\x03\x01"]


def request(rng, port):
    """(bytes, whether its one Host is wrong)."""
    kind = rng.randrange(12)
    good = rng.choice(GOOD).replace("{p}", str(port))
    host, wrong = (rng.choice(HOSTS).replace("{p}", str(port)).replace("{q}", str(port + 1)), True) if kind < 4 else (good, False)
    path = rng.choice(PATHS[:4]) if kind < 6 else rng.choice(PATHS)
    method = "GET" if kind < 7 else rng.choice(METHODS)
    version = "HTTP/1.1" if kind < 8 else rng.choice(["HTTP/1.0", "HTTP/2.0", "HTTP/1.9", "", "HTTP/1.1 x", "HTTP/99999999999999999999.1"])
    lines = [f"{method} {path} {version}", f"Host: {host}"]
    if kind == 4:
        wrong = True
        lines.insert(1, rng.choice(["Host: evil.test", f"Host: evil.test:{port}"])) if rng.random() < 0.5 else lines.append("Host: evil.test")
    if kind == 5:
        del lines[1]
        wrong = True
    for _ in range(rng.choice([0, 0, 1, 3])):
        lines.append(rng.choice(["Content-Length: -1", "Content-Length: 99999999999999999999", "Content-Length: 5", "Transfer-Encoding: chunked", "Transfer-Encoding: x", "Connection: upgrade\r\nUpgrade: websocket",
                                 "Expect: 100-continue", "X: " + "y" * 90000, "X" * 20000 + ": y", " folded", "NoColon", ": x", "Last-Event-ID: 99999999999999999999", "Range: bytes=-1", "Accept-Encoding: gzip",
                                 "\r\n".join(f"A{i}: b" for i in range(3000)), "Content-Length: 5\r\nContent-Length: 6", "Origin: http://evil.test", "Origin: null", "Cookie: " + "a=b;" * 3000]))
    data = "\r\n".join(lines).encode("utf-8") + b"\r\n\r\n"
    if kind == 8:
        data += rng.choice([b"x" * 100, b"ffffffffffffffff\r\nx", b"-1\r\n", b"5\r\nabcde\r\n0\r\n\r\n", b"0\r\n" + b"T: x\r\n" * 5000 + b"\r\n", b"x" * 2_000_000])
    if kind == 9:
        data = data * rng.choice([2, 50, 500])
    if kind == 10:
        data = bytearray(data)
        for _ in range(rng.choice([1, 5])):
            data[rng.randrange(min(len(data), 200))] = rng.randrange(256)
        wrong = False
    if kind == 11:
        data = rng.choice([b"\x00" * 5000, b"\r\n" * 5000, os.urandom(0) + bytes(rng.randrange(256) for _ in range(3000)), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\x00\x00\xff\x04" * 999, b"GET", b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 100000])
        wrong = False
    return bytes(data), wrong


def ask(data, port, rng, seconds=1.0):
    """Sends, and reads what comes within the time, at most 64 kB."""
    got = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=seconds) as sock:
            if rng.random() < 0.1:
                for at in range(0, min(len(data), 60), 7):
                    sock.sendall(data[at:at + 7])
                    time.sleep(0.005)
                data = data[min(len(data), 60):] if len(data) > 60 else b""
            sock.sendall(data)
            if rng.random() < 0.3:
                sock.shutdown(socket.SHUT_WR)
            if rng.random() < 0.1:
                return got
            sock.settimeout(0.25)
            while len(got) < 65536 and (part := sock.recv(65536)):
                got += part
                if b"event-stream" in got:
                    break
    except OSError:
        pass
    return got


def memory(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) / 1024


def main():
    attack = Attack(__doc__, 600)
    rng = attack.random
    service = attack.serve()
    folder = attack.folder()
    attack.rig(folder, f"http://127.0.0.1:{service}", rest="")
    text = open(os.path.join(folder, "rig.yaml")).read().replace("closed: {households: 1}", "closed: {households: 2, for: 10m}")
    with open(os.path.join(folder, "rig.yaml"), "w") as file:
        file.write(text)
    error = open(os.path.join(folder, "stderr.txt"), "wb")
    arguments = ["run", "rig.yaml", "--out", "out", "--dashboard", "--metrics", "--max-rate", "20/s"]
    run = subprocess.Popen([attack.binary, *arguments], cwd=folder, stdout=error, stderr=error)
    attack.children.append(run)
    ports = []
    for _ in range(100):
        time.sleep(0.1)
        ports = [int(p) for p in re.findall(r"http://[^ :]+:(\d+)", open(os.path.join(folder, "stderr.txt")).read()) if int(p) != service]
        if len(set(ports)) >= 2:
            break
    ports = sorted(set(ports))
    print("dashboard and metrics:", ports, flush=True)
    # Connections that say nothing, or half of a request, stay open throughout.
    silent = []
    for number in range(120):
        try:
            sock = socket.create_connection(("127.0.0.1", rng.choice(ports + [service])), timeout=2)
            sock.sendall(b"" if number % 3 else b"GET / HTTP/1.1\r\nHost: lo")
            silent.append(sock)
        except OSError:
            pass
    while attack.attempts < attack.options.count and run.poll() is None:
        port = rng.choice(ports + [service])
        data, wrong = request(rng, port)
        attack.attempts += 1
        got = ask(data, port, rng)
        name = f"attempt {attack.attempts} port {'service' if port == service else 'dashboard'}"
        if wrong and port != service and got[:13] in (b"HTTP/1.1 200 ", b"HTTP/1.0 200 "):
            attack.find("high", name, f"answered to {data[:160]!r}", arguments, folder, got[:200])
        if b"<script>" in data and b"x=<script>" in got:
            attack.find("high", name, "repeats the query as HTML", arguments, folder, got[:300])
        if port != service and re.search(rb"Access-Control-Allow-Origin", got, re.I):
            attack.find("medium", name, "lets other origins read", arguments, folder, got[:300])
        if attack.attempts % 100 == 0:
            for port, path in [(p, "/") for p in ports] + [(service, "/_standin/counters")]:
                answer = ask(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode(), port, random.Random(3), 5)
                if not answer.startswith(b"HTTP/1.1 "):
                    answer = ask(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode(), port, random.Random(5), 5)
                if not answer.startswith(b"HTTP/1.1 "):
                    attack.find("high", name, f"port {port} answers no more", arguments, folder, answer[:200])
    for what, process in (("run", run), ("serve", attack.children[0])):
        if process.poll() is not None:
            attack.find("high", what, f"ended: {process.returncode}", arguments, folder, open(os.path.join(folder, "stderr.txt")).read()[-1500:])
        else:
            print(f"{what}: {memory(process.pid):.0f} MB at most", flush=True)
            if memory(process.pid) > 200:
                attack.find("medium", what, f"{memory(process.pid):.0f} MB", arguments, folder)
    run.send_signal(signal.SIGINT)
    try:
        code = run.wait(12)
        if code != 130:
            attack.find("medium", "run", f"exit code {code} after Ctrl-C, not 130", arguments, folder)
    except subprocess.TimeoutExpired:
        attack.find("high", "run", "still there 12 s after Ctrl-C, with silent connections open", arguments, folder)
        run.kill()
    for process, name in ((attack.children[0], "serve"),):
        process.send_signal(signal.SIGINT)
        try:
            process.wait(8)
        except subprocess.TimeoutExpired:
            attack.find("high", name, "still there 8 s after Ctrl-C, with silent connections open", arguments, folder)
            process.kill()
    if not attack.summary(folder):
        attack.find("high", "run", "left no summary", arguments, folder, json.dumps(os.listdir(folder)))
    attack.end()


if __name__ == "__main__":
    main()
