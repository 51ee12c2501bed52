#!/usr/bin/env python3
"""Fuzzes the readers of Tests/FuzzTests with libFuzzer, one after the other on one core.

    fuzz.py [--seconds N] [--runs N] [--no-build] [READER ...]

Each reader is done after --runs executions or --seconds of processor time, whichever comes first. What a run
has found so far stays in .build-fuzz/corpus and is gone on from. At its end Tests/FuzzTests/Corpus gets
the inputs that reach new code; what broke something is made small and put into its folder crashes;
docs/trust.md gets the figures. Exit code 1: something broke.
"""

import argparse
import datetime
import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TESTS = os.path.join(ROOT, "Tests/FuzzTests")
CORPUS = os.path.join(TESTS, "Corpus")
BUILD = os.path.join(ROOT, ".build-fuzz")
PROGRAM = os.path.join(BUILD, "release/fuzz")
PAGE = os.path.join(ROOT, "docs/trust.md")
MARKS = ("<!-- fuzzing -->\n", "<!-- end of fuzzing -->")

# A trap ends a run; after so many different ones the reader needs mending, not more fuzzing.
CRASHES_AT_MOST = 10

# Of each reader's corpus in the repository, beside the files with names of their own.
FILES_AT_MOST = 150
BYTES_AT_MOST = 200_000


def build():
    # Optimised, but with overflow and bounds checks, like what users run; every edge of our own code,
    # of Yams and of NIO is counted. Inlined less, so that stacks name functions.
    command = [
        "swift", "build", "-c", "release", "--product", "fuzz", "--scratch-path", BUILD,
        "--sanitize=fuzzer", "-Xswiftc", "-enable-testing",
    ]
    subprocess.run(command, cwd=ROOT, check=True, env=dict(os.environ, SCREENRIG_FUZZ="1"))


def readers():
    """Names, and the longest input of each."""
    found = []
    for folder, _, names in os.walk(os.path.join(TESTS, "Readers")):
        for name in names:
            with open(os.path.join(folder, name)) as file:
                found += re.findall(r'Reader\("(\w+)", limit: ([\d_]+)\)', file.read())
    return {name: int(limit.replace("_", "")) for name, limit in sorted(found)}


