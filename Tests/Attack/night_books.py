"""Attacks `nights.sqlite`: damaged by value, by structure and by page, and given paths and runs that are not its own.

Each attempt shows, adds to, accepts in, or runs a night (in virtual time, --keep) with a damaged book. Beside the
rules of the harness: nothing outside the book's own runs is removed or changed, whatever the book says.
"""
import os
import re
import shutil
import sqlite3
from harness import Attack

attack = Attack(__doc__, 400)
rnd = attack.random
VALUES = ["NULL", "''", "0", "-1", "9223372036854775807", "-9223372036854775808", "9e999", "-9e999", "1e308", "0.0", "x'ff00'", "'x'", "'<script>alert(1)</script>'", "char(27)||'[31m'", "char(0)", "'..'", "'.'", "'/'", "'../precious/keep'", "'keep'", "'../precious/../precious/keep'", "'reports'",
          "'smoke-1'", "'2026-11-22T18:11:10Z'", "'9999999-11-22T18:11:10Z'", "'-1'", "'2026-02-31T25:61:61Z'", "'億億億億-01-01T00:00:00Z'", "replace(hex(zeroblob(50000)),'0','a')", "'errors'||char(10)||'errors'", "'sign-in-service p95'", "'pass'", "'a=b c=d'", "'\"><img src=x onerror=alert(1)>'", "'javascript:alert(1)'", "'=1'"]
RIG = "rig: s\ntarget: {base: embedded}\nload: {closed: {households: 2}, settle: 100ms}\nkinds:\n  - name: a\n    viewer: {notices-code: \"uniform(10ms, 20ms)\", signs-in: \"uniform(10ms, 20ms)\", gives-up: 0%}\nnightly: {series: [sign-in-service p95, errors], keep: 2}\n"

base = attack.folder("base")
open(os.path.join(base, "rig.yaml"), "w").write(RIG)
for seed in range(5):
    attack.run(["nightly", "rig.yaml", "--virtual", "--seed", str(seed), "--quiet"], base)
book = os.path.join(base, "reports", "nights.sqlite")
with sqlite3.connect(book) as db:
    # A longer series, so that levels and changes are looked for.
    for night in range(12, 40):
        db.execute("INSERT INTO nights SELECT ?, rig, ?, ?, '', 0, outcome, headline, gap, version, terms, series, mark, alarm FROM nights WHERE id = 1", (night, f"2026-10-{night - 11:02d}T01:00:00Z", f"old-{night}"))
        db.execute("INSERT INTO measures VALUES (?, 'sign-in-service p95', ?)", (night, 2900 + night % 5 + (900 if night > 30 else 0)))
tables = {}
with sqlite3.connect(book) as db:
    for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type='table'").fetchall():
        tables[table] = [r[1] for r in db.execute(f"PRAGMA table_info({table})")]
precious = os.path.join(base, "precious", "keep")
os.makedirs(precious)
shutil.copy(os.path.join(base, "reports", sorted(n for n in os.listdir(os.path.join(base, "reports")) if n.startswith("s-"))[0], "history.sqlite"), precious)
shutil.copy(os.path.join(precious, "history.sqlite"), base)
open(os.path.join(precious, "thesis.txt"), "w").write("mine\n")


def loosen(db, table):
    columns = ", ".join(r[1] for r in db.execute(f"PRAGMA table_info({table})"))
    db.execute(f"CREATE TABLE loose ({columns})")
    db.execute(f"INSERT INTO loose SELECT * FROM {table}")
    db.execute(f"DROP TABLE {table}")
    db.execute(f"ALTER TABLE loose RENAME TO {table}")


