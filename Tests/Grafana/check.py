#!/usr/bin/env python3
"""The dashboard of deploy/grafana and the rules of deploy/prometheus before a real Prometheus, and the annotations of scripts/notify/grafana.py before a strict
receiver of Grafana's documented API.

  python3 Tests/Grafana/check.py --screenrig .build/debug/screenrig --work /tmp/grafana

Starts Prometheus (Debian: apt-get install prometheus) with the recording rules, two shards of a run with --metrics and a fault, marks an
event in one, then a search, and sends the query of every panel, as Grafana would, and the name of every recorded series to Prometheus: each
must return a number. promtool checks the rules and the scrape files; Debian's build knows no discovery of Kubernetes, so that part is taken out. Where GRAFANA_SERVER names a
grafana-server of yours, nothing more is done with it yet: neither Debian nor PyPI has one. Ends with 0, or 1 and what did not hold;
prints 'SKIPPED reason' where there is no Prometheus.
"""
import argparse, http.server, json, math, os, pathlib, shutil, socket, subprocess, sys, threading, time, urllib.parse, urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DASHBOARD = ROOT / "deploy/grafana/screenrig.json"
RULES = ROOT / "deploy/prometheus/recording-rules.yaml"
# A local address is never asked of a proxy.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))
problems = []


def expect(holds, words):
    print("%s %s" % ("ok  " if holds else "FAIL", words), flush=True)
    if not holds:
        problems.append(words)


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def wait(what, test, seconds=90):
    end = time.time() + seconds
    while time.time() < end:
        found = test()
        if found:
            return found
        time.sleep(0.2)
    sys.exit("FAIL no %s within %d s" % (what, seconds))


class Live:
    """A command of screenrig that goes on, with its page of metrics."""

    def __init__(self, screenrig, words, folder, name):
        self.log = os.path.join(folder, name + ".err")
        self.process = subprocess.Popen([screenrig] + words + ["--metrics", "--out", os.path.join(folder, name)],
                                        cwd=folder, stdout=subprocess.DEVNULL, stderr=open(self.log, "w"))

        def address():
            for line in open(self.log):
                if line.startswith("metrics: http") and line.endswith("\n"):
                    return urllib.parse.urlsplit(line.split()[1]).netloc
            if self.process.poll() is not None:
                sys.exit("FAIL %s ended early: %s" % (name, open(self.log).read()))
        self.address = wait("address of the metrics", address)


class Prometheus:
    def __init__(self, program, folder, targets):
        self.base = "http://127.0.0.1:%d" % free_port()
        config = os.path.join(folder, "prometheus.yml")
        with open(config, "w") as file:
            file.write("global: {evaluation_interval: 1s}\nrule_files: ['%s']\n" % RULES)
            file.write("scrape_configs:\n  - job_name: screenrig\n    scrape_interval: 1s\n"
                       "    file_sd_configs: [{files: ['%s'], refresh_interval: 1s}]\n" % targets)
        self.process = subprocess.Popen(
            [program, "--config.file=" + config, "--storage.tsdb.path=" + os.path.join(folder, "tsdb"),
             "--web.listen-address=" + self.base[7:], "--log.level=error"], cwd=folder)
        wait("answer of Prometheus", self.is_ready)

    def is_ready(self):
        try:
            return OPENER.open(self.base + "/-/ready", timeout=2).status == 200
        except OSError:
            return False

    def ask(self, path, **values):
        url = "%s/api/v1/%s?%s" % (self.base, path, urllib.parse.urlencode(values))
        try:
            return json.load(OPENER.open(url, timeout=20))["data"]
        except urllib.error.HTTPError as error:
            return {"error": json.load(error).get("error")}

    def numbers(self, expression, start, end):
        """How many numbers a query returns over a stretch of time, as a panel asks it."""
        found = self.ask("query_range", query=expression, start=start, end=end, step=1)
        if "error" in found:
            return found["error"]
        return sum(1 for series in found["result"] for _, value in series["values"] if math.isfinite(float(value)))


