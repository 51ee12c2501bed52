"""Attacks histories: `history.sqlite` damaged by SQL, by bytes and by what lies beside it.

Each attempt damages a copy of a recorded run and gives it to report, judge, compare, export or
`nights add`. Beside the rules of the harness: no run that was damaged so that facts are missing
passes if the undamaged one failed, no text of a history reaches a page as markup or a table as a
formula or a terminal as a control sequence, and no file outside the run is removed.
"""
import csv
import glob
import html.parser
import json
import os
import shutil
import sqlite3
import xml.dom.minidom
from harness import Attack

attack = Attack(__doc__, 1000)
rnd = attack.random

NUMBERS = ["NULL", "0", "-1", "1", "9223372036854775807", "-9223372036854775808", "4611686018427387904", "9e999", "-9e999",
           "1e308", "0.5", "4294967296", "2147483648", "-2147483649", "1000000000000000000", "''", "'x'", "'9'", "x'00ff'",
           "9223372036854", "-9223372036855", "86400000000000000", "zeroblob(70000)"]
MARK = "<script>alert(1)</script>"
TEXTS = [f"'{MARK}'", "'=cmd|x!A1'", "'@SUM(1)'", "'+1'", "'-1'", "char(27)||'[31mred'", "char(0)||'x'", "char(10)||'x'", "''",
         "NULL", "7", "x'ff'", "x'c0af'", "char(8238)||'x'", "'</script><b>'", "'\"><img src=x onerror=alert(1)>'",
         "hex(zeroblob(40000))", "'{}'", "'[]'", "'{\"a\":1}'", "'[[[[[]]]]]'", "replace(hex(zeroblob(20000)),'0','[')",
         "char(1114111)", "'\ufffe'", "'${HOME}'", "']]>'", "'a,b\nc'", "char(155)||'31m'", "'|a|b|'", "'[x](javascript:alert(1))'"]
OUTCOMES = ["'signed-in'", "'failed'", "'abandoned'", "'running'", "'ok'", "'pending'", "'success'", "'denied'", "'absent'"]


def base_runs():
    folder = attack.folder("base")
    smoke, broken = os.path.join(folder, "smoke"), os.path.join(folder, "broken")
    attack.run(["simulate", os.path.join(attack.rigs, "smoke.yaml"), "--out", smoke], folder)
    attack.run(["simulate", os.path.join(attack.rigs, "detection.yaml"), "--fault", "ack-before-apply:window=30ms", "--out", broken,
                "--set", "load.arrivals=[{ramp-to: 10/s, over: 0s}, {hold: 3s}]", "--set", "shows=[]"], folder)
    return smoke, broken


def schema(path):
    with sqlite3.connect(path) as db:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        return {t: [(r[1], r[2]) for r in db.execute(f"PRAGMA table_info({t})")] for t in tables}


def lax(path):
    """Opens the file without its constraints, so that any value fits: tables are made anew."""
    db = sqlite3.connect(path)
    return db


def loosen(db, table):
    columns = ", ".join(f'"{r[1]}"' for r in db.execute(f"PRAGMA table_info({table})"))
    db.execute(f"CREATE TABLE loose ({columns})")
    db.execute(f"INSERT INTO loose SELECT * FROM {table}")
    db.execute(f"DROP TABLE {table}")
    db.execute(f"ALTER TABLE loose RENAME TO {table}")


def cell(db, tables, folder):
    """One to five values anywhere become absurd; in one row, some rows or all."""
    said = []
    for _ in range(rnd.choice([1, 1, 2, 5])):
        table = rnd.choice([t for t in tables if tables[t]])
        column, kind = rnd.choice(tables[table])
        value = rnd.choice(NUMBERS if "int" in kind.lower() or rnd.random() < 0.2 else TEXTS + OUTCOMES)
        where = rnd.choice(["", f"WHERE rowid % {rnd.randint(2, 9)} = 0", "WHERE rowid = 1",
                            f"WHERE rowid = (SELECT max(rowid) FROM {table})"])
        if table == "meta":
            column, where = "value", f"WHERE key = '{rnd.choice([r[0] for r in db.execute('SELECT key FROM meta')])}'"
            value = rnd.choice(NUMBERS + TEXTS)
        if rnd.random() < 0.7:
            loosen(db, table)
        try:
            db.execute(f"UPDATE {table} SET {column} = {value} {where}")
        except sqlite3.Error:
            loosen(db, table)
            db.execute(f"UPDATE {table} SET {column} = {value} {where}")
        said.append(f"{table}.{column}={value[:20]}")
    return " ".join(said)


