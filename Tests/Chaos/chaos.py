#!/usr/bin/env python3
"""Every fault of a peer, against every command that talks, over both engines: 0 crashes, 0 hangs, 0 wrong causes.

    make chaos                                              # the whole matrix; its table goes to docs/trust.md
    python3 Tests/Chaos/chaos.py --only 'stall|bomb' --command run --engine direct
    python3 Tests/Chaos/chaos.py --only '^h2-' --verbose    # with what each command printed

A cell is one process of screenrig against one process of peer.py. What must come of it stands in cells.py: exit codes,
a pattern of the cause, one of causes that would be wrong. What holds for each stands in cell.py: it ends by itself, in time,
with less than 200 MB, without a signal, with its report, and it never passes when nobody signed in.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "Foreign")]

import cells
import table
from bench import Bench
from cell import Cell


def results(path):
    """By name of a cell, what a former run kept of it."""
    if not path or not os.path.exists(path):
        return {}
    with open(path) as file:
        return {each.pop("name"): each for each in map(json.loads, file)}


def keep(path, cell):
    if path:
        with open(path, "a") as file:
            file.write(json.dumps({key: getattr(cell, key) for key in (
                "name", "code", "seconds", "megabytes", "problems", "cause")}) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, ".build/release/screenrig"))
    parser.add_argument("--only", default="", metavar="PATTERN", help="of a cell's name: fault, command, engine")
    parser.add_argument("--command", choices=cells.COMMANDS)
    parser.add_argument("--engine", choices=cells.ENGINES)
    parser.add_argument("--jobs", type=int, default=3, help="cells at a time")
    parser.add_argument("--results", metavar="FILE", help="keep each cell's result; what is in it already is not run again")
    parser.add_argument("--no-run", action="store_true", help="run nothing: the table of what --results has")
    parser.add_argument("--page", metavar="FILE", help="write the table between the markers of this page")
    parser.add_argument("--verbose", action="store_true", help="what each command printed")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="chaos-")
    bench = Bench(options.binary, folder)
    missing = [] if options.no_run else bench.prepare()
    every = [Cell(fault, command, engine, bench) for fault in cells.faults() for command in fault.commands
             for engine in fault.engines if not (command == "calibrate" and engine == "multi")]  # it has one engine
    chosen = [cell for cell in every
              if (options.no_run or (bench.clock or not cell.fault.clock_jump) and (bench.has_mounts or not cell.fault.hosts))
              and re.search(options.only, cell.name) and options.command in (None, cell.command)
              and options.engine in (None, cell.engine)]
    began, done = time.monotonic(), []
    kept = results(options.results)
    for cell in chosen:
        if cell.name in kept:
            vars(cell).update(kept[cell.name])
            done.append(cell)
    left = [] if options.no_run else [cell for cell in chosen if cell.name not in kept]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(cell.run) for cell in left]):
            cell = future.result()
            done.append(cell)
            keep(options.results, cell)
            print(f"{len(done):4}/{len(chosen)}  {cell.name:52} exit {cell.code}  {cell.seconds:5.1f} s  {cell.megabytes:4.0f} MB  "
                  + ("; ".join(cell.problems) or cell.cause[:80]), flush=True)
            if cell.problems:
                print(f"           peer: {shlex.join(cell.peer_command)}\n           rig:  (cd {cell.folder} && {cell.shown})",
                      flush=True)
            if options.verbose:
                print(cell.output, flush=True)
    minutes = (time.monotonic() - began) / 60 if not kept else None
    order = {id(cell): position for position, cell in enumerate(chosen)}
    done.sort(key=lambda cell: order[id(cell)])
    bad = [cell for cell in done if cell.problems]
    summary = table.summary(done, len(every), minutes, datetime.date.today(), missing)
    print(summary)
    if options.page:
        table.write(options.page, "chaos", summary + "\n\n" + table.markdown(done))
    if not bad:
        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