def panels():
    """The panels of the dashboard with their rows."""
    dashboard = json.loads(DASHBOARD.read_text())
    row = ""
    for panel in dashboard["panels"]:
        if panel["type"] == "row":
            row = panel["title"]
        else:
            yield row, panel


def resolved(expression):
    """As Grafana sends it where every job is chosen and Prometheus is scraped every second."""
    return expression.replace("$__rate_interval", "5s").replace("$job", ".*").replace("$shard", ".*")


def check_shape():
    dashboard = json.loads(DASHBOARD.read_text())
    ids = [panel["id"] for panel in dashboard["panels"]]
    expect(len(set(ids)) == len(ids), "each panel has an id of its own")
    places = set()
    for panel in dashboard["panels"]:
        grid = panel["gridPos"]
        cells = {(x, y) for x in range(grid["x"], grid["x"] + grid["w"]) for y in range(grid["y"], grid["y"] + grid["h"])}
        expect(grid["x"] + grid["w"] <= 24 and not cells & places, "panel %r lies in the grid and on no other" % panel["title"])
        places |= cells
    names = {variable["name"] for variable in dashboard["templating"]["list"]}
    expect(names == {"datasource", "job", "shard"}, "the variables are the data source, the job and the shard")
    for _, panel in panels():
        references = [target["refId"] for target in panel["targets"]]
        expect(len(set(references)) == len(references) and panel["description"], "panel %r is complete" % panel["title"])


def check_panels(prometheus, rows, start, end):
    for row, panel in panels():
        if row not in rows:
            continue
        for target in panel["targets"]:
            found = prometheus.numbers(resolved(target["expr"]), start, end)
            expect(isinstance(found, int) and found > 0,
                   "%s / %s %s: %s numbers" % (row, panel["title"], target["refId"], found))


def check_files(folder):
    """Rules and scrape files, by promtool."""
    for name in ["recording-rules", "scrape-static", "scrape-kubernetes"]:
        text = (ROOT / "deploy/prometheus" / (name + ".yaml")).read_text()
        found = [line for line in text.splitlines() if "kubernetes_sd_configs" in line]
        expect(len(found) == (name == "scrape-kubernetes"), "%s: discovery of Kubernetes where it belongs" % name)
        file = os.path.join(folder, name + ".yaml")
        with open(file, "w") as out:
            out.write("\n".join(line for line in text.splitlines() if line not in found) + "\n")
        kind = "rules" if name == "recording-rules" else "config"
        ended = subprocess.run(["promtool", "check", kind, file], capture_output=True, text=True)
        expect(ended.returncode == 0 and "SUCCESS" in ended.stdout, "promtool takes %s: %s" % (name, (ended.stdout + ended.stderr).strip()[-200:]))


