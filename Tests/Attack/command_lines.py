"""Attacks the command line and the environment: options and arguments of every command at random, strange values,
variables that point to pipes, folders and devices, and what `calibrate` left in the user's state directory.

Beside the rules of the harness: a bad command line is exit code 2 with a word about what was bad, nothing
is written outside the folder of the attempt, and no secret of the environment is shown.
"""
import json
import os
import re
import shutil
from harness import Attack, CANARY

attack = Attack(__doc__, 800)
rnd = attack.random
COMMANDS = ["try", "run", "simulate", "race", "replay", "judge", "report", "export", "compare", "nightly", "nights", "serve", "init", "validate", "schema", "calibrate", "list", "explain", "help", "", "--version", "completion", "x"]
OPTIONS = {"--set": None, "--target": ["embedded", "http://127.0.0.1:1", "t.yaml", "ftp://x", "http://192.0.2.1", "file:///etc/passwd", "http://[::1]:1", "http://a@127.0.0.1", "//", "http://127.0.0.1:1/\r\nX: y"],
           "--seed": None, "--out": ["o", ".", "..", "/", "/dev/null", "", "rig.yaml", "a/b/c", "x" * 300, "o\nx", "\u202e", "-", "~", "/proc/self/o", "loop/x", "fifo", "full/"], "--lanes": None, "--record": ["all", "sample(1%)", "sample(0%)", "none", "sample(", "x"],
           "--max-rate": ["5/s", "none", "0/s", "1e-300/s", "1e300/s", "-1/s"], "--promises": ["strict", "observe", "x", "{a: b}"], "--allow": ["x", "", "*", "127.0.0.1", "a" * 300], "--fault": ["ack-before-apply:window=30ms", "ack-before-apply:window=-1s", "ack-before-apply:", ":", "x", "ack-before-apply:window=366d,window=1ms", "forget:share=1e300%"],
           "--quiet": [], "--json": [], "--dashboard": ["0", "1", "65536", "-1", ""], "--metrics": ["0", "99999"], "--virtual": [], "--kind": ["x", "", "living room"], "--bodies": [], "--plan": ["all", "x", "", "poll-authenticate"], "--for": ["1s", "0s", "-1s", "366d", "1e300d", "x", "1ns"],
           "--trials": None, "--times": None, "--fixed-at": ["99%", "100%", "0%", "99.99999999999999999%", "nan", "-1%"], "--emit": ["python", "har", "x"], "--save": [], "--share": ["s.zip", "/dev/full", ".", "", "o/s.zip"], "--household": None, "--violation": None, "--format": ["har", "jsonl", "curl", "x"],
           "--html": ["c.html", "/dev/full", ".", "", "a/b.html"], "--floor": ["5%", "-1%", "1e300%", "nan", "0"], "--nights": ["n.sqlite", "/dev/null", ".", "", "rig.yaml", "fifo", "a/n.sqlite"], "--notify": ["cat >got", "exit 3", "", "kill -9 $$", "sleep 1 &", "\0"[:0] or "yes | head -c 9000000"], "--keep": None, "--mark": ["x", "", "<script>", "\u202e", "a" * 100000, "=1"],
           "--series": ["x", "errors"], "--rig": ["x"], "--note": ["x", "a" * 70000], "--host": ["127.0.0.1", "x", "", "999.1.1.1"], "--port": ["0", "1", "65536", "-1"], "--tls": [], "--policy": ["x", "a=b", "code-reuse=until-expiry", "="], "--truth": ["truth.jsonl", "/dev/full", ".", ""], "--connections": None, "--rate": ["5/s", "0/s", "x", "1e300/s"],
           "--fresh": [], "--pooled": [], "--source-addresses": ["127.1.0.0/16", "x", "10.0.0.0/8", "127.0.0.1/-1"], "--ca": ["rig.yaml", "/dev/zero", "fifo", "missing"], "--strict": [], "--no-throttle": [], "-h": [], "--help": [], "--": [], "-": [], "--experimental-dump-help": [], "--generate-completion-script": ["bash", "zsh", "fish", "x"]}
