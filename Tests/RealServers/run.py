#!/usr/bin/env python3
"""Runs screenrig against public authorization servers that really run, and holds what it says against their records.

    run.py [--screenrig PATH] [--households N] [--rate N] [--plans PLAN,...|all] [--for T] [--write] [NAME ...]

For each server: starts it (server.py), 'try' of one household, then 'run' of the rig with its name, and holds each
household and each accusation against the server's own tables (records.py). Then the race plans. For each finding it
emits the script ('screenrig replay CASE --emit python') and runs that alone on servers that are started for it.

What came of it is kept in DIR/results.json, where later calls add and replace; --write puts it into docs/real-servers.md.
Exit code 1 where a step failed, a household that should be signed in was not, or the server's records contradict an
accusation. A server that cannot be installed is skipped with the reason.
"""
import argparse
import csv
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from records import Records
from server import SERVERS

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAMES = ["django-oauth-toolkit", "django-allauth", "glewlwyd"]
MARKS = ("<!-- real-servers -->", "<!-- end of real-servers -->")
MUTATORS = ["enter", "approve", "refuse", "poll", "refresh", "revoke", "expire"]
ACTIVITIES = ["polling.after-success=3s", "after-sign-in=[userinfo, refresh-token, {logout: 50%}]"]
# glewlwyd has neither a userinfo endpoint of this plugin nor RFC 7009, and its pages know no refusal.
OTHER_ACTIVITIES = {"glewlwyd": ["polling.after-success=3s", "after-sign-in=[refresh-token]"]}
ABSENT = {"glewlwyd": {"refuse", "revoke"}}
# Households a second that each bears, on two cores.
RATES = {"glewlwyd": 2}


def every_plan(name):
    """Each two mutators once, as 'screenrig race --plan all' has them."""
    pairs = [(one, other) for at, one in enumerate(MUTATORS) for other in MUTATORS[at:]]
    pairs = [pair for pair in pairs if pair[1] != "expire" or pair[0] not in ("refresh", "revoke", "expire")]
    plans = [f"{one}-{other}" for one, other in pairs] + ["approve-approve-poll"]
    return [plan for plan in plans if not set(plan.split("-")) & ABSENT.get(name, set())]


class Server:
    """A server that runs until it is closed."""

    def __init__(self, name, options, work, expires=60):
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "server.py"), name, "--users", str(options.users), "--work", str(work),
             "--expires", str(expires)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline().strip()
        self.skipped = line[8:] if line.startswith("SKIPPED") else None
        ready = re.fullmatch(r"READY (\S+) accounts=(\S+) database=(\S+)", line)
        self.url, self.accounts, self.database = ready.groups() if ready else (None, None, None)
        if not ready and not self.skipped:
            print(f"{name}: {line or 'no answer'}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)


def interval(hits, trials):
    """Clopper and Pearson's, 95 %, as shares."""

    def tail(share, least):
        """At least so many hits."""
        if share <= 0 or share >= 1:
            return 1.0 if share >= 1 or least == 0 else 0.0
        log = [math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1)
               + k * math.log(share) + (trials - k) * math.log(1 - share) for k in range(least, trials + 1)]
        return math.fsum(map(math.exp, log))

    def solve(least, wanted):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(middle, least) < wanted else (low, middle)
        return low

    return (0.0 if hits == 0 else solve(hits, 0.025), 1.0 if hits == trials else solve(hits + 1, 0.975))


def percents(hits, trials):
    def text(share):
        percent = share * 100
        return f"{percent:.2g}" if 0 < percent < 1 else f"{percent:.0f}"

    low, high = interval(hits, trials)
    return f"{text(low)} to {text(high)} %"


def fresh(directory):
    """A path at which nothing is: screenrig overwrites no run."""
    shutil.rmtree(directory, ignore_errors=True)
    return str(directory)


def say(name, text):
    print(f"{name}: {text}", flush=True)


# The ordinary run.

def rig_of(name, server):
    return [str(HERE / f"{name}.yaml"), "--target", server.url, "--set", f"accounts.file={server.accounts}"]