def check_rules(prometheus, start, end):
    """Each recorded series has numbers, and is what the shards give together."""
    groups = prometheus.ask("rules")["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    unhealthy = [(rule["name"], rule.get("lastError")) for rule in rules if rule["health"] != "ok"]
    expect(len(rules) == RULES.read_text().count("- record:") + RULES.read_text().count("- alert:") and not unhealthy,
           "all %d rules are loaded and evaluate: %s" % (len(rules), unhealthy))
    for rule in rules:
        if rule["type"] == "recording":
            found = prometheus.numbers(rule["name"], start, end)
            expect(isinstance(found, int) and found > 0, "rule %s: %s numbers" % (rule["name"], found))

    def most(expression):
        found = prometheus.ask("query_range", query=expression, start=start, end=end, step=1)["result"]
        return max(float(value) for series in found for _, value in series["values"])
    expect(most("job:screenrig_shards_running:count") == 2 == most("job:screenrig_shards:max"), "two shards of two are seen")
    whole = most('job_state:screenrig_households:sum{state="signed-in"}')
    parts = [most('screenrig_households{state="signed-in",shard="%d"}' % shard) for shard in (0, 1)]
    expect(all(parts) and max(parts) < whole <= sum(parts), "households add up over shards: %s of %s" % (whole, parts))
    low, high = (most('histogram_quantile(0.99, sum by (le) (rate(screenrig_latency_seconds_bucket{shard="%d",operation="poll-token"}[1m])))' % s)
                 for s in (0, 1))
    p99 = most('job_operation:screenrig_latency_seconds:p99_rate1m{operation="poll-token"}')
    expect(p99 <= max(low, high) * 1.001, "the p99 of both lies not above the higher of them: %g of %g and %g" % (p99, low, high))


class Receiver(http.server.BaseHTTPRequestHandler):
    """POST /api/annotations as Grafana's HTTP API documents it; anything else is refused."""
    token, kept, refused = "glsa_test", [], []
    known = {"dashboardUID": str, "panelId": int, "time": int, "timeEnd": int, "tags": list, "text": str}

    def refusal(self, body):
        if self.path != "/api/annotations":
            return 404, "no such path"
        if self.headers["Authorization"] != "Bearer " + self.token:
            return 401, "Invalid API key"
        if self.headers["Content-Type"] != "application/json":
            return 415, "not JSON"
        if not isinstance(body, dict) or not body.get("text") or set(body) - set(self.known):
            return 400, "bad request data"
        if any(not isinstance(value, self.known[key]) for key, value in body.items()):
            return 400, "a value has the wrong type"
        # Milliseconds of this century.
        if not 1e12 < body.get("time", 0) < 5e12 or body.get("timeEnd", body["time"]) < body["time"]:
            return 400, "time is not in milliseconds, or ends before it begins"
        if any(not isinstance(tag, str) or not tag for tag in body.get("tags", [])):
            return 400, "a tag is no text"

    def do_POST(self):
        try:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        except ValueError:
            body = None
        wrong = self.refusal(body)
        if wrong:
            self.refused.append(wrong)
        else:
            self.kept.append(body)
        code, words = wrong or (200, "Annotation added")
        answer = json.dumps({"message": words, **({} if wrong else {"id": len(self.kept)})}).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *words):
        pass


def annotate(words, base, token, folder, stdin=None):
    return subprocess.run([sys.executable, str(ROOT / "scripts/notify/grafana.py")] + words, input=stdin, text=True,
                          capture_output=True, cwd=folder,
                          env={**os.environ, "SCREENRIG_GRAFANA": base, "SCREENRIG_GRAFANA_TOKEN": token, "no_proxy": "*"})