def structure(db, tables, folder):
    """Views for tables, triggers, generated columns, virtual tables, endless and huge rows."""
    table = rnd.choice(list(tables))
    names = [c for c, _ in tables[table]]
    kind = rnd.choice(["drop", "view", "endless", "huge", "generated", "trigger", "fts", "column", "duplicate", "without",
                       "clone", "lie", "collate", "recursion", "bigview"])
    if kind == "drop":
        db.execute(f"DROP TABLE {table}")
    elif kind in ("view", "endless", "huge", "recursion", "bigview"):
        db.execute(f"ALTER TABLE {table} RENAME TO real_{table}")
        columns = ", ".join(f'"{c}"' for c in names)
        query = f"SELECT {columns} FROM real_{table}"
        if kind == "endless":
            query = (f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                     f"SELECT {', '.join('r.' + c for c in names)} FROM n, real_{table} r")
        elif kind == "bigview":
            query = f"SELECT {', '.join('a.' + c for c in names)} FROM real_{table} a, real_{table} b, real_{table} c, real_{table} d, real_{table} e"
        elif kind == "huge":
            column = rnd.choice(names)
            query = "SELECT " + ", ".join("hex(zeroblob(300000000))" if c == column else c for c in names) + f" FROM real_{table}"
        elif kind == "recursion":
            query = f"SELECT {', '.join('a.' + c for c in names)} FROM {table} a"
        db.execute(f"CREATE VIEW {table} ({columns}) AS {query}")
    elif kind == "generated":
        db.execute(f"ALTER TABLE {table} ADD COLUMN extra_{rnd.randint(0, 9)} AS (hex(zeroblob(100000000)))")
    elif kind == "trigger":
        for what in ("INSERT", "UPDATE", "DELETE"):
            db.execute(f"CREATE TRIGGER t_{what} AFTER {what} ON {table} BEGIN DELETE FROM meta; END")
    elif kind == "fts":
        db.execute(f"DROP TABLE {table}")
        try:
            db.execute(f"CREATE VIRTUAL TABLE {table} USING fts5({', '.join(names)})")
        except sqlite3.Error:
            pass
    elif kind == "column":
        db.execute(f"ALTER TABLE {table} RENAME COLUMN {rnd.choice(names)} TO gone")
    elif kind == "duplicate":
        loosen(db, table)
        db.execute(f"INSERT INTO {table} SELECT * FROM {table}")
    elif kind == "without":
        db.execute(f"DELETE FROM {table}")
    elif kind == "clone":
        loosen(db, table)
        for _ in range(7):
            db.execute(f"INSERT INTO {table} SELECT * FROM {table} LIMIT 20000")
    elif kind == "lie":
        db.execute("PRAGMA writable_schema=ON")
        db.execute(f"UPDATE sqlite_master SET sql = replace(sql, '{rnd.choice(names)}', '{rnd.choice(['x', '', ')', 'id'])}') WHERE name = '{table}'")
    elif kind == "collate":
        db.execute("PRAGMA writable_schema=ON")
        db.execute(f"UPDATE sqlite_master SET sql = replace(sql, ' NOT NULL', ' COLLATE nosuch NOT NULL') WHERE name = '{table}'")
    return f"{kind} {table}"


