#!/usr/bin/env python3
"""Shards on a Slurm that really runs: four nodes on this machine, eight shards, a node that is killed, and the merge.

  python3 Tests/Cluster/cluster.py --screenrig .build/release/screenrig --work /tmp/cluster --kill --install
  python3 Tests/Cluster/cluster.py --screenrig .build/debug/screenrig --work /tmp/cluster --households 64      the short form

Starts `screenrig serve`, writes a rig, and has `screenrig manifest slurm` write the script that a user would submit; submits it by
`bash FILE`. With --kill one node's processes (slurmd, slurmstepd, the jobs') get SIGKILL in the middle; Slurm finds the node gone and
runs its shards again on the others. The merge is the job that the script submitted behind the array. Then the same plan in one
process.

Checked, from the histories and from what the service counted itself:
  every planned household was begun in one attempt of one shard, or is named as lost; none in two
  the merged run has the same, each once
  those that ended had the same outcome as in one process
  all shards' first requests left within 100 ms of when the plan has them after the common start (p99: the latest of eight)
Ends with 0, or 1 and what did not hold; prints 'SKIPPED reason' where there can be no cluster. Nothing that it starts outlives it.
"""
import argparse, csv, datetime, json, os, pathlib, re, shutil, sqlite3, statistics, subprocess, sys, time, traceback, urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import slurm

SHARDS = 8
# A local address is never asked of a proxy.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
problems = []

# Households differ: some viewers give up, some mistype. Which is drawn from the seed, for each household alone.
RIG = """rig: cluster
seed: 23
target: {base: "http://127.0.0.1:1"}
load:
  arrivals: [{ramp-to: %(rate)d/s, over: 0s}, {hold: %(seconds)ds}]
  settle: 2s
kinds:
  - name: living room
    weight: 80
    viewer: {notices-code: "uniform(300ms, 900ms)", signs-in: "uniform(300ms, 900ms)", gives-up: 10%%}
  - name: clumsy
    weight: 20
    viewer: {notices-code: "uniform(300ms, 900ms)", signs-in: "uniform(300ms, 900ms)", gives-up: 0%%, wrong-password: 50%%}
forwarded-for: per-device
polling: {every: 3s}
after-sign-in: [authorize, media-token]
record: all
thresholds: [errors < 1%%, households abandoned < 50%%]
"""


def expect(holds, words):
    print("%s %s" % ("ok  " if holds else "FAIL", words), flush=True)
    if not holds:
        problems.append(words)


class Service:
    """`screenrig serve` in a process of its own."""

    def __init__(self, screenrig, folder):
        self.process = subprocess.Popen([screenrig, "serve", "--port", "0"], cwd=folder, stdout=subprocess.PIPE, text=True)
        self.base = self.process.stdout.readline().strip()

    def counters(self):
        return json.load(OPENER.open(self.base + "/_standin/counters", timeout=10))

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


class Run:
    """One run directory."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        # Of a process that was killed the last seconds are in its log: opened to write, SQLite reads it.
        with sqlite3.connect(self.path / "history.sqlite") as database:
            self.meta = dict(database.execute("SELECT key, value FROM meta"))
            self.households = {row[0]: row[1:] for row in database.execute("SELECT household, kind, fate, abandoned_by, ended_ns, cause FROM households")}
            self.first = database.execute("SELECT planned_ns, begun_ns FROM exchanges ORDER BY planned_ns LIMIT 10").fetchall()
            self.exchanges = database.execute("SELECT count(*), count(DISTINCT household || '/' || sequence) FROM exchanges").fetchone()
        self.lost = {int(n) for n in self.meta.get("shard_lost", "").split(",") if n}
        self.shard, self.attempt = int(self.meta.get("shard_number", -1)), int(self.meta.get("shard_attempt", 1))

    @property
    def ended(self):
        """Households that lived to their end; those that the run's own end stopped did not, nor those of a killed process."""
        return {n for n, (_, _, by, end, _) in self.households.items() if end is not None and by != "run"} - self.killed

    @property
    def killed(self):
        """Of a merged run: households that waited until their process was killed."""
        return {n for n, (*_, cause) in self.households.items() if cause == "its process was killed"}

    def lateness(self):
        """By how many milliseconds, by the wall clock, its first requests left the rig after the time at which the plan and the common
        start have them: the median of ten. None for an attempt that goes on."""
        asked = self.meta.get("shard_start_at_us")
        if not asked:
            return None
        zero = int(self.meta["started_us"]) - int(asked)
        return statistics.median(zero + (begun - planned) / 1000 for planned, begun in self.first) / 1000


