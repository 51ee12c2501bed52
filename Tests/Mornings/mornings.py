#!/usr/bin/env python3
"""Mornings: nights with planted changes and deploys, made in virtual time, and what the digest alone says of each.

  python3 Tests/Mornings/mornings.py --screenrig .build/debug/screenrig --work /tmp/mornings

Every story begins with the same quiet nights of rigs/nightly.yaml, one a day from 1 November 2026, each with a seed of its own; then
its own nights follow. Each is simulated and added with 'nights add'; each morning's digest comes from 'nights --at 08:00 --notify'.

The service whose change is planted is the stand-in, and its settings stand in the rig: another rig, to screenrig, and no change of the
service. So the nights of a planted change get the terms of the quiet ones in nights.sqlite; only the story of the changed rig
keeps its own.

Prints a table, and ends with 0, or 1 and what did not hold. What is planted is known to nothing but this file.
"""
import argparse, concurrent.futures, datetime, json, os, pathlib, shutil, sqlite3, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
QUIET = 12
BASE = "standin.network.latency=lognormal(median 20ms, p95 30ms)"


def latency(milliseconds):
    return ["--set", "standin.network.latency=lognormal(median %.2fms, p95 %.2fms)" % (milliseconds, milliseconds * 1.5)]


class Night:
    """One night of a story: how its service was, its mark, and whether it ran."""

    def __init__(self, *words, mark="", gap="", rig=False, skipped=False):
        self.words, self.mark, self.gap, self.rig, self.skipped = list(words), mark, gap, rig, skipped


class Story:
    """`mornings`: by how many nights after the quiet ones, what the digest must say; `accept`: after so many nights, what is worse is
    accepted. On mornings that are not listed the nights are too few for anything to be certain."""

    def __init__(self, name, nights, mornings, mark="v1", accept=None):
        self.name, self.nights, self.mornings, self.mark, self.accept = name, nights, mornings, mark, accept


class Says:
    """What a digest must say: its colour; findings as (kind, name, {key of since: value}), no others; texts that it has, and has not."""

    def __init__(self, colour, *findings, has=(), lacks=(), may=()):
        self.colour, self.findings, self.has, self.lacks, self.may = colour, findings, has, lacks, may

    def wrong(self, digest):
        wrong = []
        if digest["colour"] != self.colour:
            wrong.append("is %s instead of %s" % (digest["colour"], self.colour))
        left = list(digest["findings"])
        for kind, name, since in self.findings:
            found = [f for f in left if f["kind"] in kind.split("|") and name in f["name"]]
            if not found:
                wrong.append("lacks %s %s" % (kind, name))
                continue
            left.remove(found[0])
            for key, value in since.items():
                if (found[0]["since"] or {}).get(key) != value:
                    wrong.append("%s of %s %s is %r instead of %r" % (key, kind, name, (found[0]["since"] or {}).get(key), value))
        wrong += ["has %s %s besides" % (f["kind"], f["name"]) for f in left if f["kind"] not in self.may]
        flat = " ".join(digest["text"].split())
        wrong += ["does not say %r" % words for words in self.has if words not in flat]
        wrong += ["says %r" % words for words in self.lacks if words in flat]
        return wrong


def day(number):
    return (datetime.date(2026, 11, 1) + datetime.timedelta(number)).isoformat()


def start(number):
    return day(number) + "T02:00:00Z"


SLOW = latency(26)
STALE = ["--fault", "stale-replica:lag=1500ms"]
NOISE = ["--fault", "noisy"]
SIGNED_IN = "sign-in-service p95"
CREATED = "registration-code p95"
EVENT = ["--set", "events=[{name: rollout, at: 6s}]"]
# A change of 30 % of every answer's time is told on its third night, by whichever series show it.
LATENCY = ("worse", CREATED, dict(night=start(QUIET), mark="v2", markBefore="v1", gradual=False))

