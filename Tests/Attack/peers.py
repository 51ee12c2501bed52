"""What the attacks by peers share: a proxy that spoils a healthy conversation, and an eye on the binary.

`screenrig serve` is the healthy service. The proxy stands before it on raw sockets, knows the household of each
request by its X-Screenrig header, and hands request and answer to a hook, which returns the bytes to send.
"""
import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TRAP = re.compile(r"Fatal error|Swift runtime failure|Program crashed|Simultaneous access|Illegal instruction")
RIG = """rig: attack
target:
  base: {base}
  timeout: {timeout}
  engine: {engine}
  format: {format}
{target}load:
  closed: {{households: {households}}}
  settle: 1s
kinds:
  - name: living room
    viewer: {{notices-code: 50ms, signs-in: 50ms, gives-up: 0%}}
{kind}polling: {{every: 200ms}}
lanes: 1
after-sign-in: [user-metadata, preauthorize, authorize, media-token, {{logout: 100%}}]
{rest}"""
OPERATIONS = [("register-client", "/o/client/register"), ("access-token", "/o/client/token"), ("check-code", "/checkauthn/"),
              ("check-authentication", "/checkauthn"), ("registration-code", "/regcode?"), ("registration-record", "/regcode/"),
              ("configuration", "/config/"), ("authenticate", "/authenticate"), ("poll-token", "/tokens/authn"),
              ("user-metadata", "/usermetadata"), ("preauthorize", "/preauthorize"), ("media-token", "/tokens/media"),
              ("authorize", "/authorize"), ("logout", "/logout"), ("assertion", "/SAMLAssertionConsumer"),
              ("mvpd-login", "/mvpd/"), ("other", "")]
NAMES = [name for name, _ in OPERATIONS]


class Request:
    def __init__(self, method, target, headers, body):
        self.method, self.target, self.headers, self.body = method, target, headers, body
        self.values = {name.lower(): value for name, value in headers}
        parts = self.values.get("x-screenrig", "//").split("/")
        self.household = int(parts[1]) if len(parts) == 3 and parts[1].isdigit() else -1
        self.operation = next(name for name, path in OPERATIONS if path in target)


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def head(self, drop=(), length=True):
        lines = [f"HTTP/1.1 {self.status} Word"]
        lines += [f"{n}: {v}" for n, v in self.headers if n.lower() not in ("content-length", "transfer-encoding", *drop)]
        if length and self.status != 204:
            lines.append(f"Content-Length: {len(self.body)}")
        return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n"

    def raw(self):
        return self.head() + (b"" if self.status == 204 else self.body)


def read_message(file):
    """Start line, headers and body by length or chunks; None at the end."""
    first = file.readline(70000)
    if not first:
        return None
    headers = []
    while (line := file.readline(70000)).strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers.append((name.strip(), value.strip()))
    values = {name.lower(): value for name, value in headers}
    body = b""
    if "chunked" in values.get("transfer-encoding", ""):
        while size := int(file.readline() or b"0", 16):
            body += file.read(size)
            file.readline()
        file.readline()
    elif not (first.startswith(b"HTTP/1.1 204") or first.startswith(b"HTTP/1.1 304")):
        body = file.read(int(values.get("content-length", "0") or 0))
    return first.decode("latin-1").strip(), headers, body


class Proxy:
    """Listens on loopback. hook(request, answer) returns bytes, a list of bytes and pauses, or None to hang up."""

    def __init__(self, port, hook, wrap=None):
        self.upstream, self.hook, self.wrap, self.requests = port, hook, wrap, 0
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def healthy(self, request):
        """The answer of the healthy service."""
        if self.upstream is None:
            return Answer(404, [], b"")
        with socket.create_connection(("127.0.0.1", self.upstream), timeout=10) as up:
            path = re.sub(r"^https?://[^/]*", "", request.target)
            lines = [f"{request.method} {path} HTTP/1.1"]
            lines += [f"{n}: {v}" for n, v in request.headers if n.lower() not in ("connection", "expect")]
            lines.append("Connection: close")
            up.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + request.body)
            first, headers, body = read_message(up.makefile("rb")) or ("HTTP/1.1 502 x", [], b"")
            return Answer(int(first.split()[1]), [h for h in headers if h[0].lower() != "connection"], body)

    def serve(self, client):
        try:
            client.settimeout(40)
            if self.wrap:
                client = self.wrap(client)
            file = client.makefile("rb")
            while message := read_message(file):
                method, target, _ = (message[0].split(" ", 2) + ["", ""])[:3]
                self.requests += 1
                request = Request(method, target, message[1], message[2])
                parts = self.hook(request, self.healthy(request))
                if parts is None:
                    break
                for part in [parts] if isinstance(parts, bytes) else parts:
                    if isinstance(part, (int, float)):
                        time.sleep(part)
                    elif part is None:
                        return
                    else:
                        client.sendall(part)
        except (OSError, ValueError, IndexError):
            pass
        finally:
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            client.close()


