extension Page {
    /// Draws what each event holds. Texts come in by `textContent`, and drawings are made of numbers, so
    /// that nothing that a server said can become markup.
    static let script = #"""
        "use strict";
        const byId = id => document.getElementById(id);
        const make = (tag, cls, text) => {
          const node = document.createElement(tag);
          if (cls) node.className = cls;
          if (text !== undefined) node.textContent = text;
          return node;
        };

        // Numbers as the report writes them.
        const grouped = text => text.replace(/^(-?\d+)/, all => all.replace(/\B(?=(\d{3})+$)/g, ","));
        const count = n => grouped(String(n));
        const significant = v => {
          const a = Math.abs(v);
          return grouped(v.toFixed(a < 0.0005 ? 0 : a < 0.1 ? 3 : a < 10 ? 2 : a < 100 ? 1 : 0));
        };
        const trimmed = (v, places) => String(Number(v.toFixed(places)));
        const span = s => {
          if (s < 10) return trimmed(s, 1) + " s";
          const whole = Math.round(s), m = Math.floor(whole / 60);
          if (whole < 120) return whole + " s";
          if (whole < 7200) return whole % 60 ? `${m} min ${whole % 60} s` : m + " min";
          return m % 60 ? `${Math.floor(m / 60)} h ${m % 60} min` : Math.floor(m / 60) + " h";
        };
        const time = ms => ms < 999.5 ? significant(ms) + " ms"
          : ms < 600000 ? significant(ms / 1000) + " s" : span(ms / 1000);
        const axisTime = ms => ms === 0 ? "0" : ms < 1000 ? trimmed(ms, 4) + " ms" : trimmed(ms / 1000, 3) + " s";
        const two = n => String(n).padStart(2, "0");
        const clock = s => {
          s = Math.floor(s);
          const h = Math.floor(s / 3600), m = Math.floor(s / 60) % 60;
          return h ? `${h}:${two(m)}:${two(s % 60)}` : `${m}:${two(s % 60)}`;
        };
        const short = v => trimmed(v, Math.abs(v) < 10 ? 2 : Math.abs(v) < 100 ? 1 : 0);
        const percent = (part, whole) => whole ? short(100 * part / whole) + " %" : "–";

