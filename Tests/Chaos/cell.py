"""One cell of the matrix: a command of screenrig against one peer, measured, and held against what must come of it."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import table
from bench import HERE, RIG

INTERRUPTED_SECONDS = 5
LIMIT_MEGABYTES = 200
FATAL_MEGABYTES = 1000


class Cell:
    """One fault, one command, one engine."""

    def __init__(self, fault, command, engine, bench):
        self.fault, self.command, self.engine, self.bench = fault, command, engine, bench
        self.name = f"{fault.label} {command} {engine}"
        self.problems, self.output, self.code, self.seconds, self.megabytes = [], "", None, 0.0, 0.0
        self.cause = ""

    def run(self):
        self.folder = tempfile.mkdtemp(dir=self.bench.folder)
        try:
            self.peer_command = [sys.executable, os.path.join(HERE, "peer.py"), self.fault.name, "--at", self.fault.at]
            if self.fault.certificate:
                self.peer_command += ["--certificate", self.bench.certificate(self.fault.certificate)]
            peer = subprocess.Popen(self.peer_command, stdout=subprocess.PIPE, text=True)
            try:
                self.base = peer.stdout.readline().strip()
                if self.fault.hosts:
                    self.base = self.base.replace("127.0.0.1", "chaos.test")
                self.play()
            finally:
                peer.kill()
                peer.wait()
            self.judge()
        except Exception as error:  # a defect of this program must not look like a finding
            self.problems.append(f"chaos.py itself: {error!r}")
        if not self.problems:
            shutil.rmtree(self.folder, ignore_errors=True)
        return self

    def arguments(self):
        """The command line of screenrig."""
        fault, command = self.fault, self.command
        allow = ["--allow", "chaos.test"] if fault.hosts else []
        ca = self.bench.certificate("good") if fault.certificate else None
        if command == "calibrate":
            return ["calibrate", "--target", self.base + "/api/v1/config/DEMOTV", "--connections", "4", "--for", "1s"
                    ] + allow + (["--ca", ca] if ca else [])
        extra = f"  tls: {{ca: {ca}}}\n" if ca else ""
        proxy = {"": "", "peer": self.base, "dead": "http://127.0.0.1:9"}[fault.proxy]
        if proxy:
            extra += f"  proxy: {proxy}\n"
        with open(os.path.join(self.folder, "rig.yaml"), "w") as file:
            file.write(RIG.format(base=self.base, engine=self.engine, http="2" if fault.http2 else "1.1", form=fault.form,
                                  extra=extra, lasts=f", for: {fault.lasts}" if fault.lasts else ""))
        if command == "replay":
            sets = [f"target.engine={self.engine}", "target.timeout=2s", f"target.format={fault.form}"]
            if proxy:
                sets.append(f"target.proxy={proxy}")
            if fault.http2:
                sets.append("target.http=2")
            if ca:
                sets.append(f"target.tls.ca={ca}")
            return ["replay", self.bench.case, "--times", "3", "--target", self.base, "--quiet"] + [
                part for each in sets for part in ("--set", each)] + allow
        extra = {"race": ["--plan", "poll-authenticate", "--trials", "6", "--for", "8s"],
                 "nightly": ["--nights", "nights.sqlite"]}.get(command, [])
        return [command, "rig.yaml", "--out", "out", "--quiet"] + extra + allow

    def play(self):
        fault = self.fault
        command = [self.bench.binary] + self.arguments()
        environment = dict(os.environ)
        if fault.clock_jump:
            environment |= {"LD_PRELOAD": self.bench.clock, "CHAOS_AFTER": "2", "CHAOS_JUMP": str(fault.clock_jump)}
        if fault.hosts:
            self.write_hosts(fault.hosts[0])
            with open(os.path.join(self.folder, "resolv.conf"), "w") as file:
                file.write("nameserver 127.0.0.1\n")
            mounts = "mount --bind hosts /etc/hosts && mount --bind resolv.conf /etc/resolv.conf && exec \"$@\""
            command = ["unshare", "-m" if os.geteuid() == 0 else "-rm", "sh", "-c", mounts, "sh"] + command
        self.shown = shlex.join(command)
        began = time.monotonic()
        with open(os.path.join(self.folder, "output.txt"), "w+") as output:
            process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, env=environment, start_new_session=True)
            limit = 2 + INTERRUPTED_SECONDS * 2 if fault.interrupts else fault.limit + float(fault.lasts.rstrip("s") or 0)
            timers = [threading.Timer(limit, self.end, [process.pid, "hang: it had to be killed"])]
            if fault.hosts:
                timers.append(threading.Timer(1.5, self.write_hosts, [fault.hosts[1]]))
            if fault.interrupts:
                timers += [threading.Timer(after, os.kill, [process.pid, signal.SIGINT]) for after in (2, 3)]
            for timer in timers:
                timer.start()
            over = threading.Event()
            threading.Thread(target=self.watch, args=[process.pid, over], daemon=True).start()
            _, status, usage = os.wait4(process.pid, 0)
            over.set()
            process.returncode = 0  # waited for
            for timer in timers:
                timer.cancel()
            self.seconds = time.monotonic() - began
            self.code, self.megabytes = os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024
            output.seek(0)
            self.output = output.read()

    def write_hosts(self, text):
        with open(os.path.join(self.folder, "hosts"), "w") as file:
            file.write("127.0.0.1 localhost\n" + text)

    def watch(self, pid, over):
        """Ends what eats this machine's memory, before it does."""
        while not over.wait(0.1):
            try:
                with open(f"/proc/{pid}/statm") as file:
                    megabytes = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2 ** 20
            except (OSError, IndexError):
                return
            if megabytes > FATAL_MEGABYTES:
                self.end(pid, f"memory: it had to be killed at {megabytes:.0f} MB")

    def end(self, pid, reason):
        self.problems.append(reason)
        os.kill(pid, signal.SIGKILL)

    def judge(self):
        fault, text = self.fault, " ".join(self.output.split())
        if self.problems:  # it had to be killed
            return
        if self.code < 0 or self.code >= 128 and self.code != 130 or "Fatal error" in text:
            self.problems.append(f"crash: exit {self.code}")
            return
        if self.code not in fault.codes[self.command]:
            right = " or ".join(map(str, sorted(fault.codes[self.command])))
            self.problems.append(f"exit code {self.code}, not {right}")
        if fault.interrupts and self.seconds > 2 + INTERRUPTED_SECONDS:
            self.problems.append(f"Ctrl-C took {self.seconds - 2:.1f} s")
        if self.megabytes >= LIMIT_MEGABYTES:
            self.problems.append(f"memory: {self.megabytes:.0f} MB")
        if re.search(r"Passed[^.]*\b0 of [1-9]", text) or (
                re.search(r"Passed", text) and "household did not sign in" in text):
            self.problems.append("it passed, and nobody signed in")
        found = re.search(fault.cause, text)
        if self.code not in (0, 130) and not found:
            self.problems.append(f"the cause is not named: /{fault.cause}/")
        wrong = re.search(fault.not_cause, text)
        if wrong:
            self.problems.append(f"wrong cause: '{text[max(0, wrong.start() - 60):wrong.end() + 60]}'")
        reports = self.command in ("run", "nightly", "try") and not fault.refused
        if reports and not os.path.exists(os.path.join(self.folder, "out/report.html")):
            self.problems.append("no report")
        self.cause = table.cause(self.output)