def run(name, server, options, work):
    """Households at the given rate; what became of them, of each promise, and what the records say."""
    out = work / f"{name}-run"
    rate = options.rate or RATES.get(name, 4)
    seconds = math.ceil(options.households / rate)
    settings = OTHER_ACTIVITIES.get(name, ACTIVITIES) if options.activities else []
    arrivals = f"[{{ramp-to: {rate}/s, over: 0s}}, {{hold: {seconds}s}}]"
    ran = subprocess.run(
        [options.screenrig, "run", *rig_of(name, server), "--set", f"load.arrivals={arrivals}",
         *(word for setting in settings for word in ("--set", setting)), "--out", fresh(out)],
        capture_output=True, text=True)
    # 1: a threshold was missed or a promise broken; 4: this machine was slow. The summary tells.
    if ran.returncode not in (0, 1, 4):
        print(ran.stdout + ran.stderr)
        return None
    summary = json.loads((out / "summary.json").read_text())
    records = Records(name, server.database).held_against(str(out))
    accused = records["accusations"]
    result = {
        "software": software(name), "rate": rate, "settings": settings, "version": summary["run"]["version"],
        "households": summary["households"], "exit code": ran.returncode,
        "errors": summary["exchanges"]["errors"], "error rows": summary["errors"],
        "requests": summary["exchanges"]["completed"],
        "abandoned by": causes(out), "records": records,
        "promises": {
            row["name"]: {"checked": row["checked"], "accused": accused.get(row["name"], {}).get("accused", 0)}
            for row in summary["invariants"] if row["checked"]},
    }
    say(name, json.dumps(summary["households"]))
    say(name, "records: " + json.dumps(records))
    return result


def causes(out):
    """Why households did not sign in, with how many there were."""
    counts = {}
    with open(out / "households.csv") as file:
        for row in csv.DictReader(file):
            if row["outcome"] != "signed-in":
                cause = f"{row['outcome']}: {row['cause'] or row['abandoned_by'] or row['stopped_at']}"
                counts[cause] = counts.get(cause, 0) + 1
    return counts


# Races.

def confirmed(name, invariant, results):
    """A plan whose script has shown that already, on every server."""
    for plan, raced in results[name].get("races", {}).items():
        for row in raced.get("findings", []):
            scripts = row["scripts"] if isinstance(row["scripts"], list) else []
            if row["invariant"] == invariant and scripts and all(
                    isinstance(one, dict) and one["hits"] > 0 for one in scripts):
                return plan
    return None


def race(name, plan, options, work, results):
    """One plan on a server of its own, and each finding by its script on fresh ones."""
    expires = options.short if "expire" in plan else 60
    out = work / f"{name}-race-{plan}"
    rows = []
    with Server(name, options, work, expires) as server:
        if not server.url:
            return None
        # Longer than the interval, where the server counts it; and than what a server that counts in whole seconds
        # may be late with the end of a code.
        settle = "1500ms" if "expire" in plan else "300ms" if name == "django-oauth-toolkit" else "1200ms"
        ran = subprocess.run(
            [options.screenrig, "race", *rig_of(name, server), "--plan", plan, "--for", options.race_time,
             "--set", f"load.settle={settle}", "--set", f"race.offsets={options.offsets}",
             "--set", f"code.ttl={expires}s", "--out", fresh(out)], capture_output=True, text=True)
    if ran.returncode not in (0, 1) or not (out / "summary.json").exists():
        say(name, f"race {plan}: exit code {ran.returncode}")
        print(ran.stdout[-2000:] + ran.stderr[-2000:])
        return {"plan": plan, "obstacle": (ran.stderr or ran.stdout).strip().splitlines()[-1:]}
    summary = json.loads((out / "summary.json").read_text())
    obstacles = sorted({sweep["obstacle"] for sweep in summary["sweeps"] if sweep["obstacle"]})
    for found in summary["findings"]:
        row = {key: found.get(key) for key in (
            "invariant", "source", "hits", "of", "bestUs", "windowUs", "rare", "simultaneous", "method", "sentence")}
        known = confirmed(name, found["invariant"], results)
        if known and known != plan:
            row["scripts"] = f"as in {known}"
        else:
            row["scripts"] = scripts(name, found, out, expires, options, work)
        rows.append(row)
        say(name, f"race {plan}: {row['invariant']} {row['hits']} of {row['of']}; scripts {row['scripts']}")
    say(name, f"race {plan}: {summary['trials']} trials, {summary['end']}, {len(rows)} findings {obstacles}")
    return {"plan": plan, "trials": summary["trials"], "end": summary["end"], "findings": rows,
            "obstacle": obstacles, "version": summary["version"],
            "whole": all(sweep["rounds"] > 0 for sweep in summary["sweeps"])}


