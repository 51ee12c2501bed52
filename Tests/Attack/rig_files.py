"""Attacks rigs: the files of rigs/ mutated by key, by value and by YAML's own features.

Each attempt makes one rig and gives it to validate, simulate, run --virtual or race --virtual, some
with --set. Beside the rules of the harness: an error of a rig (exit code 2) names the file, a line or the
option, and a secret from the environment or a file is never shown. A rig that simulate takes must
not have been refused by validate, and the other way round.
"""
import glob
import os
import re
import shutil
from harness import Attack, CANARY

attack = Attack(__doc__, 1000)
rnd = attack.random

BIG = ["9223372036854775807", "-9223372036854775808", "18446744073709551615", "1e308", "-1e308", "1e-320", ".inf", "-.inf", ".nan", "0x7fffffffffffffff",
       "0o777", "0b11", "1_000_000", "1:30:00", "12e03", "-0", "+1", "00", "1.", ".5", "9" * 400, "0." + "0" * 400 + "1"]
UNITS = ["s", "ms", "us", "ns", "m", "h", "d", "/s", "/m", "/h", "%", "kB", "MB", "GB", "", " s", "S", "μs", "x", "s s"]
WORDS = ["~", "null", "true", "yes", "on", "''", '""', "[]", "{}", "[[]]", "{a: }", "? a", "- a", "!!binary aGk=", "!!int 'x'", "!!set {a}", "!!float 7", "!foo bar",
         "!!str", "!!python/object:os.system x", "2026-11-22", "2026-11-22T00:00:00Z", "*nowhere", "&a [*a]", "<<", "'<<'", "=", "|", ">", "|+\n\n\n", ">-9", "'''", '"\\x00"', '"\\u202e"',
         '"\\ud800"', '"\\U0010ffff"', '"\\e[31mred"', '"\\0"', "\ufeffx", "\u2028x", "x\u0085y", "\u00a0", "ｓｍｏｋｅ", "١٢", "Ⅻs", "5\u200bs", "−5s", "5s", "٣s", "1\u00a0s", "½s", "²s", "e\u0301" * 50,
         "${" + "A" * 300 + "}", "${CANARY}", "${file:secret.txt}", "${file:/dev/zero}", "${file:/proc/self/mem}", "${file:.}", "${file:fifo}", "${NOPE}", "${}", "${${CANARY}}", "$${CANARY}", "${file:}", "${file:\0}", "${file:../../../../etc/hostname}",
         "uniform(1s, 0s)", "uniform(-1s, 1s)", "lognormal(median 0s, p95 0s)", "lognormal(median 1ns, p95 366d)", "lognormal(median 9s, p95 8s)", "exponential(mean 1s)", "fixed 1e308s", "uniform(1s,", "uniform((((", "normal(1s, -1s)", "uniform(0ns, 1000000d)", "empirical()",
         "errors < 1%", "households failed == NaN", "poll-token p100 < 1s", "poll-token p99.99999999999999999 < 1s", "p50 <", "kind \"x\": errors < 1%", "not an operation 200", "violations >= -1", "=cmd|x", "<script>alert(1)</script>", "../../../../tmp/x", "/etc/passwd", "a" * 300, "a" * 70000]
KEYS = ["rig", "seed", "load", "kinds", "target", "<<", "~", "?", "[a]", "{a: b}", "''", "1", "true", "accounts", "thresholds", "shows", "lanes", "a" * 1000, "\u202e", '"\\0"', "nightly", "races", "policies", "standin", "faults", "known", "promises", "validity", "polling", "code", "after-sign-in"]


def value():
    kind = rnd.random()
    if kind < 0.35:
        number = rnd.choice(BIG + ["0", "1", "-1", "2", "100", "1000000", "0.0000001", "31622400", "20000001"])
        return number + rnd.choice(UNITS)
    if kind < 0.85:
        return rnd.choice(WORDS)
    return rnd.choice(["[", "{"]) * rnd.choice([1, 65, 1000]) + rnd.choice(["", "a", ": "])


def split(line):
    match = re.match(r"^(\s*(?:- )?)([\w-]+): ?(.*)$", line)
    return match


