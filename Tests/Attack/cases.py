"""Attacks cases: JSON mutated by key and by value, replayed in virtual time, emitted, saved, and with a foreign rig.

Beside the rules of the harness: what `--emit python` prints is one program without a statement of the
case's own, `--emit har` is JSON, a case that is refused is named with the key, and `--save` writes
nothing but the case and its page.
"""
import ast
import copy
import glob
import json
import os
import shutil
from harness import Attack, CANARY

attack = Attack(__doc__, 500)
rnd = attack.random
CODE = "x\nimport os; os.system('touch PWNED')\n#"
VALUES = [None, True, 0, -1, 1, 2 ** 31, 2 ** 63 - 1, -2 ** 63, 2 ** 63, 2 ** 64, 1e308, -1e308, 1e-320, 0.5, "", "x", CODE, CODE.replace("\n", "\r"), CODE.replace("\n", "\f"), '"""\nimport os\n"""', "'''", "\\", "\\N{DASH}", "%s%n", "{0}",
          "\0", "\ud800", "\u202e", "\x1b[31m", "\u2028import os", "<script>alert(1)</script>", "</script>", "../../x", "/etc/passwd", "a" * 70000, [], {}, [[]], [None], {"a": None}, "embedded", "fresh", "lastByte", "poll-token", "authenticate", "logout", "tv", "phone",
          "9" * 400, "2026-13-45T99:99:99Z", "${CANARY}", "${file:secret.txt}"]
RIG = ["login: {command: ./evil.sh}\n", "accounts: {file: /dev/zero}\n", "accounts: {file: fifo}\n", "accounts: {file: ../../x.csv}\n", "lanes: 100000\n", "target: {base: http://192.0.2.1}\n", "seed: 99999999999999999999\n", "a: &a [*a]\n", "\0", "- x\n", "polling: {every: 1ns}\n", "polling: {pollers: 9999999}\n",
       "policies: {visibility: 366d}\n", "standin: {network: {latency: 366d}}\n", "standin: {network: {latency: 1ns}}\n", "kinds: []\n", "load: {closed: {households: 20000000}}\n", "races: []\n"]


def walk(node, path=()):
    yield path
    if isinstance(node, dict):
        for key in node:
            yield from walk(node[key], path + (key,))
    elif isinstance(node, list):
        for index in range(len(node)):
            yield from walk(node[index], path + (index,))


def change(case):
    said = []
    for _ in range(rnd.choice([1, 1, 1, 2, 4])):
        paths = [p for p in walk(case) if p and p[0] not in ("trial",)] + [p for p in walk(case) if p and p[0] == "trial"][:40]
        path = rnd.choice(paths)
        holder = case
        for part in path[:-1]:
            holder = holder[part]
        kind = rnd.choice(["set"] * 6 + ["drop", "double", "rename", "swap", "many", "rig", "rig"])
        if kind == "set":
            holder[path[-1]] = rnd.choice(VALUES)
        elif kind == "drop":
            del holder[path[-1]]
        elif kind == "double" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[path[-1]]))
        elif kind == "rename" and isinstance(holder, dict):
            holder[str(path[-1]) + rnd.choice(["x", "\0", "\u202e"])] = holder.pop(path[-1])
        elif kind == "swap" and isinstance(holder, list) and len(holder) > 1:
            rnd.shuffle(holder)
        elif kind == "many" and isinstance(holder, list):
            holder.extend([copy.deepcopy(holder[path[-1]])] * rnd.choice([9, 300, 20000]))
        elif kind == "rig" and isinstance(case.get("rig"), dict) and isinstance(case["rig"].get("source"), str):
            case["rig"]["source"] = rnd.choice([case["rig"]["source"] + rnd.choice(RIG), rnd.choice(RIG) + case["rig"]["source"], ""])
        said.append(kind + " " + ".".join(map(str, path)))
    return " ".join(said)