def scripts(name, found, out, expires, options, work):
    """Hits and trials of the emitted script on each fresh server, and codes that its records say the same of."""
    if not found.get("case"):
        return "no case"
    case = out / found["case"]
    emitted = subprocess.run(
        [options.screenrig, "replay", str(case), "--emit", "python"], capture_output=True, text=True)
    if emitted.returncode != 0:
        return emitted.stderr.strip().split(": ", 1)[-1]
    script = case.with_suffix(".py")
    script.write_text(emitted.stdout)
    results = []
    for number in range(options.fresh):
        with Server(name, options, work / f"fresh-{number}", expires) as server:
            ran = subprocess.run(
                [sys.executable, str(script), server.url, str(options.script_trials)], capture_output=True, text=True,
                env=dict(os.environ, SCREENRIG_ACCOUNTS=server.accounts), timeout=900)
            counted = re.search(r"(\d+) of (\d+)", ran.stdout)
            if not counted:
                results.append((ran.stderr or ran.stdout).strip().splitlines()[-1:])
                continue
            records = Records(name, server.database).broken(found["invariant"])
            results.append({"hits": int(counted[1]), "of": int(counted[2]), "records": records})
    return results


# The page.

SOURCES = {"documented": "RFC 8628, 6749 or 7009", "policy": "a policy of the rig", "ours": "screenrig's expectation"}


def milliseconds(microseconds):
    return "…" if microseconds is None else f"{microseconds / 1000:+.2f}".rstrip("0").rstrip(".") + " ms"


def software(name):
    """Name and version of what was installed, as the table has it."""
    packages = SERVERS[name].get("packages")
    if packages:
        return f"{name} {packages[0].split('==')[1]}, SQLite, 2 gunicorn workers of 4 threads"
    asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True)
    return f"{name} {asked.stdout or '(not installed)'}, SQLite, one process with threads"


def page(results):
    lines = ["| server | households | rate | signed in | refused | others | requests that failed | accusations that the "
             "records contradict |", "|---|---|---|---|---|---|---|---|"]
    for name, result in results.items():
        if "run" not in result:
            lines.append(f"| {name} | skipped: {result.get('skipped', 'not run')} | | | | | | |")
            continue
        ran = result["run"]
        homes, refused, others = ran["households"], 0, []
        for cause, count in ran["abandoned by"].items():
            if "refus" in cause:
                refused += count
            else:
                others.append(f"{count} {cause}")
        lines.append(
            f"| {ran['software']} | {homes['started']:,} | {ran['rate']}/s | {homes['signedIn']:,} | {refused} | "
            f"{'; '.join(others) or '0'} | {ran['errors']} | {len(ran['records']['contradicted'])} |")
    lines += ["", "| server | promise | seen in the run |", "|---|---|---|"]
    for name, result in results.items():
        rows = result.get("run", {}).get("promises", {})
        started = result["run"]["households"]["started"] if rows else 0
        kept = []
        for promise, row in sorted(rows.items(), key=lambda item: -item[1]["accused"]):
            if not row["accused"]:
                kept.append(f"`{promise}` {row['checked']:,}")
                continue
            told = result["run"]["records"]["accusations"][promise]
            note = f"; the records bear out {told['borne out']}"
            if told["not told"]:
                note += f" and cannot tell of {told['not told']}"
            lines.append(
                f"| {name} | `{promise}` | broken in {row['accused']} of {started:,} households "
                f"({percents(row['accused'], started)}), {row['checked']:,} checks{note} |")
        if kept:
            lines.append(f"| {name} | kept, with the number of checks | {', '.join(kept)} |")
    lines += ["", "| server | plan | promise | whose | search | offsets | script alone, on three fresh servers |",
              "|---|---|---|---|---|---|---|"]
    for name, result in results.items():
        found, quiet = {}, []
        for plan, raced in sorted(result.get("races", {}).items()):
            for row in raced.get("findings", []):
                found.setdefault(row["invariant"], []).append((plan, raced, row))
            if not raced.get("findings"):
                why = raced.get("obstacle") or []
                quiet.append(f"`{plan}` ({raced.get('trials', 0)} trials)" if not why else f"`{plan}` (not possible)")
        for _, rows in sorted(found.items()):
            rows.sort(key=lambda item: -strength(item[2]))
            others = sorted({plan for plan, _, _ in rows[1:]} - {rows[0][0]})
            lines.append(race_line(name, *rows[0], others))
        if quiet:
            lines.append(f"| {name} | {', '.join(quiet)} | nothing found | | | | |")
    return "\n".join(lines)


def strength(row):
    """Hits of the scripts, and then of the search: the row that shows a promise best."""
    scripts = row["scripts"] if isinstance(row["scripts"], list) else []
    return sum(one["hits"] for one in scripts if isinstance(one, dict)) + row["hits"] / max(1, row["of"])


