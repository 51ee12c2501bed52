"""The table of the matrix, and how it gets between the markers of a page."""

import re


def cause(output):
    """What the command said was wrong, in a few words; its verdict, where nothing was."""
    for pattern in (r"^error: ([^\n]*\n(?: {7}[^\n]*\n)*)", r" +\w+ +FAILED +([^\n]*(?:\n {20,}[^\n]*)*)",
                    r"^discarded: ([^\n]*(?:\n  [^\n]*)*)", r"^first: ([^\n]*)", r"^((?:Passed|Failed|Could not run)[^\n]*)"):
        found = re.search(pattern, output, re.M)
        if found:
            return " ".join(found.group(1).split())
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def summary(done, total, minutes, date, missing):
    def count(pattern):
        return sum(1 for cell in done if any(re.match(pattern, each) for each in cell.problems))

    others = sum(1 for cell in done if cell.problems)
    span = "" if minutes is None else f" in {minutes:.0f} min"
    text = (f"{len(done):,} of {total:,} cells{span}, {date}: {count('crash')} crashes, {count('hang|Ctrl-C')} hangs, "
            f"{count('wrong cause|it passed|the cause')} wrong causes, {count('memory')} above 200 MB; "
            f"{others} cells with any finding. Longest {max((c.seconds for c in done), default=0):.0f} s, "
            f"most memory {max((c.megabytes for c in done), default=0):.0f} MB.")
    return text + "".join(f" Left out: {each}." for each in missing)


COLUMNS = [(command, "direct") for command in ("run", "try", "race", "replay", "nightly", "calibrate")] + [
    (command, "multi") for command in ("run", "try", "race", "replay", "nightly")]


def markdown(done):
    heads = [f"{command} {engine[0]}" for command, engine in COLUMNS]
    lines = ["| fault | " + " | ".join(heads) + " | most s | most MB | what `run` said first |",
             "|---" * (len(heads) + 4) + "|"]
    rows = {}
    for cell in done:
        rows.setdefault(cell.fault.label, {})[cell.command, cell.engine] = cell
    for name, row in rows.items():
        codes = []
        for column in COLUMNS:
            cell = row.get(column)
            codes.append("" if cell is None else f"**{cell.code}**" if cell.problems else str(cell.code))
        told = row.get(("run", "direct")) or row.get(("run", "multi")) or next(iter(row.values()))
        words = told.cause.replace("|", "\\|")
        words = re.sub(r"127\.0\.0\.1:\d+", "HOST:PORT", words)
        lines.append(f"| {name} | " + " | ".join(codes) + f" | {max(c.seconds for c in row.values()):.0f} | "
                     f"{max(c.megabytes for c in row.values()):.0f} | {words[:150]} |")
    return "\n".join(lines)


def write(path, name, text):
    """Puts `text` between `<!-- NAME -->` and `<!-- /NAME -->` of a page, which has both."""
    with open(path) as file:
        page = file.read()
    pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
    changed, count = re.subn(pattern, lambda found: found.group(1) + text + "\n" + found.group(2), page, flags=re.S)
    if count != 1:
        raise SystemExit(f"{path} has no markers <!-- {name} --> and <!-- /{name} -->")
    with open(path, "w") as file:
        file.write(changed)
