#!/usr/bin/env python3
"""Runs screenrig against public authorization servers that really run, and looks into their databases.

    run.py [--screenrig PATH] [--seconds N] [--rate N] [--plans PLAN,... --for T] [NAME ...]

For each server: starts it (server.py), 'try' of one household, 'run' of the rig with its name for so many seconds
at so many households a second, races of --plans (none by default), and then counts in the server's own database who owns the tokens that the run was given.
Exit code 1 where a step failed; a server that cannot be installed is skipped with the reason.
"""
import argparse
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ["django-oauth-toolkit", "django-allauth"]


def foreign_tokens(name, database):
    """Tokens of another user than the one who approved, by the server's own records; nil where it keeps none."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        if name == "django-oauth-toolkit":
            approved = "select user_id, count(*) from oauth2_provider_devicegrant where status = 'authorized' group by 1"
            owned = "select user_id, count(*) from oauth2_provider_accesstoken group by 1"
            grants = dict(connection.execute(approved))
            return sum(1 for user, _ in connection.execute(owned) if user not in grants)
    return None


def race(name, rig, plan, options, work):
    """One plan against the running server: what was found, as its summary says it."""
    settle = "1200ms" if name == "django-allauth" else "300ms"
    ran = subprocess.run(
        [options.screenrig, "race", *rig, "--plan", plan, "--for", options.race_time,
         "--set", f"load.settle={settle}", "--set", "race.offsets=-2ms..2ms",
         "--out", str(work / f"{name}-race-{plan}")],
        capture_output=True, text=True)
    found = [line for line in ran.stdout.splitlines() if line.startswith("FOUND") or " of " in line and "95 %" in line]
    print(f"{name}: race {plan}: exit code {ran.returncode}")
    for line in found:
        print(f"{name}: race {plan}: {line.strip()}")


def one(name, options, work):
    server = subprocess.Popen(
        [sys.executable, str(HERE / "server.py"), name, "--users", str(options.users), "--work", str(work)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        line = server.stdout.readline().strip()
        if line.startswith("SKIPPED"):
            print(f"{name}: skipped: {line[8:]}")
            return True
        ready = re.fullmatch(r"READY (\S+) accounts=(\S+) database=(\S+)", line)
        if not ready:
            print(f"{name}: {line or 'no answer'}")
            return False
        url, accounts, database = ready.groups()
        rig = [str(HERE / f"{name}.yaml"), "--target", url, "--set", f"accounts.file={accounts}"]
        tried = subprocess.run(
            [options.screenrig, "try", *rig, "--out", str(work / f"{name}-try")], capture_output=True, text=True)
        print(f"{name}: try {'passed' if tried.returncode == 0 else 'failed'}")
        if tried.returncode != 0:
            print(tried.stdout + tried.stderr)
            return False
        arrivals = f"[{{ramp-to: {options.rate}/s, over: 0s}}, {{hold: {options.seconds}s}}]"
        out = work / f"{name}-run"
        ran = subprocess.run(
            [options.screenrig, "run", *rig, "--set", f"load.arrivals={arrivals}", "--out", str(out)],
            capture_output=True, text=True)
        # 1: a threshold was missed or a promise broken, which the summary tells.
        if ran.returncode not in (0, 1):
            print(ran.stdout + ran.stderr)
            return False
        summary = json.loads((out / "summary.json").read_text())
        households = summary["households"]
        print(f"{name}: {json.dumps(households)}")
        for line in ran.stdout.splitlines():
            if "checks of" in line or "violation" in line:
                print(f"{name}: {line.strip()}")
        for plan in filter(None, options.plans.split(",")):
            race(name, rig, plan, options, work)
        foreign = foreign_tokens(name, database)
        if foreign is not None:
            print(f"{name}: by its database {foreign} users own a token without having approved a device")
        return True
    finally:
        server.stdin.close()
        server.wait(30)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--screenrig", default=str(HERE.parent.parent / ".build/release/screenrig"))
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--rate", type=int, default=4, help="households a second")
    parser.add_argument("--plans", default="", help="race plans, with commas between them")
    parser.add_argument("--for", dest="race_time", default="25s", help="how long each plan is raced")
    parser.add_argument("--users", type=int, default=500)
    options = parser.parse_args()
    work = pathlib.Path(tempfile.gettempdir()) / "real-servers"
    work.mkdir(parents=True, exist_ok=True)
    results = [one(name, options, work) for name in options.names]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