def window(raced, row):
    """Offsets at which it happens, or why there are none to tell."""
    if row["rare"] and row["of"]:
        return "rare: too few hits for edges"
    if not row["windowUs"]:
        return "no window: at every offset that was tried"
    # The edges of a search that its limit ended are no window.
    if raced["end"] != "complete":
        return f"seen best at {milliseconds(row['bestUs'])}; the search ended before its edges were sure"
    return " to ".join(milliseconds(end) for end in row["windowUs"])


def race_line(name, plan, raced, row, others):
    scripts = row["scripts"]
    played = [one for one in scripts if isinstance(one, dict)] if isinstance(scripts, list) else []
    alone = (sum(one["hits"] for one in played), sum(one["of"] for one in played))
    if isinstance(scripts, list):
        scripts = ", ".join(
            f"{one['hits']} of {one['of']}" + ("" if one["records"] is None else f" (records: {one['records']})")
            if isinstance(one, dict) else str(one) for one in scripts)
    else:
        scripts = "none: " + scripts.split(",")[0]
    # Where the search had no time left for a rate, the scripts tell it, all at the offset of the case.
    hits, of = (row["hits"], row["of"]) if row["of"] else alone
    rate = f"{hits} of {of} ({percents(hits, of)})" if of else "not measured"
    if not row["of"] and of:
        rate += ", by the scripts"
    also = f"; also {', '.join(f'`{other}`' for other in others)}" if others else ""
    offsets = window(raced, row)
    return (f"| {name} | `{plan}`{also} | `{row['invariant']}` | {SOURCES[row['source']]} | {rate} | {offsets} | "
            f"{scripts} |")


def write(results):
    file = ROOT / "docs/real-servers.md"
    text = file.read_text()
    before, after = text.index(MARKS[0]) + len(MARKS[0]), text.index(MARKS[1])
    file.write_text(f"{text[:before]}\n{page(results)}\n{text[after:]}")


# All of it.

def one(name, options, work, results):
    result = results.setdefault(name, {})
    is_well = True
    if options.households:
        with Server(name, options, work) as server:
            if server.skipped:
                say(name, f"skipped: {server.skipped}")
                result["skipped"] = server.skipped
                return True
            if not server.url:
                return False
            tried = subprocess.run(
                [options.screenrig, "try", *rig_of(name, server), "--out", fresh(work / f"{name}-try")],
                capture_output=True, text=True)
            say(name, f"try {'passed' if tried.returncode in (0, 4) else 'failed'}, exit code {tried.returncode}")
            if tried.returncode not in (0, 4):
                print(tried.stdout + tried.stderr)
                return False
            ran = run(name, server, options, work)
            if not ran:
                return False
            result["run"] = ran
            is_well = not ran["records"]["contradicted"] and ran["households"]["failed"] == 0
    plans = every_plan(name) if options.plans == "all" else [plan for plan in options.plans.split(",") if plan]
    for plan in plans:
        if set(plan.split("-")) & ABSENT.get(name, set()):
            continue
        raced = race(name, plan, options, work, results)
        if raced:
            result.setdefault("races", {})[plan] = raced
            save(results, work)
    return is_well


def save(results, work):
    (work / "results.json").write_text(json.dumps(results, indent=1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--screenrig", default=str(ROOT / ".build/release/screenrig"))
    parser.add_argument("--households", type=int, default=120, help="0: no run")
    parser.add_argument("--rate", type=int, help="households a second; default: what each server bears")
    parser.add_argument("--no-activities", dest="activities", action="store_false", help="sign in and nothing else")
    parser.add_argument("--plans", default="", help="race plans, with commas between them, or all")
    parser.add_argument("--for", dest="race_time", default="25s", help="how long each plan is raced")
    parser.add_argument("--offsets", default="-2ms..2ms", help="of the races")
    parser.add_argument("--fresh", type=int, default=3, help="servers that a finding's script is run on")
    parser.add_argument("--script-trials", type=int, default=30, help="trials on each of them")
    parser.add_argument("--short", type=int, default=4, help="seconds that codes live in plans with 'expire'")
    parser.add_argument("--users", type=int, default=500)
    parser.add_argument(
        "--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "real-servers")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/real-servers.md")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    kept = options.work / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    well = [one(name, options, options.work, results) for name in options.names]
    save(results, options.work)
    if options.write:
        write({name: results[name] for name in NAMES if name in results})
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