def spoil(text):
    """Damage of the text as a whole."""
    kind = rnd.choice(["cut", "flip", "deep", "twice", "bom", "dup", "nan", "comment", "long"])
    if kind == "cut":
        return text[:rnd.randrange(len(text))]
    if kind == "flip":
        at = rnd.randrange(len(text))
        return text[:at] + rnd.choice("[]{},:\"\\\0x9-") + text[at + 1:]
    if kind == "deep":
        return text.replace('"plan"', '"deep": ' + "[" * 100000 + "]" * 100000 + ', "plan"', 1)
    if kind == "twice":
        return text + text
    if kind == "bom":
        return "\ufeff" + text
    if kind == "dup":
        return text.replace('{', '{"schema": "x", "name": "y", ', 1)
    if kind == "nan":
        return text.replace("null", "NaN")
    if kind == "comment":
        return "// x\n" + text
    return text.replace('"name"', '"long": "' + "a" * 3000000 + '", "name"', 1)


folder = attack.folder("base")
attack.run(["simulate", os.path.join(attack.rigs, "detection.yaml"), "--fault", "ack-before-apply:window=30ms", "--out", "r",
            "--set", "load.arrivals=[{ramp-to: 10/s, over: 0s}, {hold: 4s}]", "--set", "shows=[]"], folder)
attack.run(["race", os.path.join(attack.rigs, "races", "poll-authenticate.yaml"), "--virtual", "--fault", "ack-before-apply:window=30ms", "--out", "q"], folder)
sources = [json.load(open(p)) for p in sorted(glob.glob(os.path.join(folder, "*", "cases", "*.json")))]
while attack.more():
    case = copy.deepcopy(rnd.choice(sources))
    name = "case: " + change(case)[:150]
    try:
        text = json.dumps(case, ensure_ascii=rnd.random() < 0.5)
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(case)
    if rnd.random() < 0.12:
        text = spoil(text)
    folder = attack.folder("case")
    open(os.path.join(folder, "c.json"), "w", encoding="utf-8").write(text)
    open(os.path.join(folder, "secret.txt"), "w").write(CANARY)
    os.mkfifo(os.path.join(folder, "fifo"))
    script = os.path.join(folder, "evil.sh")
    open(script, "w").write("#!/bin/sh\ntouch RAN\n")
    os.chmod(script, 0o755)
    arguments = rnd.choice([["replay", "c.json", "--virtual", "--times", "2"], ["replay", "c.json", "--virtual", "--times", "2", "--save"], ["replay", "c.json", "--emit", "python"],
                            ["replay", "c.json", "--emit", "har"], ["replay", "c.json", "--virtual", "--fixed-at", rnd.choice(["1%", "50%", "0%", "100%", "99.999999999999%", "-1%", "nan"])], ["replay", "c.json", "--emit", "python"]])
    before = set(os.listdir(folder))
    result = attack.run(arguments, folder, env={"CANARY": CANARY}, timeout=60)
    attack.judge(name, result, arguments, folder)
    if result.code == 2 and "c.json" not in result.text and "the rig in" not in result.text and "--fixed-at" not in result.text:
        attack.find("medium", name, "a refusal without a place", arguments, folder, result)
    if result.code == 0 and "python" in arguments:
        try:
            body = ast.parse(result.out).body
            foreign = [ast.unparse(n)[:60] for n in body if "PWNED" in ast.unparse(n) and isinstance(n, ast.Expr)] + [ast.unparse(n) for n in body if ast.unparse(n) == "import os"]
            if foreign:
                attack.find("high", name, "code of the case in the emitted script", arguments, folder, result)
        except (SyntaxError, ValueError):
            attack.find("low", name, "the emitted script does not compile", arguments, folder, result)
    if result.code == 0 and "har" in arguments:
        try:
            json.loads(result.out)
        except ValueError:
            attack.find("medium", name, "the emitted archive is no JSON", arguments, folder, result)
    made = set(os.listdir(folder)) - before
    if made - {"c.html"}:
        attack.find("high", name, f"made {sorted(made)}", arguments, folder, result)
    page = os.path.join(folder, "c.html")
    if os.path.exists(page) and "<script>alert(1)" in open(page, encoding="utf-8", errors="replace").read():
        attack.find("high", name, "markup in the page of the case", arguments, folder, result)
    if result.code != 0 and "emit" not in str(arguments) and "\x1b" in result.text:
        attack.find("low", name, "control sequence of the case on the terminal", arguments, folder, result)
    shutil.rmtree(folder, ignore_errors=True)
attack.end()
