"use strict";
// Draws what each event holds. What the service said comes in by `textContent`; the charts are drawn by the
// server's side, which escapes every text.
const {count, significant, two} = charts;
const byId = id => document.getElementById(id);
const make = (tag, cls, text) => {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  if (text !== undefined) node.textContent = text;
  return node;
};

const trimmed = (v, places) => String(Number(v.toFixed(places)));
const span = s => {
  if (s < 10) return trimmed(s, 1) + " s";
  const whole = Math.round(s), m = Math.floor(whole / 60);
  if (whole < 120) return whole + " s";
  if (whole < 7200) return whole % 60 ? `${m} min ${whole % 60} s` : m + " min";
  return m % 60 ? `${Math.floor(m / 60)} h ${m % 60} min` : Math.floor(m / 60) + " h";
};
const time = ms => ms < 600000 ? charts.time(ms) : span(ms / 1000);
const axisTime = ms => ms === 0 ? "0" : ms < 1000 ? trimmed(ms, 4) + " ms" : trimmed(ms / 1000, 3) + " s";
const clock = s => {
  s = Math.floor(s);
  const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
  return h ? `${h}:${two(m)}:${two(s % 60)}` : `${m}:${two(s % 60)}`;
};
const short = v => trimmed(v, Math.abs(v) < 10 ? 2 : Math.abs(v) < 100 ? 1 : 0);
const percent = (part, whole) => whole ? short(100 * part / whole) + " %" : "–";
let last = null, isPlaced = true;

// Charts are drawn as the report draws them, and come as figures. Only their insides are replaced, so that a
// figure keeps the focus and its place.
const showCharts = html => {
  const fresh = document.createElement("template"), box = byId("charts");
  fresh.innerHTML = html;
  const figures = [...fresh.content.children];
  if (figures.length !== box.children.length) {
    box.replaceChildren(...figures);
    isPlaced = false;
  } else figures.forEach((figure, i) => {
    for (const part of ["figcaption", "svg"])
      box.children[i].querySelector(part).replaceWith(figure.querySelector(part));
  });
};

// On a phone what is now matters most: neither the begin nor what is still to come.
const placeCharts = p => {
  if (isPlaced) return;
  isPlaced = true;
  const share = p.seconds / Math.max(1, p.seconds, Math.min(p.plannedSeconds || 0, 30));
  for (const frame of byId("charts").querySelectorAll(".scroll"))
    frame.scrollLeft = share * frame.scrollWidth - 0.9 * frame.clientWidth;
};

