"""Attacks what a command does when it is disturbed: signals at random moments, low limits, closed or full outputs, and
folders that change under it (removed, turned into a file, a link or a full disk).

Beside the rules of the harness: Ctrl-C ends a run within 5 s with its report, a second one at once, output that cannot
be written is an error, and a limit that is too low is told. Needs loopback only; full disks need root (a small tmpfs)
and are left out otherwise.
"""
import os
import resource
import shutil
import signal
import subprocess
import time
from harness import Attack

attack = Attack(__doc__, 300)
rnd = attack.random
RIG = ("rig: r\ntarget: {base: embedded}\nload: {closed: {households: 6, for: LONG}, settle: 1s}\nkinds:\n  - name: a\n    viewer: {notices-code: \"uniform(50ms, 200ms)\", "
       "signs-in: \"uniform(50ms, 200ms)\", gives-up: 0%}\npolling: {every: 1s}\nlanes: 2\n")
COMMANDS = [["run", "rig.yaml", "--out", "out"], ["run", "rig.yaml", "--json"], ["nightly", "rig.yaml"], ["try", "rig.yaml"], ["race", "race.yaml", "--for", "6s"], ["replay", "case.json", "--times", "9"], ["serve", "--port", "0"],
            ["report", "base"], ["judge", "base"], ["compare", "base", "base"], ["export", "base", "--household", "0"], ["report", "base", "--share", "s.zip"], ["nights", "add", "base"], ["simulate", "rig.yaml"], ["calibrate", "--for", "4s"],
            ["run", "rig.yaml", "--dashboard", "0", "--metrics", "0"], ["validate", "rig.yaml"], ["schema"], ["list"], ["explain", "errors"], ["init", "new.yaml"]]
LASTING = ("run", "nightly", "try", "race", "replay", "serve", "calibrate", "simulate")

base = attack.folder("base")
open(os.path.join(base, "rig.yaml"), "w").write(RIG.replace("LONG", "12s"))
open(os.path.join(base, "short.yaml"), "w").write(RIG.replace(", for: LONG", ""))
shutil.copy(os.path.join(attack.rigs, "races", "poll-authenticate.yaml"), os.path.join(base, "race.yaml"))
attack.run(["simulate", "short.yaml", "--out", "base"], base)
attack.run(["race", "race.yaml", "--virtual", "--fault", "ack-before-apply:window=30ms", "--out", "q"], base)
shutil.copy(os.path.join(base, "q", "cases", sorted(f for f in os.listdir(os.path.join(base, "q", "cases")) if f.endswith(".json"))[0]), os.path.join(base, "case.json"))
shutil.rmtree(os.path.join(base, "q"))


def prepare(name):
    folder = attack.folder(name)
    shutil.copytree(base, folder, dirs_exist_ok=True)
    return folder


def signals():
    folder, command = prepare("signals"), rnd.choice(COMMANDS[:7] + COMMANDS)
    sequence = rnd.choice([["INT"], ["INT", "INT"], ["INT", "INT", "INT"], ["TERM"], ["HUP"], ["TERM", "INT"], ["STOP", "CONT", "INT"], ["STOP", "CONT"], ["INT", "STOP", "CONT", "INT"], ["PIPE"], ["USR1"], ["WINCH", "INT"], ["HUP", "TERM"], ["QUIT"], ["ALRM"], ["INT", "TERM"], ["TSTP", "CONT", "INT"]])
    first = rnd.choice([0.0, 0.02, 0.05, 0.1, 0.3, 1, 2, 3]) * rnd.random() * 2
    gap = rnd.choice([0, 0.01, 0.2, 1])
    sent = []

    def during(process):
        time.sleep(first)
        for each in sequence:
            if process.returncode is not None:
                return
            os.kill(process.pid, getattr(signal, "SIG" + each))
            sent.append((each, time.monotonic()))
            time.sleep(0.5 if each in ("STOP", "TSTP") else gap)
    result = attack.run(command, folder, timeout=45, during=during)
    ended = time.monotonic()
    name = f"signals: {command[0]} {'+'.join(sequence)} after {first:.2f} s"
    harsh = {"QUIT": -3, "USR1": -10, "ALRM": -14, "PIPE": -13}
    if result.code in [harsh.get(s) for s in sequence]:
        return
    attack.judge(name, result, command, folder, codes=(0, 1, 2, 3, 4), signalled=True)
    ints = [at for s, at in sent if s in ("INT", "TERM", "HUP")]
    if ints and ended - ints[0] > 5.5 + gap and not result.timed_out and command[0] in LASTING:
        attack.find("medium", name, f"ended only {ended - ints[0]:.1f} s after the signal ({result.processor:.1f} s of processor)", command, folder, result)
    if len(ints) > 1 and ended - ints[1] > 5 and not result.timed_out:
        attack.find("high", name, f"ended only {ended - ints[1]:.1f} s after the second signal", command, folder, result)
    for out in ([os.path.join(folder, "out")] if command[:1] == ["run"] and "--out" in command else []):
        if os.path.exists(os.path.join(out, "history.sqlite")) and not os.path.exists(os.path.join(out, "report.html")) and sequence[0] in ("INT", "TERM", "HUP") and len(ints) < 3 and result.code in (0, 1, 3, 4, 130):
            attack.find("medium", name, "a history without a report", command, folder, result)
    shutil.rmtree(folder, ignore_errors=True)