NUMBERS = ["0", "1", "-1", "2", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e3", "0x1", " 1", "1 ", "", "x", "٣", "1_000", "+1", "nan", "100001"]
SETS = ["rig=x", "seed=1", "=", "a", "load.settle=0s", "lanes=2", "rig=", "target.base=http://192.0.2.1", "x" * 5000 + "=1", "load.closed.households=3"]
ARGUMENTS = ["rig.yaml", "rig.yaml", "rig.yaml", "run1", "run1", "run1/history.sqlite", "latest", "latest~1", "latest~0", "latest~-1", "latest~99999999999999999999", "7d", "0s", "1e9d", "99999999999d", "missing", "", ".", "/", "..", "/dev/null", "/dev/zero", "case.json", "new.yaml", "a" * 300, "a" * 5000, "loop", "\u202e", "\udcff\udcfe", "add", "accept", "show", "@rig.yaml", "~", "*", "errors", "sign-in-visible", "4", "first", "cause", "%s%n"]
VARIABLES = {"XDG_STATE_HOME": ["", "relative", "/dev/null", "/dev/full", "{}/state", "{}/fifo", "{}/loop", "/nonexistent/" + "a" * 300, "\udcff"], "HOME": ["", None, "/nonexistent", "{}"], "TMPDIR": ["", "/nonexistent", "{}/loop", "/dev/null"], "COLUMNS": ["0", "-1", "1", "9223372036854775807", "x", ""],
             "TERM": ["dumb", "", "xterm", None], "NO_COLOR": ["1", ""], "LANG": ["C", "tr_TR.UTF-8", "x", None], "LC_ALL": ["C", "ar_EG.UTF-8"], "TZ": ["Pacific/Apia", "x", ":/dev/zero", "UTC+99"], "GITHUB_STEP_SUMMARY": ["{}/step.md", "{}", "/dev/full", "{}/loop", "relative.md", "/dev/null", "{}/a/b"],
             "http_proxy": ["x", "http://127.0.0.1:1", "://"], "https_proxy": ["socks5://127.0.0.1:1"], "no_proxy": ["*", ","], "PATH": ["", None], "SOFTWARE_STATEMENT": [CANARY], "PWD": ["/nonexistent"], "SWIFT_BACKTRACE": ["enable=no"], "CANARY": [CANARY], "SQLITE_TMPDIR": ["/nonexistent"], "OPENSSL_CONF": ["/dev/null"], "SSL_CERT_FILE": ["/dev/null"]}
MEMORY = ['{"requestsPerSecond": 1e9, "record": "all", "lanes": 1, "date": "x", "version": "0.1.0"}', '{"requestsPerSecond": 1e-320, "record": "all", "lanes": 100000, "date": "\\u001b[31m", "version": ""}', '{"requestsPerSecond": 0, "record": "all", "lanes": 1, "date": "2026-11-22", "version": "0.1.0"}',
          '{"requestsPerSecond": -0.0, "record": "none", "lanes": 1, "date": "", "version": "0.1.0"}', "[" * 100000, "", "null", '{"requestsPerSecond": 9e999}', "\0" * 1000, '{"requestsPerSecond": 1000, "record": "aggregates", "lanes": 9223372036854775808, "date": "", "version": ""}']
RIG = "rig: r\ntarget: {base: embedded}\nload: {closed: {households: 2}, settle: 100ms}\nkinds:\n  - name: living room\n    viewer: {notices-code: \"uniform(10ms, 20ms)\", signs-in: \"uniform(10ms, 20ms)\", gives-up: 0%}\npolling: {every: 1s}\nlanes: 1\n"


def option():
    name = rnd.choice(list(OPTIONS))
    values = OPTIONS[name]
    if name == "--set":
        values = SETS
    elif values is None:
        values = NUMBERS
    if not values:
        return [name]
    return [name + "=" + rnd.choice(values)] if rnd.random() < 0.3 else [name, rnd.choice(values)]


base = attack.folder("base")
open(os.path.join(base, "rig.yaml"), "w").write(RIG)
attack.run(["simulate", "rig.yaml", "--out", "run1"], base)
attack.run(["race", os.path.join(attack.rigs, "races", "poll-authenticate.yaml"), "--virtual", "--fault", "ack-before-apply:window=30ms", "--out", "q"], base)
shutil.copy(os.path.join(base, "q", "cases", sorted(f for f in os.listdir(os.path.join(base, "q", "cases")) if f.endswith(".json"))[0]), os.path.join(base, "case.json"))
shutil.rmtree(os.path.join(base, "q"))
os.symlink("loop", os.path.join(base, "loop"))
os.chmod(os.path.join(base, "rig.yaml"), 0o600)
while attack.more():
    outer = attack.folder("cli")
    folder = os.path.join(outer, "in")
    shutil.copytree(base, folder, symlinks=True)
    os.mkfifo(os.path.join(folder, "fifo"))
    state = os.path.join(outer, "state", "screenrig")
    os.makedirs(state)
    open(os.path.join(state, "calibration.json"), "w").write(rnd.choice(MEMORY))
    env = {"XDG_STATE_HOME": os.path.join(outer, "state"), "CANARY": CANARY}
    for _ in range(rnd.choice([0, 0, 1, 2, 4])):
        key = rnd.choice(list(VARIABLES))
        value = rnd.choice(VARIABLES[key])
        env[key] = value if value is None else value.replace("{}", folder)
    command = rnd.choice(COMMANDS)
    arguments = [command] if command else []
    if rnd.random() < 0.8:
        arguments.append({"replay": "case.json", "report": "run1", "judge": "run1", "export": "run1", "compare": "run1", "explain": "errors"}.get(command, "rig.yaml") if command not in ("serve", "list", "schema", "calibrate", "nights", "init") else rnd.choice(["", "add", "accept", "n.yaml", "run1"]))
        arguments = [a for a in arguments if a]
    for _ in range(rnd.choice([0, 1, 1, 2, 3, 6])):
        arguments += option() if rnd.random() < 0.7 else [rnd.choice(ARGUMENTS)]
    # What blocks on a pipe or lasts by nature is ended by a signal: that is no hang of its own.
    lasting = command in ("serve", "calibrate", "race", "run", "try", "nightly", "replay") or "fifo" in str(arguments) or "fifo" in str(env)
    ended = []

    def during(process):
        import signal
        import time
        limit = time.monotonic() + (4 if lasting else 900)
        while process.returncode is None and time.monotonic() < limit:
            time.sleep(0.02)
        for number in (signal.SIGINT, signal.SIGINT):
            if process.returncode is None:
                ended.append(number)
                os.kill(process.pid, number)
                time.sleep(1)
    arguments = [a.replace("\0", "") for a in arguments]
    result = attack.run(arguments, folder, env=env, timeout=40, during=during)
    name = "command line: " + command
    codes = (0, 1, 2, 3, 4, 64) if command in ("completion", "x", "help", "") else (0, 1, 2, 3, 4)
    attack.judge(name, result, arguments, folder, codes=codes, signalled=bool(ended))
    strange = set(os.listdir(outer)) - {"in", "state"}
    if strange and not any(".." in a for a in arguments):
        attack.find("high", name, f"made {sorted(strange)}", arguments, folder, result)
    if result.code == 0 and re.search(r"\b(nan|inf)\b", result.out) and command == "validate":
        attack.find("low", name, "a plan with nan or inf", arguments, folder, result)
    if result.code == 0 and "--json" in arguments and command in ("compare", "calibrate"):
        try:
            json.loads(result.out)
        except ValueError:
            attack.find("medium", name, "--json is no JSON", arguments, folder, result)
    shutil.rmtree(outer, ignore_errors=True)
attack.end()
