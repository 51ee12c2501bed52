#!/usr/bin/env python3
"""Every fault of a peer, against every command that talks, over both engines: 0 crashes, 0 hangs, 0 wrong causes.

    make chaos                                              # the whole matrix; its table goes to docs/trust.md
    python3 Tests/Chaos/chaos.py --only 'stall|bomb' --command run --engine direct
    python3 Tests/Chaos/chaos.py --only '^h2-' --verbose    # with what each command printed

A cell is one process of screenrig against one process of peer.py. What must come of it stands in cells.py: exit codes,
a pattern of the cause, one of causes that would be wrong. Here stands what holds for each: it ends by itself, in time,
with less than 200 MB, without a signal, with its report, and it never passes when nobody signed in.
"""

import argparse
import concurrent.futures
import datetime
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

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "Foreign")]

import cells
import certificates
import table

INTERRUPTED_SECONDS = 5
LIMIT_MEGABYTES = 200
FATAL_MEGABYTES = 1000

RIG = """rig: chaos
target:
  base: {base}
  timeout: 2s
  engine: {engine}
  http: "{http}"
  format: {form}
  max-rate: none
{extra}load: {{closed: {{households: 4{lasts}}}, settle: 1s}}
kinds:
  - name: household
    viewer: {{notices-code: 100ms, signs-in: 100ms, gives-up: 0%}}
polling: {{every: 1s}}
after-sign-in: [user-metadata, preauthorize, authorize, media-token, {{logout: 100%}}]
lanes: 1
validity: {{on-breach: warn}}
"""


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
        if self.command in ("run", "nightly", "try") and not os.path.exists(os.path.join(self.folder, "out/report.html")):
            self.problems.append("no report")
        self.cause = table.cause(self, found)


class Bench:
    """What all cells share: the binary, certificates, a case to replay, the clock to preload."""

    def __init__(self, binary, folder):
        self.binary, self.folder, self.case, self.clock = os.path.abspath(binary), folder, "", ""
        self.certificates = {}

    def certificate(self, name):
        return self.certificates[name]

    def prepare(self):
        """Certificates, the clock and the case; what cannot be had here is said, and its cells are left out."""
        missing = []
        for name in certificates.NAMES:
            self.certificates[name] = certificates.make(self.folder, name)
        certificates.trust(self.certificates["good"], [self.certificates["name"], self.certificates["expired"]])
        self.clock = os.path.join(self.folder, "clock.so")
        try:
            subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.clock, os.path.join(HERE, "clock.c"), "-ldl"],
                           check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            missing.append("our own clock's jumps: no C compiler")
            self.clock = ""
        with open(os.path.join(self.folder, "case.yaml"), "w") as file:
            file.write(RIG.format(base="embedded", engine="auto", http="1.1", form="json", extra="", lasts=""))
        subprocess.run([self.binary, "run", "case.yaml", "--out", "case", "--quiet", "--fault", "ack-before-apply:window=3s"],
                       cwd=self.folder, capture_output=True, timeout=120)
        self.case = os.path.join(self.folder, "case/cases/sign-in-visible.json")
        if not os.path.exists(self.case):
            sys.exit("no case to replay came of 'run --fault ack-before-apply:window=3s'")
        try:
            subprocess.run(["unshare", "-m" if os.geteuid() == 0 else "-rm", "true"], check=True, capture_output=True)
            self.has_mounts = True
        except (OSError, subprocess.CalledProcessError):
            missing.append("names that change: no mount namespace here")
            self.has_mounts = False
        return missing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, ".build/release/screenrig"))
    parser.add_argument("--only", default="", metavar="PATTERN", help="of a cell's name: fault, command, engine")
    parser.add_argument("--command", choices=cells.COMMANDS)
    parser.add_argument("--engine", choices=cells.ENGINES)
    parser.add_argument("--jobs", type=int, default=3, help="cells at a time")
    parser.add_argument("--page", metavar="FILE", help="write the table between the markers of this page")
    parser.add_argument("--verbose", action="store_true", help="what each command printed")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="chaos-")
    bench = Bench(options.binary, folder)
    missing = bench.prepare()
    chosen = [cell for fault in cells.faults() for command in fault.commands for engine in fault.engines
              if not (command == "calibrate" and engine == "multi")  # it has one engine
              and not (fault.clock_jump and not bench.clock) and not (fault.hosts and not bench.has_mounts)
              for cell in [Cell(fault, command, engine, bench)]
              if re.search(options.only, cell.name) and options.command in (None, command)
              and options.engine in (None, engine)]
    began, done = time.monotonic(), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(cell.run) for cell in chosen]):
            cell = future.result()
            done.append(cell)
            print(f"{len(done):4}/{len(chosen)}  {cell.name:52} exit {cell.code}  {cell.seconds:5.1f} s  {cell.megabytes:4.0f} MB  "
                  + ("; ".join(cell.problems) or cell.cause[:80]), flush=True)
            if cell.problems:
                print(f"           peer: {shlex.join(cell.peer_command)}\n           rig:  (cd {cell.folder} && {cell.shown})",
                      flush=True)
            if options.verbose:
                print(cell.output, flush=True)
    minutes = (time.monotonic() - began) / 60
    order = {id(cell): position for position, cell in enumerate(chosen)}
    done.sort(key=lambda cell: order[id(cell)])
    bad = [cell for cell in done if cell.problems]
    summary = table.summary(done, minutes, datetime.date.today(), missing)
    print(summary)
    if options.page:
        table.write(options.page, "chaos", summary + "\n\n" + table.markdown(done))
    if not bad:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
