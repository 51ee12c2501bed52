#!/usr/bin/env python3
"""Checks the scripts and style sheets under Sources, which are compiled into the binary as they stand:
   Python and JavaScript by their own parsers, every global name of the emitted script, braces and classes of CSS."""
import ast, builtins, pathlib, re, shutil, subprocess, symtable, sys

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "Sources"
problems = []


def complain(file, words):
    problems.append("%s: %s" % (file.relative_to(SOURCES.parent), words))


def globals_of(table, wanted):
    """The global names that this scope and those within it assign, or use."""
    for symbol in table.get_symbols():
        if wanted(symbol) and (symbol.is_global() or table.get_type() == "module"):
            yield symbol.get_name()
    for child in table.get_children():
        yield from globals_of(child, wanted)


def python(folder, files):
    """Files of one folder are parts of one script: what one uses, another may define."""
    tables = {}
    for file in files:
        try:
            ast.parse(file.read_text(), feature_version=(3, 8))
            tables[file] = symtable.symtable(file.read_text(), str(file), "exec")
        except SyntaxError as error:
            complain(file, "line %s: %s" % (error.lineno, error.msg))
    known = set(dir(builtins)) | {"__name__", "__file__"}
    for table in tables.values():
        known.update(globals_of(table, lambda s: s.is_assigned() or s.is_imported()))
    for file, table in tables.items():
        for name in sorted(set(globals_of(table, lambda s: s.is_referenced())) - known):
            if not re.fullmatch("__[A-Z]+__", name):
                complain(file, "%s is not defined" % name)


def javascript(files):
    node = shutil.which("node")
    if not node:
        print("lint: no node, so %d JavaScript files are not checked" % len(files))
        return
    for file in files:
        check = subprocess.run([node, "--check", file], capture_output=True, text=True)
        if check.returncode:
            complain(file, check.stderr.strip())


folders = {}
for file in sorted(SOURCES.rglob("*.py")):
    folders.setdefault(file.parent, []).append(file)
for folder, files in folders.items():
    python(folder, files)
javascript(sorted(SOURCES.rglob("*.js")))
print("\n".join(problems) or "lint: scripts and style sheets are in order")
sys.exit(1 if problems else 0)