def damage(path):
    kind = rnd.choice(["cell"] * 6 + ["paths"] * 2 + ["structure"] * 2 + ["page"])
    if kind == "page":
        with open(path, "r+b") as file:
            for _ in range(rnd.choice([1, 3, 30])):
                file.seek(rnd.randrange(os.path.getsize(path)))
                file.write(bytes([rnd.randrange(256)]))
        return kind
    db = sqlite3.connect(path)
    table = rnd.choice(list(tables))
    column = rnd.choice(tables[table])
    if kind == "paths":
        # Only names of plain folders here: `..` and the like would take the attempt itself away.
        db.execute("UPDATE nights SET ours = 1, path = ?, run = ? WHERE id = ?", rnd.choice([("../precious/keep", "keep"), (os.path.join(os.path.dirname(os.path.dirname(path)), "precious", "keep"), "keep"), ("..", ".."), ("../precious/keep/.", "."), ("../precious/keep/", "keep")]) + (rnd.randint(1, 5),))
        said = "paths"
    elif kind == "cell":
        if rnd.random() < 0.6:
            loosen(db, table)
        value = rnd.choice(VALUES)
        where = rnd.choice(["", "WHERE rowid % 2 = 0", "WHERE rowid = 1"]) if table == "nights" else ""
        try:
            db.execute(f"UPDATE {table} SET {column} = {value} {where}")
        except sqlite3.Error:
            db.close()
            return None
        said = f"cell {table}.{column}={value[:30]}"
    else:
        what = rnd.choice(["drop", "rename", "empty", "view", "trigger", "many", "trigger-deep"])
        if what == "drop":
            db.execute(f"DROP TABLE {table}")
        elif what == "rename":
            db.execute(f"ALTER TABLE {table} RENAME COLUMN {column} TO gone")
        elif what == "empty":
            db.execute(f"DELETE FROM {table}")
        elif what == "view":
            db.execute(f"ALTER TABLE {table} RENAME TO real_{table}")
            db.execute(f"CREATE VIEW {table} AS SELECT * FROM real_{table}")
        elif what == "trigger":
            db.execute("CREATE TRIGGER t AFTER INSERT ON nights BEGIN UPDATE nights SET ours = 1, path = '../precious/keep', run = 'keep' WHERE id = 1; END")
        elif what == "trigger-deep":
            db.execute("CREATE TRIGGER t AFTER INSERT ON measures BEGIN DELETE FROM nights; DELETE FROM measures; END")
        else:
            loosen(db, "measures")
            for _ in range(8):
                db.execute("INSERT INTO measures SELECT * FROM measures")
        said = f"{what} {table}"
    db.commit()
    db.close()
    return said


def everything(folder):
    found = set()
    for place, _, names in os.walk(folder):
        found.update(os.path.relpath(os.path.join(place, n), folder) for n in names)
    return found


while attack.more():
    folder = os.path.join(attack.folder("night"), "in")
    shutil.copytree(base, folder, symlinks=True)
    try:
        said = damage(os.path.join(folder, "reports", "nights.sqlite"))
    except sqlite3.Error:
        continue
    if said is None:
        continue
    keep = rnd.choice([["--keep", "1"], ["--keep", "3"], []])
    arguments = rnd.choice([["nights"], ["nights", "show"], ["nights", "accept"], ["nights", "accept", "--series", "sign-in-service p95", "--note", "x"], ["nights", "add", "precious/keep"],
                            ["nightly", "rig.yaml", "--virtual", "--quiet", "--seed", "9"] + keep, ["nightly", "rig.yaml", "--virtual", "--quiet", "--seed", "9"] + keep])
    name = "nights: " + said
    before = everything(folder)
    result = attack.run(arguments, folder, timeout=60)
    attack.judge(name, result, arguments, folder)
    gone = {p for p in before - everything(folder) if not re.match(r"reports/(s-\d|nights)", p)}
    if gone:
        attack.find("high", name, f"removed {len(gone)} foreign files, such as {sorted(gone)[-1]}", arguments, folder, result)
    if "\x1b" in result.text or "\0" in result.text:
        attack.find("low", name, "control sequence of the book on the terminal", arguments, folder, result)
    page = os.path.join(folder, "reports", "nights.html")
    if os.path.exists(page):
        text = open(page, encoding="utf-8", errors="replace").read()
        if "<script>alert(1)" in text or "<img src=x" in text or 'href="javascript:' in text:
            attack.find("high", name, "markup of the book in nights.html", arguments, folder, result)
    shutil.rmtree(os.path.dirname(folder), ignore_errors=True)
attack.end()