def mutate(text):
    """Some small changes of lines, then perhaps one of the file as a whole."""
    lines = [line for line in text.split("\n") if not line.lstrip().startswith("#")] or [""]
    for _ in range(rnd.choice([1, 1, 1, 2, 3, 8])):
        at = rnd.randrange(len(lines))
        match = split(lines[at])
        kind = rnd.choice(["value"] * 6 + ["key", "drop", "double", "indent", "swap", "insert", "anchor", "merge", "inner", "tab", "block"])
        if kind == "value" and match:
            lines[at] = match[1] + match[2] + ": " + value()
        elif kind == "key" and match:
            lines[at] = match[1] + rnd.choice(KEYS) + ": " + match[3]
        elif kind == "drop" and len(lines) > 1:
            del lines[at]
        elif kind == "double":
            lines[at:at] = [lines[at]] * rnd.choice([1, 1, 50])
        elif kind == "indent":
            lines[at] = " " * rnd.choice([1, 2, 3, 90]) + lines[at]
        elif kind == "swap":
            other = rnd.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == "insert":
            lines.insert(at, " " * rnd.choice([0, 0, 2, 4]) + rnd.choice(KEYS) + ": " + value())
        elif kind == "anchor" and match:
            lines[at] = match[1] + match[2] + ": &x " + match[3]
            lines.append(rnd.choice(["seed: *x", "load: *x", "kinds: [*x, *x]", "target: {base: *x}", "rig: *x"]))
        elif kind == "merge":
            lines.insert(at, "<<: " + rnd.choice(["{rig: x}", "[{rig: a}, {seed: 2}]", "x", "*y", "{<<: {<<: {rig: z}}}"]))
        elif kind == "inner" and match and match[3]:
            place = rnd.randrange(len(match[3]) + 1)
            lines[at] = match[1] + match[2] + ": " + match[3][:place] + rnd.choice(BIG + ["-", ",", "]", "}", "\"", "\u0661", " ", "e9", "\0", "\x1b[2J"]) + match[3][place + rnd.randint(0, 1):]
        elif kind == "tab":
            lines[at] = "\t" + lines[at]
        elif kind == "block" and match:
            lines[at] = match[1] + match[2] + rnd.choice([": |\n", ": >\n", ": |2-\n"]) + "      " + match[3]
    made = "\n".join(lines)
    whole = rnd.random()
    if whole < 0.02:
        made = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"b{i}: &b{i} [" + ",".join([f"*{'a' if i == 0 else 'b' + str(i - 1)}"] * 9) + "]\n" for i in range(9)) + made
    elif whole < 0.04:
        made = made + "\n---\n" + made
    elif whole < 0.05:
        made = "%YAML 9.9\n%TAG ! tag:x,2000:\n---\n" + made
    elif whole < 0.06:
        return made.encode(rnd.choice(["utf-16", "utf-16-be", "utf-32", "utf-8-sig"]), "ignore")
    elif whole < 0.07:
        made = made + "\nkinds:\n" + "".join(f"  - name: k{i}\n    weight: {rnd.choice(['1', '0', '1e300', '1e-300'])}\n" for i in range(rnd.choice([2, 999, 1001])))
    elif whole < 0.08:
        made = "".join(f"u{i}: 1\n" for i in range(rnd.choice([30, 20000]))) + made
    elif whole < 0.09:
        made = made.replace("\n", rnd.choice(["\r", "\r\n", "\u2028", "\x0b"]))
    elif whole < 0.10:
        made = made + "\nx: " + "a" * rnd.choice([900000, 1100000])
    elif whole < 0.11:
        made = made[:rnd.randrange(len(made) + 1)]
    data = made.encode("utf-8", "surrogatepass")
    if rnd.random() < 0.03 and data:
        at = rnd.randrange(len(data))
        data = data[:at] + rnd.randbytes(2) + data[at + 1:]
    return data


