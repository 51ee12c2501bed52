#!/usr/bin/env python3
"""A long run at a steady rate while faults come and go: descriptors, threads and memory over time, and every exchange counted.

    make soak                   # 30 minutes; MINUTES=5 to shorten; its table goes to docs/trust.md
    python3 Tests/Chaos/soak.py --minutes 5

Three processes: `screenrig run` (what is tested: recording all, judging), weather.py (faults by the minute, and a count of
what it swallowed), `screenrig serve` (which counts for itself: GET /_standin/counters). Once in 5 s /proc/PID of the run
is read. A minute is a cycle of the faults, and the first two are warm-up.
"""

import argparse
import datetime
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)

import table

EVERY_SECONDS, WARM_UP_SECONDS, CYCLE_SECONDS = 5, 120, 60
LIMIT_BYTES = 64
# A cycle's median may be above the first's by this share and so many: arrivals are random.
SLACK_SHARE, SLACK_COUNT = 0.05, 10

# So many exchanges has a household of this rig when nothing goes wrong; faults add and take some.
EXCHANGES_OF_HOUSEHOLD = 31
RIG = """rig: soak
target: {{base: "{base}", timeout: 5s}}
load:
  arrivals: [{{ramp-to: {rate:.1f}/s, over: 10s}}, {{hold: {hold}s}}]
  spacing: poisson
  settle: 10s
{lanes}kinds:
  - name: household
    viewer: {{notices-code: "uniform(1s, 3s)", signs-in: "uniform(1s, 3s)", gives-up: 0%}}
polling: {{every: 1s, after-success: 3s}}
after-sign-in: [user-metadata, preauthorize, authorize, media-token, {{logout: 100%}}]
validity: {{on-breach: warn}}
"""


def sample(pid, began):
    """Seconds, descriptors, threads, resident bytes."""
    with open(f"/proc/{pid}/status") as file:
        fields = dict(line.split(":", 1) for line in file)
    return (time.monotonic() - began, len(os.listdir(f"/proc/{pid}/fd")), int(fields["Threads"]),
            int(fields["VmRSS"].split()[0]) * 1024)


def slope(points):
    """Of the line of least squares through pairs."""
    xs, ys = zip(*points)
    middle = statistics.fmean(xs)
    over = sum((x - middle) ** 2 for x in xs)
    return sum((x - middle) * y for x, y in points) / over if over else 0.0


def cycles(samples, column):
    """The median of each whole cycle after the warm-up."""
    last = samples[-1][0]
    found = []
    begins = WARM_UP_SECONDS
    while begins + CYCLE_SECONDS <= last:
        found.append(statistics.median(
            each[column] for each in samples if begins <= each[0] < begins + CYCLE_SECONDS))
        begins += CYCLE_SECONDS
    return found


