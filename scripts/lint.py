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


def style_sheets(files, pages, scripts):
    """Braces; every class of a page is in a style sheet or sought by a script; every class styled is in a page."""
    word = "[a-z][a-z0-9-]*"
    styled = {}
    for file in files:
        text = re.sub(r'/\*.*?\*/|"[^"]*"', "", file.read_text(), flags=re.S)
        depth = 0
        for number, line in enumerate(text.split("\n"), 1):
            for sign in line:
                depth += {"{": 1, "}": -1}.get(sign, 0)
                if depth < 0:
                    complain(file, "line %d: a brace too many" % number)
                    depth = 0
        if depth:
            complain(file, "%d braces are not closed" % depth)
        for name in re.findall(r"\.(%s)" % word, text):
            styled.setdefault(name, file)
    script = "".join(file.read_text() for file in scripts)
    sought = set(re.findall(r"\.(%s)" % word, script))
    literals = set()
    for file in pages + scripts:
        text = file.read_text()
        for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
            literals.update(re.findall(word, literal))
        # What an interpolation follows is the beginning of a name: s1, h3.
        for classes, end in re.findall(r'class=\\?"([^"\\]*)(\\\(|)', text):
            names = re.findall(word, classes)
            if end and names and not classes.endswith(" "):
                names.pop()
            for name in names:
                if name not in styled and name not in sought:
                    complain(file, "no style sheet knows the class '%s'" % name)
    for name, file in styled.items():
        if name not in literals and not re.fullmatch("[a-z][0-9]", name):
            complain(file, "no page has the class '%s'" % name)


folders = {}
for file in sorted(SOURCES.rglob("*.py")):
    folders.setdefault(file.parent, []).append(file)
for folder, files in folders.items():
    python(folder, files)
scripts = sorted(SOURCES.rglob("*.js"))
javascript(scripts)
style_sheets(sorted(SOURCES.rglob("*.css")), sorted(SOURCES.rglob("*.swift")), scripts)
print("\n".join(problems) or "lint: scripts and style sheets are in order")
sys.exit(1 if problems else 0)