def check_annotations(screenrig, folder, run):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = "http://127.0.0.1:%d" % server.server_port
    ended = annotate([run], base, Receiver.token, folder)
    expect(ended.returncode == 0 and not Receiver.refused, "the run's annotations are taken: %s%s %s"
           % (ended.stdout.strip(), ended.stderr.strip(), Receiver.refused))
    summary = json.load(open(os.path.join(run, "summary.json")))
    sort = lambda tag: [a for a in Receiver.kept if tag in a["tags"]]
    expect(len(sort("run")) == 1 and sort("run")[0]["timeEnd"] > sort("run")[0]["time"], "the run is a stretch of time")
    expect([a["tags"][3] for a in sort("event")] == ["rollout"], "the mark is an event: %s" % sort("event"))
    inside = sort("run") and sort("event") and sort("run")[0]["time"] <= sort("event")[0]["time"] <= sort("run")[0]["timeEnd"]
    expect(inside, "the event lies within its run")
    violated = [p["name"] for p in summary["invariants"] if p["violations"] + p["observed"]]
    expect(violated and [a["tags"][3] for a in sort("violation")] == violated, "each violated promise: %s" % violated)
    expect(all("screenrig" in a["tags"] for a in Receiver.kept), "all carry the tag of the dashboard")
    targets = [a["target"]["tags"] for a in json.loads(DASHBOARD.read_text())["annotations"]["list"] if "target" in a]
    expect(all(any(set(tags) <= set(a["tags"]) for a in Receiver.kept) for tags in targets if tags[1] in ("run", "event", "violation")),
           "the dashboard's annotations find them by their tags")
    wrong = annotate([run], base, "another", folder)
    expect(wrong.returncode == 1 and "401" in wrong.stderr and "another" not in wrong.stderr,
           "a wrong token is told, and not shown: %s" % wrong.stderr.strip())
    Receiver.kept.clear()
    subprocess.run([screenrig, "nights", "add", run, "--nights", "n.sqlite", "--mark", "v2", "--notify", "cat > message.json"],
                   cwd=folder, capture_output=True)
    ended = annotate([], base, Receiver.token, folder, open(os.path.join(folder, "message.json")).read())
    expect(ended.returncode == 0 and len(sort("digest")) == 1 and len(sort("run")) == 1,
           "a night's message gives its digest and its run: %s%s" % (ended.stdout.strip(), ended.stderr.strip()))
    server.shutdown()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenrig", required=True)
    parser.add_argument("--work", required=True)
    options = parser.parse_args()
    program = shutil.which("prometheus")
    check_shape()
    if not program:
        print("SKIPPED no Prometheus here: 'apt-get install prometheus' runs the check of the dashboard's queries")
        sys.exit(1 if problems else 0)
    screenrig, folder = os.path.abspath(options.screenrig), os.path.abspath(options.work)
    os.makedirs(folder, exist_ok=True)
    targets = os.path.join(folder, "targets.json")

    def scrape(*addresses):
        with open(targets + ".new", "w") as file:
            json.dump([{"targets": list(addresses)}], file)
        os.replace(targets + ".new", targets)

    started = []
    try:
        check_files(folder)
        # A TV asks three times while the replica lags: each shard has dozens of violations, not one or two by chance.
        words = ["run", str(ROOT / "rigs/smoke.yaml"), "--fault", "stale-replica:lag=1500ms", "--fault", "noisy", "--run-id", "grafana",
                 "--set", "polling.every=500ms", "--set", "load.arrivals=[{ramp-to: 6/s, over: 0s}, {hold: 20s}]", "--max-rate", "400/s"]
        run = Live(screenrig, words + ["--shard", "0/2"], folder, "run")
        started.append(run.process)
        second = Live(screenrig, words + ["--shard", "1/2"], folder, "second")
        started.append(second.process)
        scrape(run.address, second.address)
        prometheus = Prometheus(program, folder, targets)
        started.append(prometheus.process)
        began = time.time()
        wait("first scrape", lambda: prometheus.ask("query", query="screenrig_info")["result"])
        time.sleep(6)
        marked = subprocess.run([screenrig, "mark", "rollout", "--run", os.path.join(folder, "run")], capture_output=True, text=True)
        expect(marked.returncode == 0, "an event is marked: %s%s" % (marked.stdout.strip(), marked.stderr.strip()))
        run.process.wait(timeout=180)
        second.process.wait(timeout=180)
        check_panels(prometheus, {"Run", "Service", "Households", "Rig", "Shards"}, began, time.time())
        check_rules(prometheus, began, time.time())
        shards = prometheus.ask("label/shard/values", **{"match[]": "screenrig_info"})
        expect(shards == ["0", "1"], "the variable 'shard' finds its shards: %s" % shards)
        jobs = prometheus.ask("label/job/values", **{"match[]": "screenrig_info"})
        expect(jobs == ["screenrig"], "the variable 'job' finds its jobs: %s" % jobs)
        # What the first plan finds is shown while the others are tried.
        race = Live(screenrig, ["race", str(ROOT / "rigs/races/poll-authenticate.yaml"), "--fault", "ack-before-apply:window=30ms",
                                "--plan", "all", "--for", "30s", "--virtual"], folder, "race")
        started.append(race.process)
        scrape(race.address)
        began = time.time()
        race.process.wait(timeout=180)
        check_panels(prometheus, {"Race"}, began, time.time())
        check_annotations(screenrig, folder, os.path.join(folder, "run"))
        print("no Grafana here (neither Debian nor PyPI has one): the dashboard was not opened in it")
    finally:
        for process in started:
            if process.poll() is None:
                process.terminate()
                process.wait()
    print("%d problems" % len(problems) if problems else "every panel has data, every annotation was taken")
    sys.exit(1 if problems else 0)


main()