STORIES = [
    Story("quiet weeks", [Night() for _ in range(6)], {n: Says("green") for n in range(1, 7)}),
    Story("latency is worse since a deploy", [Night(*SLOW, mark="v2") for _ in range(5)], {
        3: Says("red", LATENCY, may=("worse", "unusual"), has=["when the mark changed from v1 to v2"]),
        5: Says("red", ("still-worse", CREATED, dict(night=start(QUIET), mark="v2")), may=("still-worse", "worse", "unusual"),
                has=["neither gone nor accepted"]),
    }),
    Story("latency is worse, and mended", [Night(*SLOW, mark="v2") for _ in range(4)] + [Night(mark="v3") for _ in range(9)], {
        4: Says("red", ("still-worse", CREATED, dict(mark="v2")), may=("still-worse", "worse", "unusual")),
        5: Says("red", ("still-worse", CREATED, {}), may=("still-worse",), has=["as before the change: the next nights decide"]),
        13: Says("green", may=("better",)),
    }),
    Story("a burst of errors in one night", [Night(mark="v1"), Night(*NOISE, mark="v1"), Night(mark="v1")], {
        1: Says("green"),
        2: Says("red", ("failed", "errors", dict(night=start(QUIET + 1), mark="v1", markBefore="v1")),
                may=("unusual", "failed"), has=["Most frequent errors last night", "with the same mark as the night before (v1)"]),
        3: Says("green", ("better", "errors", {}), may=("better",), has=["met"]),
    }),
    Story("a promise is violated since a deploy, and no longer", [Night(mark="v1"), Night(*STALE, mark="v2"), Night(*STALE, mark="v2"), Night(mark="v3")], {
        1: Says("green"),
        2: Says("red", ("failed", "sign-in-visible", dict(night=start(QUIET + 1), mark="v2", markBefore="v1")), may=("failed", "unusual"),
                has=["The service violated sign-in-visible", "Since last night, when the mark changed from v1 to v2"]),
        3: Says("red", ("failed", "sign-in-visible", dict(night=start(QUIET + 1), mark="v2")), may=("failed", "unusual"),
                has=["Since the night of %s, when the mark changed from v1 to v2" % day(QUIET + 1)]),
        4: Says("green", ("better", "sign-in-visible", {}), may=("better",), has=["on 2 nights in a row since %s (v2)" % day(QUIET + 1)]),
    }),
    Story("a deploy that changes nothing", [Night(mark="v1"), Night(mark="v2"), Night(mark="v2")], {
        1: Says("green"),
        2: Says("green", has=["The mark changed from v1 to v2 last night; no change for the worse was proved with it so far."]),
        3: Says("green", lacks=["The mark changed"]),
    }),
    Story("a slow drift under two deploys", [Night(*latency(20 * 1.025 ** (n + 1)), mark="v2" if n < 6 else "v3") for n in range(16)], {
        16: Says("red", ("worse|still-worse", CREATED, dict(gradual=True, mark="")), may=("worse", "still-worse", "unusual"),
                 has=["a little worse every night", "no mark is named"]),
    }),
    Story("a night that never ran", [Night(), Night(skipped=True), Night(), Night()], {
        1: Says("green"),
        2: Says("amber", ("missing", "", {}), has=["1 night missing: none ran since %s" % day(QUIET)]),
        3: Says("amber", ("missing", "", {}), has=["1 night missing: none ran between %s and %s" % (day(QUIET), day(QUIET + 2))]),
        4: Says("green"),
    }),
    Story("a rig that was changed", [Night("--set", "load.arrivals=[{ramp-to: 14/s, over: 0s}, {hold: 12s}]", *SLOW, rig=True) for _ in range(3)], {
        1: Says("amber", ("rig-changed", "", {}), has=["The rig changed", "load", "not compared"]),
        2: Says("green", has=["2 of the 8 nights"]),
        3: Says("green", has=["3 of the 8 nights"]),
    }),
    Story("a night without values", [Night(), Night(gap="the rig was the bottleneck: lateness p99 was 48 ms"), Night()], {
        1: Says("green"),
        2: Says("amber", ("no-values", "", {}), has=["the rig was the bottleneck", "Nothing is compared"]),
        3: Says("green", has=["Values again after 1 night without"]),
    }),
    Story("a rollout during the night, with errors", [Night(mark="v1"), Night(*EVENT, *NOISE, mark="v1")], {
        1: Says("green"),
        2: Says("red", ("failed", "errors", dict(events=["rollout"])), may=("failed", "unusual"), has=["Event rollout at 6 s", "new in that night's run: event rollout"]),
    }),
    Story("a regression that was accepted", [Night(*SLOW, mark="v2") for _ in range(6)], {
        3: Says("green", lacks=["is back"]),
        6: Says("green", has=["no change for the worse proved"]),
    }, accept=3),
    Story("a regression and a violation at once", [Night(*SLOW, mark="v2") for _ in range(2)] + [Night(*SLOW, *STALE, mark="v3")], {
        3: Says("red", ("failed", "sign-in-visible", dict(night=start(QUIET + 2), mark="v3", markBefore="v2")), LATENCY,
                may=("failed", "worse", "unusual")),
    }),
]


