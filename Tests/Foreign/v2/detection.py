#!/usr/bin/env python3
"""What screenrig finds of the faults of the REST V2 server next to it: each fault with the rig that exercises it.

    python3 Tests/Foreign/v2/detection.py                          # the table, as Markdown; about 6 minutes
    python3 Tests/Foreign/v2/detection.py wrong-user late-profile  # only these
    python3 Tests/Foreign/v2/detection.py --page docs/detection.md # writes the table between its markers
    python3 Tests/Foreign/v2/detection.py --clean                  # the same rigs without a fault: nobody is accused

Each line is one run of `screenrig run RIG --target URL` with the promises of a staging server (documented), against a
server of its own. It is bounded: at most --limit seconds, and as many households as the rig has. The exit code is 1 if a
fault was not found, or if a run without a fault accused the server.
"""

import argparse
import concurrent.futures
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

from client import Failed, Server, send
from faults import ALL

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
OWN = "Tests/Foreign/v2/rigs/"

# The test bench, slow enough for a server in Python.
BENCH = ("rigs/detection-v2.yaml",
         ["--mvpd", "DemoCable", "--mvpd", "DemoSat", "--promotional", "PromoPass", "--trial-life", "4",
          "--code-life", "6", "--window", "1"],
         ["load.arrivals=[{ramp-to: 2/s, over: 0s}, {hold: 15s}]", "polling.every=100ms"])
MORE_HOMES = ["load.arrivals=[{ramp-to: 4/s, over: 0s}, {hold: 5s}]"]
PASSES = (OWN + "passes.yaml", ["--promotional", "PromoPass", "--trial-resources", "4"], [])


class Case:
    """A fault, the rig (with options of the server and values of the rig), and the promises that name it."""

    def __init__(self, promises, rig=BENCH, server=(), sets=()):
        self.promises = promises.split()
        path, options, values = rig if isinstance(rig, tuple) else (rig, [], [])
        self.rig, self.options, self.sets = path, [*options, *server], [*values, *sets]


CASES = {
    "late-profile": Case("sign-in-visible token-monotonic sign-in-delivered"),
    "lost-profile": Case("sign-in-delivered token-monotonic code-binds-device action-true profile-views-agree"),
    "expired-profile-served": Case("expiry-respected", "rigs/v2-smoke.yaml", ["--profile-life", "3"],
                                   ["polling.after-success=6s", "polling.every=500ms"]),
    "profile-prolonged": Case("profile-not-prolonged one-token"),
    "wrong-provider-profile": Case("profile-consistent provider-independence logout-final"),
    "views-differ": Case("profile-views-agree"),
    "wrong-user": Case("token-isolation no-token-before-sign-in"),
    "session-hijack": Case("code-binds-device"),
    # Half of the viewers leave for a new code, and half of those type the old one first.
    "superseded-code-lives": Case("session-superseded", sets=["code.new-code=50%", "kinds.0.viewer.wrong-code=50%"]),
    "expired-code-accepted": Case("expiry-respected"),
    "code-signs-twice": Case("one-owner", OWN + "two-phones.yaml"),
    "code-twice": Case("code-unique"),
    "premature-authorize": Case("action-true", "rigs/v2-logout.yaml", [], [
        "kinds.0.provider-choice=first-screen"]),
    "stale-decision": Case("logout-final authorization-gates"),
    "foreign-media-token": Case("decision-true"),
    "media-token-repeat": Case("decision-true"),
    "preauthorize-spends": Case("preauthorize-inert temppass-budget", PASSES),
    "late-logout": Case("logout-final"),
    "logout-all-providers": Case("provider-independence", "rigs/v2-two-providers.yaml"),
    "partial-single-logout": Case("single-logout"),
    "foreign-service-token": Case("identity-isolation", "rigs/v2-service-token.yaml", [], [
        *MORE_HOMES, "shows=[authorize ok]"]),
    "platform-identity-leak": Case("identity-isolation", "rigs/v2-fire-tv.yaml", [], [
        "load={closed: {households: 24}, settle: 1s}", "shows=[authorize ok]"]),
    "partner-gate-open": Case("conforms", OWN + "partner.yaml", ["--mvpd", "DemoCable"]),
    "degradation-outlives-rule": Case(
        "degradation-bounded profile-consistent", "rigs/v2-degraded.yaml",
        ["--mvpd", "DemoDown", "--mvpd", "DemoShut", "--degrade", "DemoDown:AuthNAll:5", "--window", "10"],
        # Its owner knows when the rule ends.
        ["target.degrade=[{mvpd: DemoDown, rule: AuthNAll, until: 5s}]"]),
    "temppass-refill": Case("temppass-budget", PASSES),
}
assert set(CASES) == {fault.name for fault in ALL}


