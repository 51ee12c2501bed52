#!/usr/bin/env python3
"""Writes a run, its events and its findings to Grafana as annotations, by the HTTP API (POST /api/annotations).

  screenrig nightly rigs/nightly.yaml --notify 'python3 scripts/notify/grafana.py'     a night, with its digest
  python3 scripts/notify/grafana.py reports/latest                                     any run

Environment: SCREENRIG_GRAFANA (https://grafana.example), SCREENRIG_GRAFANA_TOKEN (or SCREENRIG_GRAFANA_TOKEN_FILE), the
token of a service account that may write annotations; SCREENRIG_GRAFANA_DASHBOARD, the uid of one dashboard (default: all).
All carry the tags 'screenrig', the rig's name, and one of 'run', 'event', 'violation', 'threshold', 'digest'; the
dashboard of deploy/grafana shows them.
"""
import datetime, json, os, sys
from common import fail, limited, message, post, setting


def milliseconds(text):
    when = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)
    return int(when.timestamp() * 1000)


def annotation(start, end, tags, text):
    """One as the API takes it; a moment has no timeEnd."""
    body = {"time": start, "tags": ["screenrig"] + tags, "text": limited(text, 1500)}
    if end is not None and end > start:
        body["timeEnd"] = end
    return body


def of_run(summary):
    """The run, its events, its violated promises and missed thresholds. A run in virtual time has no time to show them at."""
    run = summary["run"]
    if run["virtual"]:
        return []
    rig, start = run["rig"], milliseconds(run["started"])
    end = start + int(run["seconds"] * 1000)
    found = [annotation(start, end, [rig, "run", summary["outcome"]], "%s: %s" % (run["id"], summary["headline"]))]
    for event in summary["events"]:
        begun = start + int(event["fromSeconds"] * 1000)
        ended = event["throughSeconds"] and start + int(event["throughSeconds"] * 1000)
        found.append(annotation(begun, ended, [rig, "event", event["name"]],
                                "%s: recovered %s" % (event["name"], event["recovery"])
                                if event["recovery"].startswith(("after", "not within"))
                                else "%s: %s" % (event["name"], event["recovery"])))
    for promise in summary["invariants"]:
        count = promise["violations"] + promise["observed"]
        if count:
            found.append(annotation(start, end, [rig, "violation", promise["name"]],
                                    "%s: %d violations in %d checks" % (promise["name"], count, promise["checked"])))
    for threshold in summary["thresholds"]:
        if not threshold["met"]:
            found.append(annotation(start, end, [rig, "threshold"],
                                    "missed %s: %s" % (threshold["expression"], threshold["actual"])))
    return found


def of_night(night):
    digest = night["digest"]
    text = "\n".join([digest["subject"]] + [finding["text"] for finding in digest["findings"]])
    return [annotation(milliseconds(night["night"]), None, [night["rig"], "digest", digest["colour"]], text)]


def summary(folder):
    path = os.path.join(folder, "summary.json")
    try:
        with open(path, encoding="utf-8") as file:
            read = json.load(file)
    except (OSError, ValueError) as error:
        fail("%s cannot be read: %s" % (path, error))
    if read.get("schema") != "screenrig/summary/1":
        fail("%s is not the summary of a run" % path)
    return read


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
    if folder:
        found = of_run(summary(folder))
        if not found:
            fail("%s was simulated in virtual time, and has no place on Grafana's time axis" % folder)
    else:
        night = message("Writes a night of screenrig to Grafana as annotations.")
        found = of_night(night)
        if night["report"]:
            found = of_run(summary(os.path.dirname(night["report"]))) + found
    base = setting("SCREENRIG_GRAFANA", "Grafana's web address").rstrip("/")
    token = setting("SCREENRIG_GRAFANA_TOKEN", "the token of a service account that may write annotations")
    dashboard = os.environ.get("SCREENRIG_GRAFANA_DASHBOARD")
    for body in found:
        if dashboard:
            body["dashboardUID"] = dashboard
        post(base + "/api/annotations", body, {"Authorization": "Bearer " + token})
    print("%d annotations written" % len(found))


if __name__ == "__main__":
    main()