class Soak:
    def __init__(self, binary, minutes, rate, lanes, folder):
        self.binary, self.minutes, self.rate, self.lanes, self.folder = binary, minutes, rate, lanes, folder
        self.samples, self.sent = [], []
        self.csv = os.path.join(folder, "samples.csv")

    def run(self):
        serve = subprocess.Popen([self.binary, "serve", "--port", "0", "--no-throttle"], stdout=subprocess.PIPE, text=True)
        service = serve.stdout.readline().strip()
        weather = subprocess.Popen([sys.executable, os.path.join(HERE, "weather.py"), service],
                                   stdout=subprocess.PIPE, text=True)
        base = weather.stdout.readline().strip()
        try:
            with open(os.path.join(self.folder, "rig.yaml"), "w") as file:
                file.write(RIG.format(base=base, rate=self.rate / EXCHANGES_OF_HOUSEHOLD, hold=int(self.minutes * 60),
                                      lanes=f"lanes: {self.lanes}\n" if self.lanes else ""))
            rig = subprocess.Popen([self.binary, "run", "rig.yaml", "--out", "out", "--json"], cwd=self.folder,
                                   stdout=subprocess.PIPE, text=True)
            reader = threading.Thread(target=self.read, args=[rig.stdout], daemon=True)
            reader.start()
            began = time.monotonic()
            # The report's making, after the load, is not looked at.
            while rig.poll() is None and time.monotonic() - began < self.minutes * 60 + 10:
                self.samples.append(sample(rig.pid, began) + (self.sent[-1] if self.sent else 0,))
                with open(self.csv, "a") as file:  # as it goes, to be looked at
                    file.write(",".join(map(str, self.samples[-1])) + "\n")
                time.sleep(EVERY_SECONDS)
            self.code = rig.wait()
            reader.join(5)
            time.sleep(6)  # answers to nobody come in
            with urllib.request.urlopen(service + "/_standin/counters") as answer:
                self.server = json.load(answer)
            weather.terminate()
            self.weather = json.loads(weather.stdout.readline())
            with open(os.path.join(self.folder, "counts.json"), "w") as file:  # they outlive a run without a summary
                json.dump({"proxy": self.weather, "service": self.server}, file)
            with open(os.path.join(self.folder, "out/summary.json")) as file:
                self.summary = json.load(file)
        finally:
            for each in (weather, serve):
                each.terminate()
                each.wait()

    def read(self, lines):
        for line in lines:
            value = json.loads(line)
            if value.get("type") == "progress":
                self.sent.append(value["exchanges"]["sent"])

    def findings(self):
        """Rows of the table, and whether each is as it must be."""
        warm = [each for each in self.samples if each[0] >= WARM_UP_SECONDS] or self.samples
        rows = []
        for name, column in (("descriptors", 1), ("threads", 2)):
            medians = cycles(self.samples, column) or [0]
            limit = medians[0] * (1 + SLACK_SHARE) + SLACK_COUNT if column == 1 else medians[0]
            rows.append((f"{name}, median of a cycle", f"first {medians[0]:.0f}, last {medians[-1]:.0f}, most {max(medians):.0f}",
                         medians[-1] <= limit))
        growth = slope([(each[4], each[3]) for each in warm])
        rows.append(("memory growth", f"{growth:.1f} B an exchange, from {warm[0][3] / 2**20:.0f} to "
                     f"{warm[-1][3] / 2**20:.0f} MB", growth < LIMIT_BYTES))
        return rows + self.accounting()

    def accounting(self):
        """Three counts of the same requests: the run's, the proxy's, the service's."""
        operations = self.summary["operations"]
        seen = sum(sum(each["statuses"].values()) for each in operations)
        unseen = sum(each["outcomes"]["timeout"] + each["outcomes"]["transport"] for each in operations)
        proxy, server = self.weather, self.server["requests"]
        delivered, swallowed, busy = proxy["delivered"], proxy["swallowed"], proxy["busy"]
        late = proxy["undelivered"] + proxy["unread delivered"]
        return [
            ("answers that the run saw", f"{seen:,} = {delivered:,} delivered + {busy:,} made by the proxy (503)",
             seen == delivered + busy),
            ("requests that the service counted",
             f"{server:,} = {delivered:,} delivered + {swallowed:,} swallowed + {late:,} whose client was gone",
             server == delivered + swallowed + late),
            ("without an answer", f"{unseen:,} for the run: {swallowed + late:,} whose answer was lost, the rest refused "
             "or cut off on their way", unseen >= swallowed + late),
        ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=os.path.join(ROOT, ".build/release/screenrig"))
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=float, default=1000, help="requests per second")
    parser.add_argument("--lanes", type=int, help="as many as screenrig takes")
    parser.add_argument("--page", metavar="FILE", help="write the table between the markers of this page")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="soak-")
    print(f"samples: {folder}/samples.csv (seconds, descriptors, threads, resident bytes, exchanges)", flush=True)
    soak = Soak(os.path.abspath(options.binary), options.minutes, options.rate, options.lanes, folder)
    soak.run()
    rows = soak.findings()
    lasted = soak.summary["exchanges"]
    held = lasted["completed"] / (options.minutes * 60)
    text = (f"{options.minutes:.0f} minutes on {datetime.date.today()}: {lasted['completed']:,} exchanges, {held:.0f}/s "
            f"(asked for: {options.rate:.0f}/s), all recorded and judged; exit code {soak.code}: {soak.summary['headline']}")
    lines = ["| what | figure | |", "|---|---|---|"]
    lines += [f"| {name} | {figure} | {'as it must be' if good else '**not so**'} |" for name, figure, good in rows]
    print(text + "\n\n" + "\n".join(lines))
    if options.page:
        table.write(options.page, "soak", text + "\n\n" + "\n".join(lines))
    good = all(each[2] for each in rows) and soak.code in (0, 1)
    if good:
        shutil.rmtree(folder)
    else:
        print(f"samples and run: {folder}")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