class Result:
    def __init__(self, name, case, code, struck, rows, log):
        self.name, self.case, self.code, self.struck, self.log = name, case, code, struck, log
        self.found = {}
        for row in rows:
            if row["standing"] in ("suspected", "known"):
                continue
            for promise in [row["invariant"], *row["companions"].split()]:
                standing = "observed" if row["standing"] == "observed" else "fails"
                known = self.found.get(promise)
                self.found[promise] = "fails" if "fails" in (known, standing) else standing

    @property
    def named(self):
        """The promises that name the fault, of those that were violated."""
        return [promise for promise in self.case.promises if promise in self.found]

    def line(self):
        def told(promise):
            return promise + (" (observed)" if self.found[promise] == "observed" else "")

        others = sorted(set(self.found) - set(self.named) - {"linearizable"})
        rig = self.case.rig.removeprefix("rigs/").removeprefix(OWN).removesuffix(".yaml")
        found = ", ".join(map(told, self.named)) or ("**not found**" if self.struck else "not exercised")
        return (f"| `{self.name}` | {rig} | {self.struck} | {found} | "
                f"{', '.join(map(told, others)) or '-'} | {self.code} |")


HEAD = ("| fault | rig | activated | found by | also violated | exit code |\n"
        "|---|---|---|---|---|---|")


def run(options, name, case, has_fault=True):
    """One run. Its exit code is None if it had to be ended."""
    fault = ["--fault", name] if has_fault else []
    server = Server("--rate", "0", "--identity-keys", "any", *case.options, *fault)
    with tempfile.TemporaryDirectory(dir=options.keep) as folder:
        out = os.path.join(options.keep or folder, name)
        shutil.rmtree(out, ignore_errors=True)
        command = [options.screenrig, "run", case.rig, "--target", server.url, "--out", out, "--seed", str(options.seed),
                   "--quiet", *(each for value in case.sets for each in ("--set", value))]
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=options.limit, check=False)
            code, log = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired as late:
            code, log = None, (late.stdout or b"").decode()
        counts = json.loads(send(server.url, "GET", "/_test/faults").body)
        printed = server.end()
        try:
            with open(os.path.join(out, "violations.csv"), encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
        except FileNotFoundError:
            rows = []
    if printed:
        log += "\nthe server printed: " + printed
    return Result(name, case, code, counts.get(name, 0), rows, log)


def write(page, text):
    with open(page, encoding="utf-8") as file:
        old = file.read()
    new, count = re.subn(r"(<!-- foreign-v2-faults -->\n).*?(<!-- end of foreign-v2-faults -->)",
                         lambda found: found[1] + text + "\n" + found[2], old, flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{page} has no markers foreign-v2-faults")
    with open(page, "w", encoding="utf-8") as file:
        file.write(new)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fault", nargs="*", help="all of them")
    parser.add_argument("--clean", action="store_true", help="without any fault")
    parser.add_argument("--screenrig", default=os.path.join(ROOT, ".build/release/screenrig"))
    parser.add_argument("--limit", type=float, default=120, help="seconds for a run")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", metavar="FOLDER", help="keeps the run directories there")
    parser.add_argument("--page", metavar="FILE")
    options = parser.parse_args()
    unknown = sorted(set(options.fault) - set(CASES))
    if unknown:
        parser.error(f"unknown fault {', '.join(unknown)}; known: {', '.join(CASES)}")
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    chosen = options.fault or list(CASES)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda name: run(options, name, CASES[name], not options.clean), chosen))
    lines = [result.line() for result in results]
    print("\n".join([HEAD, *lines]))
    bad = [result for result in results
           if (result.found if options.clean else not result.named) or result.code not in (0, 1, 4)]
    for result in bad:
        print(f"\n{result.name}: {sorted(result.found)} exit code {result.code}\n{result.log[:3000]}", file=sys.stderr)
    if options.clean:
        print(f"{len(results)} runs without a fault, {len(bad)} of them with a violation or an unexpected exit code")
    else:
        found = [result for result in results if result.named]
        failing = [result for result in found if any(result.found[each] == "fails" for each in result.named)]
        print(f"{len(found)} of {len(results)} found, {len(failing)} of them by a promise that fails the run")
        if options.page:
            write(options.page, "\n".join([HEAD, *lines]))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(str(failed))