def submit(cluster, folder, screenrig, start):
    # REPORTS, SCREENRIG and START_AT are what the script says that a user may set.
    environment = {"SCREENRIG": screenrig, "REPORTS": str(folder / "reports"), "START_AT": start}
    ended = cluster.run("bash", "cluster.sh", cwd=folder, environment=environment)
    found = re.search(r"shards: job (\d+), .*merge: job (\d+)", ended.stdout)
    if not found:
        raise RuntimeError("not submitted: %s%s" % (ended.stdout, ended.stderr))
    return found[1], found[2]


def logs(folder):
    return "\n".join("%s: %s" % (file.name, file.read_text(errors="replace")[-1200:]) for file in sorted(folder.glob("*.log")))


def play(cluster, options, screenrig, folder, service):
    """Submits the array, kills a node if asked to, and waits until the merge has ended."""
    # Long enough for eight programs to be started on a small machine.
    start = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) + datetime.timedelta(seconds=options.lead)
    array, merge = submit(cluster, folder, screenrig, start.strftime("%Y-%m-%dT%H:%M:%SZ"))
    cluster.wait("eight running shards", lambda: len(cluster.running(array)) == SHARDS)
    print("     %d shards run on %s" % (SHARDS, " ".join(sorted(set(cluster.lines("squeue", "-h", "-j", array, "-o", "%N"))))))
    listening = [line for line in cluster.lines("ss", "-ltnpH") if "slurm" in line or "srun" in line] if shutil.which("ss") else []
    expect(not [line for line in listening if "127.0.0.1" not in line], "only loopback listens")
    if options.kill:
        time.sleep(max(0, start.timestamp() + options.seconds / 3 - time.time()))
        died = time.time()
        count = cluster.kill_node("node2")
        print("     node2 is killed (%d processes) %.1f s after the start" % (count, died - start.timestamp()), flush=True)
        lost = cluster.wait("shards that Slurm runs again",
                            lambda: [l for l in cluster.lines("squeue", "-h", "-j", array, "-t", "PD", "-o", "%i") if l], 120)
        print("     Slurm takes node2 for lost after %.0f s and puts %d shards back" % (time.time() - died, len(lost)), flush=True)
        cluster.wait("shards that run again", lambda: len(set(cluster.running(array)) & set(lost)) == len(lost), 180)
        print("     they run again after %.0f s on %s" % (time.time() - died, " ".join(sorted(set(
            line for line in cluster.lines("squeue", "-h", "-j", array, "-t", "R", "-o", "%N") if line)))), flush=True)
        cluster.start_node("node2")
    cluster.wait("end of all jobs", lambda: not [line for line in cluster.lines("squeue", "-h", "-o", "%i") if line],
                 options.seconds * 2 + 240)
    return array, merge