def limits():
    folder = prepare("limits")
    command = rnd.choice([["run", "short.yaml"], ["try", "short.yaml"], ["simulate", "short.yaml"], ["report", "base"], ["judge", "base"], ["nightly", "short.yaml", "--virtual"], ["validate", "rig.yaml"], ["serve", "--port", "0"], ["compare", "base", "base"], ["calibrate", "--for", "1s"], ["race", "race.yaml", "--virtual", "--trials", "2"], ["replay", "case.json", "--times", "2"]])
    kind, values = rnd.choice([(resource.RLIMIT_NOFILE, [3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 64]), (resource.RLIMIT_AS, [n * 1024 * 1024 for n in (60, 100, 150, 200, 300, 500, 1000)]), (resource.RLIMIT_FSIZE, [0, 1, 4096, 20000, 70000, 150000, 1000000]),
                               (resource.RLIMIT_CPU, [1]), (resource.RLIMIT_STACK, [65536, 262144, 1048576]), (resource.RLIMIT_DATA, [n * 1024 * 1024 for n in (10, 30, 60, 120)]), (resource.RLIMIT_MEMLOCK, [0]), (resource.RLIMIT_SIGPENDING, [0])])
    value = rnd.choice(values)
    names = {getattr(resource, n): n for n in dir(resource) if n.startswith("RLIMIT_")}
    name = f"limits: {command[0]} {names[kind]}={value}"

    def during(process):
        for _ in range(5 * 50):
            time.sleep(0.02)
            if process.returncode is not None or command[0] != "serve":
                return
        os.kill(process.pid, signal.SIGTERM)
    result = attack.run(command, folder, timeout=60, limits=[(kind, value)], during=during)
    # The loader ends with 127, or is killed by the system's own limit of processor time.
    if result.code == 127 or kind == resource.RLIMIT_CPU and result.code in (-24, -9):
        return
    attack.judge(name, result, command, folder, signalled=command[0] == "serve")
    shutil.rmtree(folder, ignore_errors=True)


