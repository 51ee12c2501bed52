"""Attacks rigs key by key: each key of the format, at its own place, with each wrong shape and number.

The keys are those of rigs/screenrig.schema.json; a place of it is reached by the smallest rig that has
it, by an option --set, or by a target file. No value may trap, hang or end without the line of the problem.
"""
import json
import os
import re
import shutil
from harness import Attack

attack = Attack(__doc__, 1500)
rnd = attack.random
VALUES = ["5", "text", "~", "''", "[]", "{}", "[1]", "{a: 1}", "[[]]", "[{}]", "[~]", "{'': ''}", "true", "-1", "1e999", "9223372036854775807", "9223372036854775808", "-9223372036854775808s", "9223372036854775807s", "106751d", "1e18/s",
          "1e-18/s", "0s", "0%", "100%", "101%", "1e300%", "18446744073709551615MB", "9223372036854775807B", ".nan", ".inf", "${X}", "\"\\0\"", "\"a\\nb\"", "|\n   block\n", "*a", "!!binary aGk=", "uniform(0s, 366d)", "lognormal(median 1ns, p95 366d)",
          "fixed 99999d", "2026-11-22", "0x10", "[5, 5, 5]", "[a, {b: c}, []]", "{x: {y: {z: []}}}", "\"\u202e\"", "1/1", "choose(", "choose()", "none", "all", "sample(0%)", "sample(1e-300%)", "/", "..", "a b", "127.0.0.0/8", "127.0.0.1/99", "::1", "http://", "https://[::1", "http://127.0.0.1:99999", "HTTP://127.0.0.1:1/?#"]
MINIMAL = {"rig": "x", "target": "{base: embedded}", "load": "{closed: {households: 1}, settle: 100ms}"}


def places(schema, root, path=(), depth=0):
    """All paths of keys; '0' stands for an item of a list, 'NAME' for a free key."""
    while "$ref" in schema:
        node = root
        for part in schema["$ref"].lstrip("#/").split("/"):
            node = node[part]
        schema = node
    if path:
        yield path
    if depth > 7:
        return
    for key, below in schema.get("properties", {}).items():
        yield from places(below, root, path + (key,), depth + 1)
    extra = schema.get("additionalProperties")
    if isinstance(extra, dict):
        yield from places(extra, root, path + ("NAME",), depth + 1)
    items = schema.get("items")
    if isinstance(items, dict):
        yield from places(items, root, path + ("0",), depth + 1)
    for choice in ("anyOf", "oneOf", "allOf"):
        for below in schema.get(choice, []):
            yield from places(below, root, path, depth + 1)


def rig(path, value):
    """The smallest rig in which the path has the value, in flow style; other keys stay good."""
    inner = value
    for key in reversed(path[1:]):
        if key == "0":
            inner = f"[{inner}]"
        else:
            inner = "{" + f"{key}: {inner}" + "}"
    lines = {**MINIMAL, path[0]: inner}
    return "".join(f"{k}: {v}\n" for k, v in lines.items())


schema = json.load(open(os.path.join(attack.rigs, "screenrig.schema.json"), encoding="utf-8"))
found = sorted(set(places(schema, schema)))
cases = [(p, v) for p in found for v in VALUES]
rnd.shuffle(cases)
# Shapes before numbers: the first values of the list once for each key.
first = [(p, v) for p in found for v in VALUES[:6]]
for path, value in (first + cases):
    if not attack.more():
        break
    folder = attack.folder("key")
    open(os.path.join(folder, "p.pem"), "w").write("no key\n")
    way = rnd.random()
    text = rig(path, value)
    extra = []
    if way < 0.15:
        text = "".join(f"{k}: {v}\n" for k, v in MINIMAL.items())
        extra = ["--set", ".".join(path) + "=" + value]
    elif way < 0.2 and path[0] == "target":
        text = rig(("target", "from"), "t.yaml")
        open(os.path.join(folder, "t.yaml"), "w").write(rig(path, value).split("target: ", 1)[1].split("\n")[0] + "\n")
    open(os.path.join(folder, "m.yaml"), "w", encoding="utf-8").write(text)
    name = "key: " + ".".join(path)
    arguments = ["validate", "m.yaml"] + extra
    result = attack.run(arguments, folder, timeout=60)
    attack.judge(name, result, arguments, folder, codes=(0, 2))
    if result.code == 2 and not re.search(r"m\.yaml:\d+|t\.yaml|--set|p\.pem|m\.yaml", result.text):
        attack.find("medium", name, "a refusal without a place", arguments, folder, result)
    if result.code == 0 and re.search(r"\b(nan|inf|-\d)", result.out):
        attack.find("low", name, "a plan with nan, inf or a negative number", arguments, folder, result)
    if result.code == 0 and rnd.random() < 0.25 and not re.search(r"households +\d{3}", result.out):
        arguments = ["simulate", "m.yaml", "--out", "out"] + extra
        ran = attack.run(arguments, folder, timeout=60)
        attack.judge(name, ran, arguments, folder)
    shutil.rmtree(folder, ignore_errors=True)
attack.end()