def check(options, folder, array, merge, service, alone):
    runs = sorted((Run(file.parent) for file in (folder / ("reports/cluster-%s" % array)).glob("shard-*/history.sqlite")),
                  key=lambda run: (run.shard, run.attempt))
    expect({run.shard for run in runs} == set(range(SHARDS)), "every shard left a history: %d of %d attempts" % (len(runs), SHARDS))
    again = [run for run in runs if run.attempt > 1]
    expect(bool(again) == options.kill, "shards that ran again: %s" % [run.path.name for run in again])
    planned = {int(run.meta["shard_households_of_plan"]) for run in runs}
    expect(planned == {options.households}, "the plan has %d households: %s" % (options.households, planned))
    shares = sum(int(run.meta["shard_households"]) for run in runs if run.attempt == 1)
    expect(shares == options.households, "the shards' parts add up to it: %d" % shares)

    begun = {}
    for run in runs:
        for number in run.households:
            begun.setdefault(number, []).append(run.path.name)
    twice = {number: names for number, names in begun.items() if len(names) > 1}
    expect(not twice, "no household is in two histories: %s" % twice)
    lost = set().union(*(run.lost for run in runs))
    ended = set().union(*(run.ended for run in runs))
    unaccounted = set(range(options.households)) - ended - lost
    expect(not unaccounted, "every household ended (%d) or is named as lost (%d): %s" % (len(ended), len(lost), sorted(unaccounted)))
    expect(not ended & lost, "none is both: %s" % sorted(ended & lost))
    expect(all(run.exchanges[0] == run.exchanges[1] for run in runs), "no exchange is recorded twice")
    # The service has no part in this: each household asks for one code.
    issued = service.counters()["codesIssued"]
    never = options.households - len(begun)
    expect(len(begun) <= issued + len(lost) and issued <= options.households,
           "the service issued %d codes to %d households, none twice (%d of the lost ones have no record)" % (issued, options.households, never))

    merged = Run(folder / ("reports/cluster-%s/merged" % array))
    verdict = (folder / ("cluster-merge-%s.log" % merge)).read_text()
    expect(set(merged.households) == set(begun), "the merged run has each household once: %d" % len(merged.households))
    expect(merged.ended == ended, "and the same of them ended: %d" % len(merged.ended))
    expect(merged.killed == lost & set(begun), "of the lost ones %d have a record, which ends with their process" % len(merged.killed))
    expect(merged.exchanges[0] == merged.exchanges[1] == sum(run.exchanges[0] for run in runs),
           "and every exchange: %d" % merged.exchanges[0])
    with open(merged.path / "shards.csv") as table:
        told = sum(int(row["lost"]) for row in csv.DictReader(table))
    expect(told == len(lost), "its table of shards names those that were lost: %d" % told)
    print("     verdict: %s" % verdict.strip().split("\n")[0])

    fates = lambda run: {number: (kind, fate, by) for number, (kind, fate, by, *_) in run.households.items() if number in ended}
    expect(set(alone.households) == set(range(options.households)) and alone.ended == set(alone.households),
           "one process ran the same %d households" % len(alone.households))
    other = {n: (mine, fates(alone)[n]) for n, mine in fates(merged).items() if mine != fates(alone).get(n)}
    expect(not other, "each household that ended had the outcome it has in one process: %s" % dict(list(other.items())[:5]))

    late = sorted(run.lateness() for run in runs if run.attempt == 1)
    skew = late[-1] - late[0]
    expect(late[-1] < 100 and late[0] > -1, "every shard's first requests left within 100 ms of the common start's plan: %s ms"
           % ", ".join("%.2f" % value for value in late))
    print("     skew of the starts: %.2f ms between the first and the last of %d" % (skew, len(late)))

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenrig", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--households", type=int, default=960)
    parser.add_argument("--rate", type=int, default=16, help="arrivals per second")
    parser.add_argument("--lead", type=int, default=10, help="seconds from submitting to the common start")
    parser.add_argument("--kill", action="store_true", help="kill a node in the middle")
    parser.add_argument("--install", action="store_true", help="install Slurm where it is not (apt, root)")
    options = parser.parse_args()
    reason = slurm.why_not(options.install)
    if reason:
        print("SKIPPED %s" % reason)
        return 0
    options.seconds = options.households // options.rate
    options.households = options.seconds * options.rate
    screenrig, folder = os.path.abspath(options.screenrig), pathlib.Path(options.work).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cluster.yaml").write_text(RIG % vars(options))
    services = []
    try:
        with slurm.Cluster() as cluster:
            service = Service(screenrig, folder)
            services.append(service)
            written = subprocess.run([screenrig, "manifest", "slurm", "cluster.yaml", "--shards", str(SHARDS), "--target", service.base,
                                      "--out", "cluster.sh"], cwd=folder, capture_output=True, text=True)
            expect(written.returncode == 0, "the script is written: %s%s" % (written.stdout.strip(), written.stderr.strip()))
            array, merge = play(cluster, options, screenrig, folder, service)
            other = Service(screenrig, folder)
            services.append(other)
            ended = subprocess.run([screenrig, "run", "cluster.yaml", "--target", other.base, "--out", "alone", "--quiet"], cwd=folder,
                                   capture_output=True, text=True)
            expect(ended.returncode in (0, 4), "one process runs the same plan: %d %s" % (ended.returncode, ended.stdout.split("\n")[0]))
            check(options, folder, array, merge, service, Run(folder / "alone"))
    except Exception:
        problems.append(traceback.format_exc())
        print(problems[-1])
    finally:
        for service in services:
            if service.process.poll() is None:
                service.stop()
    if problems:
        print(logs(folder))
    print("%d problems" % len(problems) if problems else "every household is accounted for")
    return 1 if problems else 0


sys.exit(main())