def settings():
    """Options of --set: paths that exist, that do not, and that are strange."""
    paths = ["rig", "seed", "load.settle", "load.arrivals", "load.arrivals.0", "load.arrivals[0].hold", "kinds.0.weight", "kinds.name", "lanes", "polling.every", "polling.pollers", "code.ttl", "target.base",
             "target.timeout", "target.headers.X", "target.mvpds", "thresholds", "shows", "record", "connections", "source-addresses", "forwarded-for", "accounts", "after-sign-in", "validity.busy", "", ".", "..", "a.b.c.d",
             "kinds.-1.name", "kinds.999999999999.name", "<<", "rig.x", "\u202e", "standin.throttle", "policies.visibility", "target.max-hops", "target.response-limit", "kinds.0.second-screens", "nightly.keep", "validity.lateness-p99"]
    return rnd.choice(paths) + rnd.choice(["=", "=", "=", "", "=="]) + value().replace("\0", "")


def prepare(folder):
    for path in glob.glob(os.path.join(attack.rigs, "*")):
        if os.path.isfile(path) and not path.endswith((".md", ".json")):
            shutil.copy(path, folder)
    shutil.copytree(os.path.join(attack.rigs, "targets"), os.path.join(folder, "targets"))
    with open(os.path.join(folder, "secret.txt"), "w") as file:
        file.write(CANARY)
    with open(os.path.join(folder, "accounts.csv"), "w") as file:
        file.write("mvpd,user,password\nDemoCable,ann," + CANARY + "\n")


sources = sorted(glob.glob(os.path.join(attack.rigs, "*.yaml")) + glob.glob(os.path.join(attack.rigs, "races", "*.yaml")))
sources = [s for s in sources if "platform-program" not in s]
while attack.more():
    source = rnd.choice(sources)
    folder = attack.folder("rig")
    prepare(folder)
    text = open(source, encoding="utf-8").read()
    data = mutate(text) if rnd.random() < 0.85 else text.encode()
    # Nothing off loopback is ever meant; a mutated name stays unresolved because of the host check.
    with open(os.path.join(folder, "m.yaml"), "wb") as file:
        file.write(data)
    extra = []
    for _ in range(rnd.choice([0, 0, 1, 3])):
        extra += ["--set", settings()]
    env = {"CANARY": CANARY, "A" * 300: CANARY, "SOFTWARE_STATEMENT": CANARY}
    name = "rig: " + os.path.basename(source)
    arguments = ["validate", "m.yaml"] + extra
    checked = attack.run(arguments, folder, env=env, timeout=60)
    attack.judge(name, checked, arguments, folder, codes=(0, 2))
    if checked.code == 2 and "m.yaml" not in checked.text and "--set" not in checked.text:
        attack.find("medium", name, "a refusal without a place", arguments, folder, checked)
    if re.search("[\x1b\x9b\u202e\x00\u2028]", checked.text):
        attack.find("low", name, "control sequence of the rig on the terminal", arguments, folder, checked)
    households = re.search(r"^households +([\d,]+)", checked.out, re.M)
    lasts = re.search(r"^run duration +about ([\d.,]+) (ms|s|min|h|d|us)?", checked.out, re.M)
    small = households and int(households[1].replace(",", "")) <= 60 and lasts and lasts[2] in ("s", "ms", "us")
    if checked.code == 2 or small:
        command = "race" if "races" in source and rnd.random() < 0.7 else "simulate"
        arguments = [command, "m.yaml"] + (["--virtual", "--trials", "3"] if command == "race" else []) + extra + ["--out", "out"]
        ran = attack.run(arguments, folder, env=env, timeout=60)
        attack.judge(name, ran, arguments, folder)
        if (checked.code == 2) != (ran.code == 2) and "embedded" not in ran.text and "races" not in ran.text and command == "simulate":
            attack.find("low", name, f"validate says {checked.code}, simulate says {ran.code}", arguments, folder, ran)
        for place, _, files in os.walk(os.path.join(folder, "out")):
            for file in files:
                if CANARY.encode() in open(os.path.join(place, file), "rb").read():
                    attack.find("high", name, f"a secret in {file}", arguments, folder, ran)
        if ran.code == 0 and re.search(r"Passed: 0 of", ran.text):
            attack.find("high", name, "passes with nobody signed in", arguments, folder, ran)
    shutil.rmtree(folder, ignore_errors=True)
attack.end()