class Workplace:
    def __init__(self, screenrig, folder):
        self.screenrig, self.folder = os.path.abspath(screenrig), os.path.abspath(folder)
        os.makedirs(self.folder, exist_ok=True)

    def call(self, words, folder):
        return subprocess.run([self.screenrig] + words, cwd=folder, capture_output=True, text=True)

    def simulate(self, number, words, folder):
        name = "reports/nightly-%sT020000Z" % day(number).replace("-", "")
        ended = self.call(["simulate", str(ROOT / "rigs/nightly.yaml"), "--quiet", "--seed", str(100 + number), "--set", BASE, "--out", name] + words, folder)
        if ended.returncode not in (0, 1):
            sys.exit("FAIL simulate: %s%s" % (ended.stdout, ended.stderr))
        return name

    def add(self, number, night, folder, story):
        name = self.simulate(number, night.words, folder)
        ended = self.call(["nights", "add", name, "--mark", night.mark or story.mark], folder)
        if ended.returncode not in (0, 1):
            sys.exit("FAIL nights add: %s%s" % (ended.stdout, ended.stderr))
        with sqlite3.connect(os.path.join(folder, "reports/nights.sqlite")) as database:
            if not night.rig:
                database.execute("UPDATE nights SET terms = (SELECT terms FROM nights ORDER BY started LIMIT 1) WHERE started = ?", (start(number),))
            if night.gap:
                database.execute("UPDATE nights SET gap = ?, outcome = 'invalid' WHERE started = ?", (night.gap, start(number)))

    def accept(self, number, folder):
        """Before the morning's digest: an acceptance counts from the time at which it was made, which is that of this machine's clock."""
        self.call(["nights", "accept", "--note", "new login page"], folder)
        with sqlite3.connect(os.path.join(folder, "reports/nights.sqlite")) as database:
            database.execute("UPDATE accepted SET at = ?", (day(number) + "T07:30:00Z",))

    def digest(self, number, folder):
        """Of the morning after a night, as a reader gets it."""
        ended = self.call(["nights", "--at", day(number) + "T08:00:00Z", "--notify", "cat > message.json"], folder)
        if ended.returncode not in (0, 1):
            sys.exit("FAIL nights: %s%s" % (ended.stdout, ended.stderr))
        with open(os.path.join(folder, "message.json")) as file:
            message = json.load(file)
        keep = os.path.join(folder, "digest-%s" % day(number))
        for key, ending in (("htmlFile", ".html"), ("textFile", ".txt")):
            shutil.copy(os.path.join(folder, message["digest"][key]), keep + ending)
        return message["digest"]

    def tell(self, story, base, name):
        """Makes the nights of a story, then asks for the digest of each morning; returns what is to be printed, and what is wrong."""
        folder = os.path.join(self.folder, name)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base, folder)
        lines, problems = [], []
        for offset, night in enumerate(story.nights, 1):
            if not night.skipped:
                self.add(QUIET + offset - 1, night, folder, story)
            if story.accept == offset:
                self.accept(QUIET + offset - 1, folder)
        for offset in range(1, len(story.nights) + 1):
            digest = self.digest(QUIET + offset - 1, folder)
            wrong = story.mornings[offset].wrong(digest) if offset in story.mornings else []
            lines.append("%s %s, morning %d: %s" % ("FAIL" if wrong else "ok  ", story.name, offset, digest["subject"]))
            if wrong:
                lines += ["       " + words for words in wrong] + ["       | " + line for line in digest["text"].split("\n")]
            problems += wrong
        return lines, problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenrig", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--only", default="", help="parts of names of stories, separated by commas")
    options = parser.parse_args()
    place = Workplace(options.screenrig, options.work)
    base = os.path.join(place.folder, "quiet")
    shutil.rmtree(base, ignore_errors=True)
    os.makedirs(base)
    quiet = Story("", [], {})
    for number in range(QUIET):
        place.add(number, Night(), base, quiet)
    chosen = [(index, story) for index, story in enumerate(STORIES, 1) if any(part in story.name for part in options.only.split(","))]
    problems, mornings = [], sum(len(story.nights) for _, story in chosen)
    # Stories have nothing in common but the quiet nights.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as workers:
        for lines, wrong in workers.map(lambda one: place.tell(one[1], base, "story-%d" % one[0]), chosen):
            print("\n".join(lines), flush=True)
            problems += wrong
    told = sum(len(story.mornings) for _, story in chosen)
    print("%d stories, %d mornings, %d of them with what they must say: %s"
          % (len(chosen), mornings, told, "%d problems" % len(problems) if problems else "every digest was right"))
    sys.exit(1 if problems else 0)


main()
