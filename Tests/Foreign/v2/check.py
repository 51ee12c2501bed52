#!/usr/bin/env python3
"""Checks the REST V2 server next to it, as an independent client would: every flow, every shape, every fault.

    python3 Tests/Foreign/v2/check.py              # all checks; exit code 0 if none fails, else 1
    python3 Tests/Foreign/v2/check.py logout log   # only checks whose names begin with one of these

The checks move the server's clock on instead of waiting. The check of a fault must pass without the fault and fail
with it.
"""

import os
import sys
import tempfile
import traceback

sys.dont_write_bytecode = True

import flow_checks
import fault_checks
from client import Failed, Server


class Servers:
    """One server for each set of options. Each starts when a check first needs it."""

    def __init__(self, folder):
        self.running = {}
        self.files = {"KEYS": flow_checks.key_file(), "LOG": os.path.join(folder, "log.jsonl"),
                      "ACCOUNTS": os.path.join(folder, "accounts.csv")}
        os.environ["CHECK_LOG"] = self.files["LOG"]
        with open(self.files["ACCOUNTS"], "w", encoding="utf-8") as file:
            file.write("mvpd,user,password,user-id\ncable,ann,right-word,u-ann\n")

    def of(self, *options):
        if options not in self.running:
            rate = () if "--rate" in options else ("--rate", "0")
            named = (self.files.get(each, each) for each in options)
            self.running[options] = Server("--tick", "0.001", *rate, *named)
        return self.running[options]

    def end(self):
        """Ends all servers. Returns what they printed after their URLs: the defects that they met."""
        printed = "".join(server.end() for server in self.running.values())
        os.unlink(self.files["KEYS"])
        return printed


def failure(check, servers, options):
    """The reason why a check fails; None if it passes."""
    try:
        check(servers.of(*options))
    except Failed as failed:
        return str(failed)
    except Exception:
        return traceback.format_exc()
    return None


def checks(servers):
    """The name of each check, and a function that runs it and returns why it failed, or None."""
    for check, options in flow_checks.ALL:
        yield check.__name__, lambda: failure(check, servers, options)
    for name, check in fault_checks.ALL.items():
        yield name, lambda: undetected(servers, name, check)


def undetected(servers, name, check):
    without = failure(check, servers, flow_checks.USUAL)
    if without:
        return "without the fault: " + without
    server = servers.of(*flow_checks.USUAL)
    server.order("fault", name=name, share="usual")
    try:
        check(server)
    except Failed:
        return None
    finally:
        server.order("fault", name=name, share=None)
    return "the fault cannot be seen"


def main():
    wanted, failures, count = tuple(sys.argv[1:]) or ("",), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        servers = Servers(folder)
        try:
            for name, run in checks(servers):
                if not name.startswith(wanted):
                    continue
                why, count = run(), count + 1
                if why:
                    failures += 1
                    print(f"FAILED {name}: {why}")
        finally:
            printed = servers.end()
    if printed:
        print("the server printed:", printed)
    print(f"{count} checks, {failures} failed")
    sys.exit(1 if failures or printed else 0)


if __name__ == "__main__":
    main()