def outputs():
    folder, command = prepare("outputs"), rnd.choice(COMMANDS[7:14] + [["run", "short.yaml"], ["run", "short.yaml", "--json"], ["try", "short.yaml"], ["simulate", "short.yaml"], ["simulate", "short.yaml", "--json"], ["nightly", "short.yaml", "--virtual"], ["replay", "case.json", "--virtual", "--times", "2"],
                                                                ["replay", "case.json", "--emit", "python"], ["validate", "short.yaml"], ["schema"], ["list"], ["explain", "errors"], ["help"], ["--version"], ["race", "race.yaml", "--virtual", "--trials", "3"], ["init", "n.yaml"], ["compare", "base", "base", "--json"]])
    kind = rnd.choice(["full", "full", "closed", "broken", "both-full", "error-full", "no-stdin", "folder"])
    stdout = stderr = None
    preexec = None
    opened = []
    if kind in ("full", "both-full"):
        stdout = open("/dev/full", "w")
    if kind in ("error-full", "both-full"):
        stderr = open("/dev/full", "w")
    if kind == "broken":
        reader, writer = os.pipe()
        os.close(reader)
        stdout = os.fdopen(writer, "w")
    if kind == "folder":
        stdout = os.open(folder, os.O_RDONLY)
    if kind == "closed":
        which = rnd.choice([(1,), (2,), (0, 1, 2), (0,)])
        preexec = lambda: [os.close(n) for n in which]
    result = attack.run(command, folder, timeout=60, stdout=stdout, stderr=stderr, preexec=preexec)
    for file in (stdout, stderr):
        hasattr(file, "close") and not isinstance(file, int) and opened.append(file)
    name = f"outputs: {command[0]} {kind}"
    attack.judge(name, result, command, folder, codes=(0, 1, 2, 3, 4), signalled=True, place=kind not in ("closed", "both-full", "error-full"))
    if kind in ("full", "both-full") and result.code == 0:
        attack.find("medium", name, "output to a full device ends with 0", command, folder, result)
    for place, names in ((folder, os.listdir(folder)),):
        for each in names:
            path = os.path.join(place, each)
            if kind == "closed" and each.endswith(".sqlite") and os.path.isfile(path) and b"SQLite" not in open(path, "rb").read(16):
                attack.find("high", name, f"{each} was overwritten by output", command, folder, result)
    if kind == "closed" and open(os.path.join(folder, "base", "history.sqlite"), "rb").read(15) != b"SQLite format 3":
        attack.find("high", name, "the history was overwritten by output", command, folder, result)
    for file in opened:
        try:
            file.close()
        except OSError:
            pass
    shutil.rmtree(folder, ignore_errors=True)


def folders():
    folder = prepare("folders")
    command = rnd.choice([["run", "rig.yaml", "--out", "disk/out"], ["run", "rig.yaml"], ["nightly", "rig.yaml"], ["simulate", "short.yaml", "--out", "disk/out"], ["report", "disk/base"], ["judge", "disk/base"], ["report", "base", "--share", "disk/s.zip"], ["compare", "base", "base", "--html", "disk/c.html"], ["nights", "add", "base", "--nights", "disk/n.sqlite"]])
    kind = rnd.choice(["full", "full", "removed", "replaced", "link", "renamed", "file", "latest"])
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    mounted = False
    if kind == "full":
        size = rnd.choice([64, 300, 400, 500, 700, 1000, 1500]) * 1024
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk], stderr=subprocess.DEVNULL).returncode == 0
    try:
        shutil.copytree(os.path.join(base, "base"), os.path.join(disk, "base"))
    except (OSError, shutil.Error):
        pass
    foreign = os.path.join(folder, "foreign")
    os.mkdir(foreign)
    open(os.path.join(foreign, "keep.txt"), "w").write("keep\n")
    if kind == "link":
        os.symlink("foreign", os.path.join(folder, "reports"))
    elif kind == "file":
        open(os.path.join(folder, "reports"), "w").write("x")
    elif kind == "latest":
        os.mkdir(os.path.join(folder, "reports"))
        rnd.choice([lambda p: os.mkdir(p), lambda p: os.symlink("latest", p), lambda p: os.symlink(foreign, p), lambda p: open(p, "w").close(), lambda p: os.mkfifo(p)])(os.path.join(folder, "reports", "latest"))

    def during(process):
        time.sleep(rnd.random() * 3)
        out = os.path.join(disk, "out") if "--out" in command else os.path.join(folder, "reports")
        if kind == "removed":
            shutil.rmtree(out, ignore_errors=True)
        elif kind in ("replaced", "renamed") and os.path.isdir(out):
            os.rename(out, out + "-away")
            if kind == "replaced":
                rnd.choice([lambda: open(out, "w").write("x"), lambda: os.symlink(foreign, out)])()
        time.sleep(rnd.choice([0, 1]))
        if process.returncode is None and command[0] in ("run", "nightly"):
            os.kill(process.pid, signal.SIGINT)
    result = attack.run(command, folder, timeout=45, during=during)
    name = f"folders: {command[0]} {kind}"
    attack.judge(name, result, command, folder, signalled=True)
    if open(os.path.join(foreign, "keep.txt")).read() != "keep\n":
        attack.find("high", name, "a foreign file was changed", command, folder, result)
    if mounted:
        subprocess.run(["umount", "-l", disk])
    shutil.rmtree(folder, ignore_errors=True)


while attack.more():
    sort = rnd.choice([signals, signals, limits, limits, outputs, folders])
    if attack.wants(sort.__name__):
        sort()
attack.end()
