"""What every attack of this folder shares: it starts the binary, watches it, and counts.

An attempt is one start of the binary. A finding is one line on standard output with the command
that shows it; the folder of the attempt is then kept under --keep.
"""
import argparse
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

TRAP = re.compile(r"Fatal error|Swift runtime failure|\*\*\* Program crashed|AddressSanitizer|exclusive access")
# A remedy or a place: an error line has to say more than that something failed.
FOUNDATION = re.compile(r"NSCocoaErrorDomain|NSPOSIXErrorDomain|Error Domain=|The operation could not be completed|"
                        r"DecodingError|EncodingError|Optional\(|SQLite error \d+: [^\n]* - while executing|UserInfo=")
CANARY = "s3cr3t-canary-4711"


class Result:
    def __init__(self, code, out, err, seconds, megabytes, timed_out):
        self.code, self.out, self.err = code, out, err
        self.seconds, self.megabytes, self.timed_out = seconds, megabytes, timed_out

    @property
    def text(self):
        return self.out + self.err


class Attack:
    """One script's run: its options, its random numbers, its counts."""

    def __init__(self, description, count=200, add=None):
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("--binary", required=True, help="the screenrig to attack")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--count", type=int, default=count, help="about how many attempts")
        parser.add_argument("--keep", default="", help="folder for inputs of findings")
        parser.add_argument("--only", default="", help="only attempts whose name matches this")
        if add:
            add(parser)
        self.options = parser.parse_args()
        self.binary = os.path.abspath(self.options.binary)
        self.random = random.Random(self.options.seed)
        self.attempts = 0
        self.findings = 0
        self.seen = {}
        self.home = tempfile.mkdtemp(prefix="attA-")
        self.rigs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "rigs")

    def folder(self, name="x"):
        made = os.path.join(self.home, f"{self.attempts}-{name}")
        shutil.rmtree(made, ignore_errors=True)
        os.makedirs(made)
        return made

    def wants(self, name):
        return re.search(self.options.only, name) is not None

    def environment(self, extra=None):
        base = {"PATH": os.environ.get("PATH", ""), "HOME": self.home, "LANG": "C.UTF-8",
                "XDG_STATE_HOME": os.path.join(self.home, "state")}
        base.update(extra or {})
        return {k: v for k, v in base.items() if v is not None}

    def run(self, arguments, folder, env=None, timeout=30, stdin=None, limits=None, stdout=None, stderr=None,
            during=None, preexec=None):
        """Starts the binary once. `during(process)` may send signals. Limits are (resource, value)."""
        self.attempts += 1

        def prepare():
            os.nice(5)
            os.setsid()
            for kind, value in limits or []:
                resource.setrlimit(kind, (value, value))
            if preexec:
                preexec()
        began = time.monotonic()
        # Output goes to files: a pipe that nobody reads would be a hang of our own.
        out_file = stdout if stdout is not None else tempfile.TemporaryFile()
        err_file = stderr if stderr is not None else tempfile.TemporaryFile()
        process = subprocess.Popen([self.binary] + list(arguments), cwd=folder, env=self.environment(env),
                                   stdin=stdin if stdin is not None else subprocess.DEVNULL,
                                   stdout=out_file, stderr=err_file, preexec_fn=prepare)
        helper = None
        if during:
            helper = threading.Thread(target=during, args=(process,), daemon=True)
            helper.start()
        timed_out = False
        status, usage = 0, None
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() - began > timeout:
                timed_out = True
                os.killpg(process.pid, signal.SIGKILL)
                _, status, usage = os.wait4(process.pid, 0)
                break
            time.sleep(0.004)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if helper:
            helper.join(5)
        texts = []
        for given, file in ((stdout, out_file), (stderr, err_file)):
            if given is None:
                file.seek(0)
                texts.append(file.read(4_000_000).decode("utf-8", "replace"))
                file.close()
            else:
                texts.append("")
        return Result(process.returncode, texts[0], texts[1], seconds, usage.ru_maxrss / 1024, timed_out)

    def judge(self, name, result, arguments, folder, codes=(0, 1, 2, 3, 4), memory=200, secrets=(CANARY,),
              place=True, signalled=False):
        """The rules that hold for every attempt. Returns whether it was in order."""
        problems = []
        if result.timed_out:
            problems.append(("high", f"hang: killed after {result.seconds:.0f} s"))
        elif result.code < 0 or result.code >= 128 and not (signalled and result.code in (129, 130, 141, 143)):
            if not (signalled and result.code in (-1, -2, -13, -15)):
                problems.append(("high", f"ended by signal or trap: {result.code}"))
        if TRAP.search(result.text):
            problems.append(("high", "trap: " + TRAP.search(result.text).group(0)))
        if not result.timed_out and 0 <= result.code < 128 and result.code not in codes:
            problems.append(("medium", f"exit code {result.code}, expected one of {list(codes)}"))
        if result.megabytes > memory:
            problems.append(("medium", f"{result.megabytes:.0f} MB"))
        for secret in secrets:
            if secret in result.text:
                problems.append(("high", f"shows the secret {secret}"))
        if result.code in (2, 3) and place and not result.text.strip():
            problems.append(("medium", f"exit code {result.code} without a word"))
        if FOUNDATION.search(result.text):
            problems.append(("low", "raw error: " + FOUNDATION.search(result.text).group(0)))
        for severity, what in problems:
            self.find(severity, name, what, arguments, folder, result)
        return not problems

    def find(self, severity, name, what, arguments, folder, result=None):
        self.findings += 1
        key = (name.split(":")[0], re.sub(r"[\d.]+", "#", what))
        self.seen[key] = self.seen.get(key, 0) + 1
        if self.seen[key] > 2:
            return
        kept = folder
        if self.options.keep:
            kept = os.path.join(self.options.keep, f"{os.path.basename(sys.argv[0])[:-3]}-{self.options.seed}-{self.attempts}")
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept, symlinks=True,
                            ignore=lambda at, names: [n for n in names if not os.path.islink(os.path.join(at, n)) and
                                                      not os.path.isfile(os.path.join(at, n)) and not os.path.isdir(os.path.join(at, n))])
            if result is not None:
                with open(os.path.join(kept, "stderr.txt"), "w") as file:
                    file.write(result.err[:20000])
        line = " ".join(shlex.quote(a if len(a) < 200 else a[:200] + "...") for a in arguments)
        print(f"{severity}: {name}: {what}: (cd {kept} && screenrig {line})", flush=True)
        if result is not None and result.err.strip():
            print("    " + result.err.strip().replace("\n", "\n    ")[:600], flush=True)

    def more(self):
        return self.attempts < self.options.count

    def end(self):
        for key, times in self.seen.items():
            if times > 2:
                print(f"again: {key[0]}: {key[1]}: {times} times in all")
        shutil.rmtree(self.home, ignore_errors=True)
        print(f"attempts: {self.attempts}, findings: {self.findings}")