        // Axes: round steps from zero, 1-2-5 on a logarithm, whole minutes over time.
        const roundStep = step => {
          const power = 10 ** Math.floor(Math.log10(step));
          return [1, 2, 2.5, 5, 10].map(f => f * power).find(s => s >= step * 0.999999);
        };
        const upward = (top, wanted, label) => {
          const step = roundStep((top > 0 ? top : 1) / wanted), ticks = [];
          const n = Math.max(1, Math.ceil(top / step - 1e-9));
          for (let i = 0; i <= n; i++) ticks.push([step * i, label(step * i)]);
          return { share: v => v / (step * n), ticks };
        };
        const logarithmic = (values, wanted) => {
          const some = values.filter(v => v > 0);
          const small = some.length ? Math.min(...some) : 1;
          const large = Math.max(some.length ? Math.max(...some) : 10, small * 1.2);
          let low, high, ticks;
          for (const steps of [[1, 2, 5], [1]]) {
            const marks = [];
            for (let p = -4; p < 8; p++) for (const f of steps) marks.push(f * 10 ** p);
            low = marks.filter(m => m <= small).pop() || marks[0];
            high = marks.find(m => m >= large) || large;
            ticks = marks.filter(m => m >= low && m <= high).map(m => [m, axisTime(m)]);
            if (ticks.length <= wanted) break;
          }
          const range = Math.log(high / low);
          return { share: v => Math.log(Math.max(v, low) / low) / range, ticks };
        };
        const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200];
        const timeAxis = seconds => {
          const high = Math.max(seconds, 1), step = timeSteps.find(s => s >= high / (isNarrow ? 4 : 9)) || 86400, ticks = [];
          for (let s = 0; s <= high; s += step) ticks.push([s, s === 0 ? "0" : s < 60 ? s + " s" : clock(s)]);
          return { share: v => Math.min(1, v / high), ticks };
        };

        const charts = [
          { id: "rate", title: "Requests answered per second", height: 190, label: v => grouped(short(v)) + "/s",
            series: [{ key: "completed", name: "answered", style: "s1", area: true }] },
          { id: "latency", title: "Latency of all operations", height: 220, log: true, label: time,
            series: [{ key: "p99", name: "p99", style: "s3" }, { key: "p50", name: "p50", style: "s2" }] },
          { id: "arrivals", ofRun: true, title: "Households arriving per second", height: 116, label: v => grouped(short(v)) + "/s",
            series: [{ key: "arrivals", name: "arriving", style: "s5", area: true }] },
          { id: "states", ofRun: true, title: "Households", height: 150, label: v => count(Math.round(v)),
            series: [{ key: "signedIn", name: "signed in", style: "good", area: true },
              { key: "waiting", name: "waiting", style: "s6" }, { key: "lost", name: "lost", style: "bad" }] },
          { id: "errors", title: "Errors per second", height: 116, label: v => grouped(short(v)) + "/s",
            series: [{ key: "errors", name: "errors", style: "bad", area: true }] },
          { id: "late", title: "Lateness of sending, p99", height: 116, log: true, label: time,
            series: [{ key: "latenessP99", name: "late", style: "s4", area: true }] }
        ];
        // On a phone the whole course is seen, with fewer marks: what comes last matters most.
        const isNarrow = matchMedia("(max-width:640px)").matches;
        const frame = isNarrow ? { width: 560, left: 92, right: 12, top: 14, bottom: 34 }
          : { width: 1040, left: 64, right: 16, top: 12, bottom: 28 };
        let last = null, hover = null;

        const path = (values, x, y, floor, isArea) => {
          let text = "", run = [];
          const close = () => {
            if (run.length > 1) {
              text += run.map((p, i) => (i ? "L" : "M") + p[0].toFixed(1) + "," + p[1].toFixed(1)).join("");
              if (isArea) text += `L${run[run.length - 1][0].toFixed(1)},${floor}L${run[0][0].toFixed(1)},${floor}Z`;
            }
            run = [];
          };
          values.forEach((v, i) => v === null ? close() : run.push([x(i), y(v)]));
          close();
          return text;
        };
        const draw = (chart, course, seconds) => {
          const columns = chart.series.map(s => course[s.key]);
          const some = columns.flat().filter(v => v !== null);
          const across = timeAxis(seconds), floor = chart.height - frame.bottom;
          const down = chart.log ? logarithmic(some, chart.height / 22) : upward(Math.max(0, ...some), chart.height > 150 ? 4 : 2, chart.label);
          const x = i => frame.left + across.share((i + 0.5) * course.width) * (frame.width - frame.left - frame.right);
          const y = v => floor - Math.min(1, Math.max(0, down.share(v))) * (floor - frame.top);
          let marks = "";
          for (const [v, label] of down.ticks) {
            marks += `<line class="grid" x1="${frame.left}" x2="${frame.width - frame.right}" y1="${y(v)}" y2="${y(v)}"/>`
              + `<text class="tick" x="${frame.left - 10}" y="${y(v) + 4}" text-anchor="end">${label}</text>`;
          }
          for (const [v, label] of across.ticks) {
            const at = frame.left + across.share(v) * (frame.width - frame.left - frame.right);
            marks += `<line class="mark" x1="${at}" x2="${at}" y1="${floor}" y2="${floor + 5}"/>`
              + `<text class="tick" x="${at}" y="${floor + (isNarrow ? 26 : 19)}" text-anchor="middle">${label}</text>`;
          }
          chart.series.forEach((s, k) => {
            const values = columns[k];
            if (s.area) marks += `<path class="area ${s.style}" d="${path(values, x, y, floor, true)}"/>`;
            marks += `<path class="line ${s.style}" d="${path(values, x, y, floor, false)}"/>`;
          });
          if (hover !== null && hover < course.completed.length)
            marks += `<line class="cross" x1="${x(hover)}" x2="${x(hover)}" y1="${frame.top}" y2="${floor}"/>`;
          chart.svg.innerHTML = marks;
          const at = hover !== null && hover < course.completed.length ? hover : course.completed.length - 1;
          const words = chart.series.map((s, k) =>
            (chart.series.length > 1 ? s.name + " " : "") + (at < 0 || columns[k][at] === null ? "–" : chart.label(columns[k][at])));
          chart.at.textContent = (hover === null ? "" : clock(at * course.width) + "  ") + words.join(" · ");
          chart.svg.setAttribute("aria-label", `${chart.title}: now ${words.join(", ")}`);
        };
        const drawAll = () => {
          if (!last) return;
          const seconds = Math.max(last.progress.seconds, Math.min(last.progress.plannedSeconds || 0, 30));
          for (const chart of charts) draw(chart, last.course, seconds);
        };
        for (const chart of charts) {
          const figure = make("figure", chart.ofRun ? "of-run" : ""), caption = make("figcaption", "", chart.title);
          if (chart.series.length > 1) {
            const legend = make("span", "legend");
            for (const s of chart.series) { legend.append(make("i", s.style), s.name + " "); }
            caption.append(legend);
          }
          chart.at = make("span", "at");
          caption.append(chart.at);
          chart.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
          chart.svg.setAttribute("viewBox", `0 0 ${frame.width} ${chart.height}`);
          chart.svg.setAttribute("role", "img");
          chart.svg.addEventListener("pointermove", event => {
            if (!last || !last.course.completed.length) return;
            const box = chart.svg.getBoundingClientRect();
            const share = ((event.clientX - box.left) / box.width * frame.width - frame.left) / (frame.width - frame.left - frame.right);
            const seconds = Math.max(last.progress.seconds, Math.min(last.progress.plannedSeconds || 0, 30));
            const index = Math.floor(share * Math.max(seconds, 1) / last.course.width);
            hover = Math.min(last.course.completed.length - 1, Math.max(0, index));
            drawAll();
          });
          chart.svg.addEventListener("pointerleave", () => { hover = null; drawAll(); });
          const scroll = make("div", "scroll");
          scroll.append(chart.svg);
          figure.append(caption, scroll);
          byId("charts").append(figure);
        }

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
            ["gave up", h.abandoned, "soft"], ["failed", h.failed, "bad"]);
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
        const show = state => {
          last = state;
          const p = state.progress;
          document.title = `${clock(p.seconds)} · ${state.title} · screenrig`;
          const [rig, target] = state.title.split(" → ");
          byId("title").textContent = rig;
          byId("target").textContent = target ? "screenrig · live · against " + target : "screenrig · live";
          byId("clock").textContent = clock(p.seconds) + (p.plannedSeconds === null ? "" : " of " + clock(p.plannedSeconds));
          byId("waits").textContent = state.ended || state.search ? "" : "waiting for " + p.waitsFor;
          const share = state.ended ? 100 : p.plannedSeconds ? Math.min(100, 100 * p.seconds / p.plannedSeconds) : 0;
          byId("bar").firstElementChild.style.width = share + "%";
          byId("bar").setAttribute("aria-valuenow", Math.round(share));
          byId("step").textContent = `Each point covers ${span(state.course.width)}.`;
          showFacts(state); showStates(state); showPromises(state.findings); showSearch(state.search);
          showThresholds(p); showOperations(state.operations); showErrors(p); drawAll();
        };
        const say = (words, style) => {
          const headline = byId("headline");
          if (headline.textContent !== words) headline.textContent = words;
          byId("verdict").className = "verdict " + style;
        };
        const source = new EventSource("/events");
        source.addEventListener("state", event => {
          show(JSON.parse(event.data));
          const found = last.findings, search = last.search;
          if (search)
            return say(search.found.length ? "Searching; the service violates promises."
              : search.curve ? "Searching; a violation is suspected, and is being confirmed." : "Searching.",
              search.found.length ? "fail" : search.curve ? "suspected" : "");
          say(found && found.violations ? "Running; the service violates promises." : "Running.",
            found && found.violations ? "fail" : "");
        });
        source.addEventListener("ended", event => {
          source.close();
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
        """#
}