// What stands in words and tables.
const fact = (name, value, raw, aside, isAlarm) => {
  const box = make("div", isAlarm ? "alarm" : ""), term = make("dt", "", name), figure = make("dd");
  figure.dataset.fact = name;
  figure.dataset.value = raw;
  figure.append(value + " ", make("small", "", aside || ""));
  box.append(term, figure);
  return box;
};
const showFacts = state => {
  const h = state.progress.households, e = state.progress.exchanges, found = state.findings;
  const seconds = state.progress.seconds;
  const rate = !state.ended ? e.perSecond : seconds > 0 ? e.completed / seconds : 0;
  if (state.search) {
    const s = state.search;
    byId("facts").replaceChildren(
      fact("Trials", count(s.trials), s.trials), fact("Discarded", count(s.discarded), s.discarded, percent(s.discarded, s.trials)),
      fact("Found", count(s.found.length), s.found.length, s.curve ? "1 suspected" : "", s.found.length > 0),
      fact("Requests answered", count(e.completed), e.completed),
      fact("Responses per second", significant(rate), rate, state.ended ? "on average" : "now"),
      fact("Errors", count(e.errors), e.errors, percent(e.errors, e.sent), e.errors > 0));
    return;
  }
  byId("facts").replaceChildren(
    fact("Signed in", count(h.signedIn), h.signedIn, "of " + count(h.started)),
    fact("Sign-in, p95", state.signInMs.p95 === null ? "–" : time(state.signInMs.p95), state.signInMs.p95),
    fact("Requests answered", count(e.completed), e.completed),
    fact("Responses per second", significant(rate), rate, state.ended ? "on average" : "now"),
    fact("Errors", count(e.errors), e.errors, percent(e.errors, e.sent), e.errors > 0),
    fact("Violations", found ? count(found.violations) : "–", found ? found.violations : "", "", found && found.violations > 0));
};
const showStates = state => {
  const h = state.progress.households, rows = [];
  for (const [stage, n] of Object.entries(h.stages)) rows.push(["in progress: " + stage, n, ""]);
  rows.push(["signed in", h.signedIn, "good"], ["already signed in", h.preSignedIn, "soft"],
    ["abandoned", h.abandoned, "soft"], ["failed", h.failed, "bad"]);
  const nodes = [];
  for (const [name, n, style] of rows) {
    const track = make("dd", "track"), fill = make("span", "fill " + style);
    fill.style.width = (h.started ? 100 * n / h.started : 0) + "%";
    track.append(fill);
    const figure = make("dd", "n", count(n));
    figure.dataset.state = name;
    figure.dataset.value = n;
    nodes.push(make("dt", "", name), track, figure, make("dd", "n soft", percent(n, h.started)));
  }
  byId("states").replaceChildren(...nodes);
  byId("planned").textContent = h.planned === null
    ? `${count(h.started)} arrived.` : `${count(h.started)} of ${count(h.planned)} arrived.`;
};
const showPromises = found => {
  if (!found) { byId("judged").textContent = "This run is not checked while it goes on."; return; }
  const broken = found.broken.map(b => `${b.name} ${count(b.count)}`).join(", ");
  byId("judged").textContent = `${count(found.judged)} requests, ${count(found.checked)} checks: `
    + (found.violations ? `${count(found.violations)} violations (${broken}).` : "no violations" + (last.ended ? "." : " so far."));
  byId("breaches").replaceChildren(...found.latest.map(b => {
    const row = make("li");
    row.append(make("b", b.standing === "fails" ? "bad" : "", b.name), " " + b.sentence,
      make("small", "", `household ${b.household} at ${clock(b.seconds)}` + (b.standing === "fails" ? "" : ", " + b.standing)));
    return row;
  }));
};
// A search has no households to follow: what it tries, finds and hits stands in their place.
const showSearch = search => {
  document.body.classList.toggle("searching", search !== null);
  if (!search) return;
  byId("phase").textContent = (search.phase ? search.phase + ". " : "")
    + (search.found.length ? "" : "No violation confirmed" + (last.ended ? "." : " so far."));
  byId("found").replaceChildren(...search.found.map(f => {
    const row = make("li");
    row.append(make("b", "bad", f.name), ` in ${f.plan}: ${f.sentence}`, make("small", "", "at the best offset " + f.rate));
    return row;
  }));
  const curve = search.curve;
  byId("curve-of").textContent = curve ? `Suspected: ${curve.name} violated in ${curve.plan}. Hits by offset, not yet confirmed:` : "";
  byId("curve").replaceChildren(...(curve ? curve.points : []).flatMap(([ms, hits, of]) => {
    const track = make("dd", "track"), fill = make("span", "fill warn");
    fill.style.width = (of ? 100 * hits / of : 0) + "%";
    track.append(fill);
    return [make("dt", "n", (ms > 0 ? "+" : "") + axisTime(ms)), track, make("dd", "n", `${hits} of ${of}`),
      make("dd", "n soft", percent(hits, of))];
  }));
};
const showOperations = operations => {
  byId("operations").replaceChildren(...operations.map(o => {
    const row = make("tr"), name = make("th", "name", o.name);
    name.scope = "row";
    row.dataset.operation = o.name;
    row.append(name);
    const cell = (key, text, raw, cls) => {
      const node = make("td", "n" + (cls || ""), text);
      node.dataset.key = key;
      node.dataset.value = raw;
      row.append(node);
    };
    cell("count", count(o.count), o.count);
    cell("errors", count(o.errors), o.errors, o.errors ? " bad" : "");
    cell("perSecond", significant(o.perSecond), o.perSecond);
    for (const key of ["p50", "p95", "p99", "max"])
      cell(key, o.latencyMs[key] === null ? "–" : significant(o.latencyMs[key]), o.latencyMs[key]);
    return row;
  }));
};
const showThresholds = progress => {
  byId("thresholds").replaceChildren(...progress.thresholds.map(t => {
    const row = make("li");
    row.append(make("b", t.met ? "good" : "bad", t.met ? "met" : "MISSED"), ` ${t.expression}`, make("small", "", t.actual));
    return row;
  }));
  byId("undecided").textContent = progress.undecidedThresholds
    ? `${count(progress.undecidedThresholds)} not decided yet.` : "";
  byId("invalidity").hidden = progress.invalidity === null;
  byId("invalidity").textContent = progress.invalidity === null ? ""
    : `The latencies so far are not valid: the rig is the bottleneck. ${progress.invalidity}.`;
};
const showErrors = progress => {
  const n = progress.exchanges.errors;
  byId("error-count").textContent = n ? `${count(n)} of ${count(progress.exchanges.sent)} requests. The most frequent:` : "None so far.";
  byId("causes").replaceChildren(...progress.worstErrors.map(e => {
    const row = make("li");
    row.append(`${e.operation} ${e.status === null ? "got no response" : "got " + e.status} (${e.reason || e.outcome})`,
      make("small", "", `${count(e.count)} times`));
    return row;
  }));
};
const chartData = ({ course, progress }) => charts.use({
  width: course.width,
  series: { arriving: course.arrivals, answered: course.completed, errors: course.errors, p50: course.p50,
    p99: course.p99, late: course.latenessP99, waiting: course.waiting, "signed-in": course.signedIn,
    lost: course.lost }
}, 0, Math.max(1, progress.seconds, Math.min(progress.plannedSeconds || 0, 30)));
const show = state => {
  last = state;
  const p = state.progress;
  document.title = `${clock(p.seconds)} · ${state.title} · screenrig`;
  const [rig, target] = state.title.split(" → ");
  byId("title").textContent = rig;
  byId("target").textContent = target ? "screenrig · live · against " + target : "screenrig · live";
  byId("clock").textContent = clock(p.seconds) + (p.plannedSeconds === null ? ""
    : (p.seconds > p.plannedSeconds ? ", planned " : " of ") + clock(p.plannedSeconds));
  byId("waits").textContent = state.ended || state.search ? "" : "waiting for " + p.waitsFor;
  const share = state.ended ? 100 : p.plannedSeconds ? Math.min(100, 100 * p.seconds / p.plannedSeconds) : 0;
  byId("bar").firstElementChild.style.width = share + "%";
  byId("bar").setAttribute("aria-valuenow", Math.round(share));
  byId("step").textContent = `Each point covers ${span(state.course.width)}.`;
  showFacts(state); showStates(state); showPromises(state.findings); showSearch(state.search);
  showThresholds(p); showOperations(state.operations); showErrors(p); chartData(state); placeCharts(p);
};
const say = (words, style) => {
  const headline = byId("headline");
  if (headline.textContent !== words) headline.textContent = words;
  byId("verdict").className = "verdict " + style;
};
// Buttons, for whoever opened the page by the address that holds the token.
const token = location.hash.slice(1), answer = byId("answer");
byId("control").hidden = !token;
const press = async (words, sent) => {
  if (words[0] === "stop" && !confirm("Stop the run? What was measured so far is reported.")) return;
  try {
    const reply = await fetch("/control", {method: "POST", body: JSON.stringify({do: words}),
      headers: {Authorization: "Bearer " + token}});
    answer.textContent = reply.ok ? sent : (await reply.text()).trim();
  } catch { answer.textContent = "No connection to the run."; }
};
byId("control").addEventListener("submit", event => event.preventDefault());
byId("control").addEventListener("click", event => {
  const deed = event.target.dataset.do, rate = byId("rate").value.trim(), name = byId("mark").value.trim();
  if (!deed) return;
  if (deed === "rate") return press(["rate", rate], `Arrivals: ${rate}/s from now on.`);
  if (deed === "mark") return press(["mark", name, "moment"], `Marked: ${name}.`);
  press([deed], {pause: "Arrivals are paused.", resume: "Arrivals go on.", stop: "Stopping."}[deed]);
});
const source = new EventSource("/events");
source.addEventListener("charts", event => showCharts(JSON.parse(event.data)));
source.addEventListener("state", event => {
  show(JSON.parse(event.data));
  const found = last.findings, search = last.search;
  if (search)
    return say(search.found.length ? "Searching; the service violates promises."
      : search.curve ? "Searching; a violation is suspected, and is being confirmed." : "Searching.",
      search.found.length ? "fail" : search.curve ? "suspected" : "");
  const missed = last.progress.thresholds.filter(t => !t.met).length;
  if (found && found.violations) return say("Running; the service violates promises.", "fail");
  say(missed ? `Running; ${missed === 1 ? "a threshold is" : count(missed) + " thresholds are"} missed so far.` : "Running.",
    missed ? "suspected" : "");
});
source.addEventListener("ended", event => {
  source.close();
  byId("control").hidden = true;
  show(JSON.parse(event.data));
  byId("bar").classList.add("over");
  const path = byId("path");
  path.hidden = last.search !== null && !last.search.found.length;
  path.textContent = last.search ? "The cases: " + last.ended.path + "/cases" : "The report: " + last.ended.path + "/report.html";
  say(last.ended.headline, last.ended.tone);
  document.body.dataset.ended = last.ended.outcome;
});
source.onerror = () => {
  if (source.readyState === EventSource.CLOSED && last && last.ended) return;
  say("No connection to the run: it has ended or was stopped. This page shows its last state.", "lost");
};
