"""Freezes the thread of a lane, as a reader without an end would keep it, and interrupts the run twice.

    frozen_lane.py SCREENRIG ARGUMENTS...

Starts the command, waits for its first answers, stops one thread of it (the one that waits in
epoll_pwait2, which only lanes call) by ptrace(2), sends SIGINT twice, and passes on the exit code.
Exit code 75: this machine does not let a process trace its child.
"""

import ctypes
import glob
import os
import signal
import subprocess
import sys
import time

EPOLL_PWAIT2 = "441"
PTRACE_ATTACH, PTRACE_DETACH = 16, 17
WALL = 0x40000000


def lane_of(process):
    """The id of a thread that waits in epoll_pwait2, None if there is none now."""
    for thread in os.listdir(f"/proc/{process}/task"):
        try:
            with open(f"/proc/{process}/task/{thread}/syscall", encoding="ascii") as file:
                if file.read().split()[0] == EPOLL_PWAIT2:
                    return int(thread)
        except (OSError, IndexError):
            continue
    return None


def main():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    run = subprocess.Popen(sys.argv[1:])
    deadline = time.monotonic() + 60
    # The run is under way once the record of its lanes is there; then some households arrive.
    while not glob.glob("*/lanes.bin") and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(2)
    lane = None
    while lane is None and run.poll() is None and time.monotonic() < deadline:
        lane = lane_of(run.pid)
        time.sleep(0.01)
    if lane is None:
        run.kill()
        sys.exit("no thread waited in epoll_pwait2")
    if libc.ptrace(PTRACE_ATTACH, lane, None, None) != 0:
        run.kill()
        sys.exit(75)
    os.waitpid(lane, WALL)
    for _ in range(2):
        os.kill(run.pid, signal.SIGINT)
        time.sleep(0.5)
    # A process that has ended stays until whoever traces its thread has heard of that thread's end.
    while run.poll() is None and time.monotonic() < deadline:
        try:
            os.waitpid(lane, WALL | os.WNOHANG)
        except ChildProcessError:
            pass
        time.sleep(0.05)
    if run.poll() is None:
        run.kill()
        sys.exit("it did not end")
    sys.exit(run.returncode)


main()