class Result:
    def __init__(self, code, out, err, seconds, megabytes, late):
        self.code, self.out, self.err, self.seconds, self.megabytes, self.late = code, out, err, seconds, megabytes, late
        self.text = (out + err).decode("utf-8", "replace")


class Attack:
    def __init__(self, description, count, add=None):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--binary", required=True, help="the screenrig to attack")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--count", type=int, default=count, help="about how many attempts")
        parser.add_argument("--keep", default="", help="folder for what shows a finding")
        if add:
            add(parser)
        self.options = parser.parse_args()
        self.binary = os.path.abspath(self.options.binary)
        self.random = random.Random(self.options.seed)
        self.attempts = self.findings = self.starts = 0
        self.seen, self.children = {}, []
        self.home = tempfile.mkdtemp(prefix="attB-")

    def serve(self, *arguments):
        """Starts the healthy service; its port."""
        process = subprocess.Popen(["nice", "-n", "5", self.binary, "serve", "--port", "0", "--no-throttle", *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=self.home)
        self.children.append(process)
        return int(re.search(r":(\d+)", process.stdout.readline().decode()).group(1))

    def folder(self):
        return tempfile.mkdtemp(dir=self.home)

    def rig(self, folder, base, households=1, engine="auto", format="json", target="", kind="", rest="", timeout="1s"):
        path = os.path.join(folder, "rig.yaml")
        with open(path, "w") as file:
            file.write(RIG.format(base=base, households=households, engine=engine, format=format, target=target,
                                  kind=kind, rest=rest, timeout=timeout))
        return path

    def run(self, arguments, folder, timeout=60, env=None, memory=1 << 30, during=None):
        """Starts the binary once, and waits for it."""
        self.starts += 1
        out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": self.home, "LANG": "C.UTF-8", **(env or {})}
        began = time.monotonic()
        process = subprocess.Popen(["nice", "-n", "5", self.binary, *arguments], cwd=folder, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
        if during:
            threading.Thread(target=during, args=(process,), daemon=True).start()
        late = False
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - began > timeout and not late:
                late = True
                os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.01)
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read(8_000_000))
            file.close()
        return Result(process.returncode, *texts, time.monotonic() - began, usage.ru_maxrss / 1024, late)

    def judge(self, name, result, arguments, folder, codes=(0, 1, 2, 3, 4), memory=200, note=""):
        """What holds for every start."""
        before = self.findings
        if result.late:
            self.find("high", name, f"hang: ended by us after {result.seconds:.0f} s", arguments, folder, note, result)
        elif result.code < 0 or result.code >= 128:
            self.find("high", name, f"ended by a signal: {result.code}", arguments, folder, note, result)
        elif result.code not in codes:
            self.find("medium", name, f"exit code {result.code}, not one of {codes}", arguments, folder, note, result)
        if TRAP.search(result.text):
            self.find("high", name, "trap: " + TRAP.search(result.text).group(), arguments, folder, note, result)
        if result.megabytes > memory:
            self.find("medium", name, f"{result.megabytes:.0f} MB", arguments, folder, note, result)
        control = re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", result.out + result.err)
        if control:
            self.find("medium", name, f"control byte {control.group()!r} on the terminal", arguments, folder, note, result)
        return self.findings == before

    def find(self, severity, name, what, arguments, folder, note="", result=None):
        self.findings += 1
        key = (severity, re.sub(r"\d+", "#", what)[:120])
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] > 3:
            return
        kept = folder
        if self.options.keep:
            kept = os.path.join(self.options.keep, f"{os.path.basename(sys.argv[0])[:-3]}-{self.options.seed}-{self.findings}")
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept, symlinks=True)
            with open(os.path.join(kept, "note.txt"), "w") as file:
                file.write(f"{what}\n{note}\n" + (result.text if result else ""))
        print(f"{severity}: {name}: {what}: (cd {kept} && screenrig {' '.join(arguments)}) {str(note)[:400]}", flush=True)

    def summary(self, folder):
        try:
            with open(os.path.join(folder, "out", "summary.json")) as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def end(self):
        for child in self.children:
            child.terminate()
        for (severity, what), times in self.seen.items():
            if times > 3:
                print(f"again: {severity}: {what}: {times} times in all")
        shutil.rmtree(self.home, ignore_errors=True)
        print(f"starts of the binary: {self.starts}")
        print(f"attempts: {self.attempts}, findings: {self.findings}")