def files(folder):
    if not os.path.isdir(folder):
        return []
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def processor():
    """Seconds of processor time of all that was called: on a busy machine less than passed."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def is_hash(path):
    """Whether libFuzzer named it."""
    return re.fullmatch("[0-9a-f]{40}", os.path.basename(path)) is not None


class Reader:
    def __init__(self, name, limit):
        self.name = name
        self.limit = limit
        self.seeds = os.path.join(CORPUS, name)
        self.crashes = os.path.join(CORPUS, "crashes", name)
        self.work = os.path.join(BUILD, "corpus", name)
        self.artifacts = os.path.join(BUILD, "artifacts", name)
        for folder in (self.work, self.artifacts):
            os.makedirs(folder, exist_ok=True)
        self.executions = 0
        self.edges = 0
        self.found = []

    def call(self, *arguments, limit=None):
        """Runs the program; its exit code and what it said."""
        env = dict(os.environ, SCREENRIG_READER=self.name, TMPDIR=os.path.join(BUILD, "tmp"))
        env["SWIFT_BACKTRACE"] = "enable=no"
        os.makedirs(env["TMPDIR"], exist_ok=True)
        command = ["nice", PROGRAM, "-timeout=10", "-rss_limit_mb=1500", *arguments]
        log = os.path.join(self.artifacts, "log")
        with open(log, "wb") as output:
            try:
                code = subprocess.run(
                    command, cwd=BUILD, env=env, stdout=output, stderr=output, timeout=limit
                ).returncode
            except subprocess.TimeoutExpired:
                code = -1
        return code, contents(log).decode("utf-8", "replace")

    def fuzz(self, seconds, runs):
        began = processor()
        open_crashes = [path for path in files(self.crashes) if self.call(path)[0] != 0]
        for path in open_crashes:
            self.found.append(os.path.basename(path))
            print(f"  still broken: {path}", flush=True)
        folders = [self.work, self.seeds]
        if os.path.isdir(self.crashes) and not open_crashes:
            folders.append(self.crashes)
        dictionary = os.path.join(TESTS, "Dictionaries", self.name + ".dict")
        while len(self.found) < CRASHES_AT_MOST:
            left = int(seconds - (processor() - began))
            if left <= 0 or self.executions >= runs:
                break
            code, said = self.call(
                f"-max_total_time={left}", f"-runs={runs - self.executions}",
                f"-max_len={self.limit}", f"-dict={dictionary}", "-print_final_stats=1",
                "-report_slow_units=5", "-use_value_profile=0",
                f"-artifact_prefix={self.artifacts}/", *folders, limit=left + 300)
            done = re.findall(r"stat::number_of_executed_units: (\d+)", said)
            steps = re.findall(r"^#(\d+)\t.*?cov: (\d+)", said, re.M)
            self.executions += int(done[-1]) if done else int(steps[-1][0]) if steps else 0
            if steps:
                self.edges = max(self.edges, int(steps[-1][1]))
            if code != 0 and not self.keep(said):
                print(f"  ended with {code} and no input:\n{said[-2000:]}", flush=True)
                break
        self.seconds = processor() - began

    def keep(self, said):
        """Makes what broke something small, names it and puts it to the crashes."""
        artifact = re.findall(r"Test unit written to (\S+)", said)
        if not artifact or not os.path.exists(artifact[-1]):
            return False
        path = artifact[-1]
        kind = os.path.basename(path).split("-")[0]
        data = contents(path)
        if kind == "crash":
            small = path + ".small"
            self.call(
                "-minimize_crash=1", "-max_total_time=30", f"-exact_artifact_path={small}", path,
                limit=120)
            if os.path.exists(small):
                data = contents(small)
        name = f"{kind}-{self.place(said)}-{hashlib.sha1(data).hexdigest()[:8]}"
        os.makedirs(self.crashes, exist_ok=True)
        with open(os.path.join(self.crashes, name), "wb") as file:
            file.write(data)
        self.found.append(name)
        print(f"  {name}: {self.sentence(said)}", flush=True)
        return True

    @staticmethod
    def sentence(said):
        lines = re.findall(r"^.*(?:Fatal error|ERROR: libFuzzer).*$", said, re.M)
        return lines[0].strip()[:300] if lines else ""

    @staticmethod
    def place(said):
        """Where it broke, as a part of a file's name: a broken property's words, or our innermost file."""
        broken = re.search(r"Entry\.swift:\d+: Fatal error: \w+: (.*)", said)
        if broken:
            return "-".join(re.findall(r"[a-z]+", broken.group(1).lower())[:5])
        for line in re.findall(r"^\s*#\d+ 0x\w+ in (.*)$", said, re.M):
            found = re.search(r"/(?:Sources|Readers)/.*?(\w+)\.swift", line)
            if found and "/checkouts/" not in line:
                return found.group(1)
        return "somewhere"

    def merge(self):
        """Makes the corpus of the repository anew: the files with names of their own, and the fewest
        others by which all code is reached that was reached."""
        cover = os.path.join(BUILD, "cover", self.name)
        shutil.rmtree(cover, ignore_errors=True)
        os.makedirs(cover)
        code, said = self.call(
            "-set_cover_merge=1", "-use_counters=0", f"-max_len={self.limit}", cover, self.seeds,
            self.work, limit=900)
        if code != 0:
            print(f"  could not merge:\n{said[-1000:]}", flush=True)
            return
        named = [path for path in files(self.seeds) if not is_hash(path)]
        for path in files(self.seeds):
            if is_hash(path):
                os.remove(path)
        known = {contents(path) for path in named}
        size = 0
        for path in sorted(files(cover), key=os.path.getsize)[:FILES_AT_MOST]:
            size += os.path.getsize(path)
            if size > BYTES_AT_MOST:
                break
            if contents(path) not in known:
                shutil.copy(path, self.seeds)

    def row(self):
        commit = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
        day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
        return (
            f"| `{self.name}` | {self.executions:,} | {self.seconds:.0f} | {self.edges:,} "
            f"| {len(files(self.seeds))} | {len(self.found)} | {day}, {commit.stdout.strip()} |")


def write(row, name):
    """Puts a reader's row into the table of docs/trust.md."""
    with open(PAGE) as file:
        text = file.read()
    before, rest = text.split(MARKS[0])
    table, after = rest.split(MARKS[1])
    lines = table.splitlines()
    rows = {re.match(r"\| `(\w+)`", line).group(1): line for line in lines[2:] if "`" in line}
    rows[name] = row
    table = "\n".join(lines[:2] + [rows[key] for key in sorted(rows)]) + "\n"
    with open(PAGE, "w") as file:
        file.write(before + MARKS[0] + table + MARKS[1] + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=int, default=1200)
    parser.add_argument("--runs", type=int, default=10_000_000)
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("reader", nargs="*")
    asked = parser.parse_args()
    known = readers()
    for name in asked.reader:
        if name not in known:
            sys.exit(f"'{name}' is no reader; there are {', '.join(known)}")
    if not asked.no_build:
        build()
    broken = 0
    print("| reader | executions | seconds | edges | corpus | crashes | when |", flush=True)
    for name in asked.reader or known:
        reader = Reader(name, known[name])
        reader.fuzz(asked.seconds, asked.runs)
        reader.merge()
        print(reader.row(), flush=True)
        write(reader.row(), name)
        broken += len(reader.found)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