def pages(path):
    with open(path, "r+b") as file:
        size = os.path.getsize(path)
        kind = rnd.choice(["flip", "zero", "cut", "swap", "header", "text"])
        if kind == "cut":
            file.truncate(rnd.randint(0, size))
        elif kind == "header":
            for _ in range(rnd.randint(1, 4)):
                file.seek(rnd.randint(16, 99))
                file.write(bytes([rnd.randint(0, 255)]))
        else:
            for _ in range(rnd.choice([1, 1, 4, 40])):
                page = rnd.randrange(max(1, size // 4096))
                if kind == "swap":
                    file.seek(rnd.randrange(max(1, size // 4096)) * 4096)
                    other = file.read(4096)
                    file.seek(page * 4096)
                    file.write(other)
                elif kind == "zero":
                    file.seek(page * 4096)
                    file.write(bytes(4096))
                else:
                    file.seek(page * 4096 + rnd.choice([rnd.randint(0, 60), rnd.randint(0, 4095)]))
                    file.write(bytes([rnd.randint(0, 255)]) if kind == "flip" else b"\xff\xfe\x00=")
    return kind


def beside(folder):
    """What may lie beside a history: logs of SQLite, lanes.bin, cases, links and pipes."""
    history = os.path.join(folder, "history.sqlite")
    kind = rnd.choice(["wal", "wal-random", "shm", "journal", "lanes", "fifo-lanes", "link", "folder", "cases", "report-folder", "cell-wal"])
    if kind == "wal":
        open(history + "-wal", "wb").close()
    elif kind == "wal-random":
        open(history + "-wal", "wb").write(rnd.choice([b"\x37\x7f\x06\x82", b""]) + rnd.randbytes(rnd.choice([28, 4096, 70000])))
    elif kind == "shm":
        open(history + "-wal", "wb").close()
        open(history + "-shm", "wb").write(rnd.randbytes(32768))
    elif kind == "journal":
        open(history + "-journal", "wb").write(bytes.fromhex("d9d505f920a163d7") + rnd.randbytes(2000))
        if rnd.random() < 0.5:
            open(history + "-wal", "wb").close()
    elif kind == "lanes":
        with sqlite3.connect(history) as db:
            db.execute("DELETE FROM meta WHERE key IN ('ended_ns', 'verdicts', 'history_hash', 'total_exchanges')")
        open(os.path.join(folder, "lanes.bin"), "wb").write(rnd.randbytes(rnd.choice([0, 1, 63, 64, 256, 5000, 300000])))
    elif kind == "fifo-lanes":
        os.mkfifo(os.path.join(folder, "lanes.bin"))
    elif kind == "link":
        os.rename(history, history + ".real")
        os.symlink(rnd.choice(["history.sqlite.real", "history.sqlite", "/dev/zero", "/dev/null", "/", "missing"]), history)
    elif kind == "folder":
        os.remove(history)
        os.mkdir(history)
    elif kind == "cases":
        shutil.rmtree(os.path.join(folder, "cases"), ignore_errors=True)
        os.symlink(rnd.choice(["/dev/null", "..", "missing"]), os.path.join(folder, "cases"))
    elif kind == "report-folder":
        name = os.path.join(folder, rnd.choice(["report.html", "summary.json", "junit.xml", "households.csv"]))
        os.path.exists(name) and os.remove(name)
        os.mkdir(name)
    elif kind == "cell-wal":
        db = sqlite3.connect(history)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("UPDATE households SET viewer_ns = -9223372036854775808, polls = -1")
        db.commit()
        for suffix in ("", "-wal"):
            shutil.copy(history + suffix, history + suffix + ".kept")
        db.close()
        for suffix in ("", "-wal"):
            os.rename(history + suffix + ".kept", history + suffix)
        with open(history + "-wal", "r+b") as file:
            file.seek(rnd.randrange(max(1, os.path.getsize(history + "-wal"))))
            file.write(rnd.randbytes(3))
    return kind


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.bad = []

    def handle_starttag(self, tag, attributes):
        if any(k.startswith("on") for k, _ in attributes) or (tag == "img" and ("src", "x") in attributes):
            self.bad.append(tag)
        if any(k in ("href", "src") and (v or "").strip().lower().startswith("javascript:") for k, v in attributes):
            self.bad.append(tag)


def look(name, folder, arguments, result):
    """Pages, tables and documents that came of it."""
    for place in glob.glob(os.path.join(folder, "run*")):
        for path in glob.glob(place + "/**/*", recursive=True):
            if not os.path.isfile(path) or "sqlite" in path:
                continue
            text = open(path, "rb").read().decode("utf-8", "replace")
            base = os.path.basename(path)
            if base.endswith(".html"):
                tags = Tags()
                tags.feed(text)
                if MARK in text or tags.bad:
                    attack.find("high", name, f"markup in {base}", arguments, folder, result)
            elif base.endswith(".csv"):
                for row in csv.reader(text.splitlines()):
                    if any(v[:1] in "=+@" and len(v) > 1 and not v[1:2].isdigit() for v in row):
                        attack.find("medium", name, f"formula in {base}", arguments, folder, result)
                        break
            elif base.endswith(".json"):
                try:
                    json.loads(text)
                except ValueError:
                    attack.find("medium", name, f"{base} is no JSON", arguments, folder, result)
            elif base.endswith(".xml"):
                try:
                    xml.dom.minidom.parseString(text)
                except Exception:
                    attack.find("medium", name, f"{base} is no XML", arguments, folder, result)


runs = base_runs()
tables = schema(os.path.join(runs[0], "history.sqlite"))
tables = {t: c for t, c in tables.items() if c and not t.startswith("sqlite")}
while attack.more():
    failing = rnd.random() < 0.35
    folder = attack.folder("h")
    run = os.path.join(folder, "run")
    shutil.copytree(runs[1] if failing else runs[0], run)
    history = os.path.join(run, "history.sqlite")
    sort = rnd.choice(["cell", "cell", "cell", "structure", "structure", "pages", "beside"])
    try:
        if sort == "pages":
            what = pages(history)
        elif sort == "beside":
            what = beside(run)
        else:
            db = sqlite3.connect(history)
            what = (cell if sort == "cell" else structure)(db, tables, folder)
            db.commit()
            db.close()
    except sqlite3.Error:
        continue
    shutil.copytree(runs[0], os.path.join(folder, "other"))
    arguments = rnd.choice([["report", "run"], ["judge", "run"], ["export", "run", "--household", "0", "--format", rnd.choice(["har", "jsonl", "curl"])],
                            ["export", "run", "--violation", "1"], ["compare", "run", "other", "--json"], ["compare", "other", "run", "--html", "run/c.html"],
                            ["nights", "add", "run"], ["report", "run", "--share", "run/s.zip"]])
    name = f"{sort}: {what}"
    if not attack.wants(name):
        continue
    result = attack.run(arguments, folder, timeout=15)
    attack.judge(name, result, arguments, folder)
    if "\x1b" in result.text or "\x9b" in result.text or "\u202e" in result.text or "\0" in result.text:
        attack.find("low", name, "control sequence of the history on the terminal", arguments, folder, result)
    if failing and arguments[0] == "judge" and result.code == 0:
        attack.find("high", name, "a failed run passes when it is judged again", arguments, folder, result)
    look(name, folder, arguments, result)
    shutil.rmtree(folder, ignore_errors=True)
attack.end()
