internal import Rendering

/// The script of report.html: it sorts tables, shows numbers under the pointer, and has a brush that
/// all charts over time share. Everything it adds is an extra: no number is only in it.
enum PageScript {
    static let text = """
        "use strict";
        (() => {
        const data = JSON.parse(document.getElementById("data").textContent);
        \(numbers)
        \(tables)
        \(tooltip)
        \(brush)
        })();
        """

    /// Numbers and times in words, as the page itself writes them.
    private static let numbers = #"""
        const digits = v => Math.abs(v) < 0.1 ? 3 : Math.abs(v) < 10 ? 2 : Math.abs(v) < 100 ? 1 : 0;
        const number = v => v.toLocaleString("en-US", {minimumFractionDigits: 0, maximumFractionDigits: digits(v)});
        const time = ms => ms < 999.5 ? number(ms) + " ms" : number(ms / 1000) + " s";
        const two = n => String(n).padStart(2, "0");
        const clock = s => {
          if (s < 60) return number(s) + " s";
          const whole = Math.round(s), h = Math.floor(whole / 3600), m = Math.floor(whole / 60) % 60;
          return h ? h + ":" + two(m) + ":" + two(whole % 60) : m + ":" + two(whole % 60);
        };
        const units = {arriving: "/s", answered: "/s", errors: "/s", waiting: "", busy: " %"};
        const shown = (name, v) => name in units ? number(v) + units[name] : time(v);
        """#

    /// A header that is pressed sorts by its column, numbers downwards first.
    private static let tables = #"""
        const worth = cell => {
          const exact = cell.querySelector("data");
          return exact ? Number(exact.value) : cell.textContent.trim();
        };
        const compare = (a, b) => {
          const [x, y] = [typeof a === "number", typeof b === "number"];
          if (x && y) return a - b;
          // What was not measured goes below what was.
          return x ? 1 : y ? -1 : a.localeCompare(b);
        };
        for (const table of document.querySelectorAll("table.sortable")) {
          const body = table.tBodies[0];
          [...table.tHead.rows[0].cells].forEach((head, column) => {
            const button = document.createElement("button");
            button.type = "button";
            button.append(...head.childNodes);
            head.append(button);
            button.addEventListener("click", () => {
              const falls = head.getAttribute("aria-sort") === "ascending" ||
                (!head.hasAttribute("aria-sort") && head.classList.contains("n"));
              for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
              head.setAttribute("aria-sort", falls ? "descending" : "ascending");
              const rows = [...body.rows].sort((a, b) => {
                const order = compare(worth(a.cells[column]), worth(b.cells[column]));
                return falls ? -order : order;
              });
              body.append(...rows);
            });
          });
        }
        """#

    /// What a chart shows at one place, under the pointer or the arrow keys.
    private static let tooltip = #"""
        const tip = document.createElement("div");
        tip.id = "tip";
        tip.setAttribute("role", "status");
        tip.hidden = true;
        document.body.append(tip);
        const range = {from: 0, to: data.seconds};
        const inset = svg => {
          const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
          const left = Number(svg.dataset.left) * scale, right = Number(svg.dataset.right) * scale;
          return {left: box.left + left, width: box.width - left - right, top: box.top};
        };
        const overTime = (svg, share) => {
          const at = range.from + share * (range.to - range.from);
          const index = Math.min(Math.floor(at / data.width), data.series.p50.length - 1);
          const lines = [clock(Math.max(0, index) * data.width)];
          for (const name of (svg.dataset.series || "answered p50 p99").split(" ")) {
            const value = data.series[name][index];
            lines.push(name + "\u2002" + (value == null ? "\u2013" : shown(name, value)));
          }
          return lines;
        };
        const byPercentile = (svg, share) => {
          const nines = -Math.log10(1 - Number(svg.dataset.end));
          const wanted = 1 - Math.pow(10, -share * nines);
          const lines = [(wanted * 100).toPrecision(wanted > 0.999 ? 6 : 4) + " % took at most"];
          for (const curve of data.curves) {
            const index = curve.share.findIndex(s => s >= wanted - 1e-9);
            const value = curve.ms[index < 0 ? curve.ms.length - 1 : index];
            lines.push(curve.name + "\u2002" + time(value) + (index < 0 ? ", the slowest" : ""));
          }
          return lines;
        };
        const show = (svg, share) => {
          const lines = (svg.classList.contains("time") ? overTime : byPercentile)(svg, share);
          tip.replaceChildren(...lines.map(line => {
            const part = document.createElement("div");
            part.textContent = line;
            return part;
          }));
          tip.hidden = false;
          const place = inset(svg), x = place.left + share * place.width;
          const wide = tip.offsetWidth, room = document.documentElement.clientWidth;
          tip.style.left = Math.max(4, x + 14 + wide > room ? x - wide - 14 : x + 14) + "px";
          tip.style.top = Math.max(4, Math.min(place.top + 8, innerHeight - tip.offsetHeight - 4)) + "px";
        };
        const shareAt = (svg, event) => {
          const place = inset(svg);
          return Math.min(1, Math.max(0, (event.clientX - place.left) / place.width));
        };
        const charts = [...document.querySelectorAll("svg.time, svg[data-series=curves]")];
        for (const svg of charts) {
          svg.addEventListener("pointermove", event => show(svg, shareAt(svg, event)));
          svg.addEventListener("pointerleave", () => { tip.hidden = true; });
          const frame = svg.closest("[tabindex]");
          let cursor = 0;
          frame.addEventListener("keydown", event => {
            const step = {ArrowLeft: -0.01, ArrowRight: 0.01}[event.key];
            if (!step) return;
            event.preventDefault();
            cursor = Math.min(1, Math.max(0, cursor + step));
            show(svg, cursor);
          });
          frame.addEventListener("blur", () => { tip.hidden = true; });
        }
        """#

    /// One part of the run, shown by every chart over time.
    private static let brush = #"""
        const timed = [...document.querySelectorAll("svg.time")];
        const make = (name, attributes, text) => {
          const made = document.createElementNS("http://www.w3.org/2000/svg", name);
          for (const key in attributes) made.setAttribute(key, attributes[key]);
          if (text) made.textContent = text;
          return made;
        };
        const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200];
        const zoom = svg => {
          const view = svg.viewBox.baseVal, left = Number(svg.dataset.left);
          const wide = view.width - left - Number(svg.dataset.right), end = Number(svg.dataset.end);
          const length = range.to - range.from, floor = view.height - 28;
          const across = s => left + (s - range.from) / length * wide;
          const from = left + range.from / end * wide;
          svg.querySelector(".win").setAttribute("viewBox",
            from + " 0 " + length / end * wide + " " + view.height);
          const step = steps.find(s => s >= length / 9) || 21600, ticks = [];
          for (let k = Math.ceil(range.from / step - 1e-9); k * step <= range.to + 1e-9; k++) {
            const x = across(k * step);
            ticks.push(make("line", {class: "mark", x1: x, x2: x, y1: floor, y2: floor + 5}),
              make("text", {class: "tick", x: x, y: floor + 19, "text-anchor": "middle"},
                k ? clock(k * step) : "0"));
          }
          svg.querySelector(".xs").replaceChildren(...ticks);
          for (const name of svg.querySelectorAll(".stage-name")) {
            const [a, b] = [Number(name.dataset.from), Number(name.dataset.through)];
            const x = across(Math.max(a, range.from)), room = across(Math.min(b, range.to)) - x;
            name.setAttribute("x", x + 5);
            name.classList.toggle("narrow", room < name.textContent.length * 7 + 8);
          }
        };
        const bar = document.getElementById("brush");
        if (!bar) return;
        const [low, high, all, out] =
          ["brush-from", "brush-to", "brush-all", "brush-out"].map(id => document.getElementById(id));
        const select = (from, to) => {
          const least = Math.min(data.width, data.seconds);
          range.from = Math.max(0, Math.min(from, data.seconds - least));
          range.to = Math.min(data.seconds, Math.max(to, range.from + least));
          low.value = range.from / data.seconds * 1000;
          high.value = range.to / data.seconds * 1000;
          low.setAttribute("aria-valuetext", clock(range.from));
          high.setAttribute("aria-valuetext", clock(range.to));
          timed.forEach(zoom);
          const sum = name => {
            let total = 0;
            data.series[name].forEach((value, index) => {
              const at = index * data.width;
              if (at + data.width > range.from && at < range.to) total += value * data.width;
            });
            return number(Math.round(total));
          };
          out.textContent = clock(range.from) + " to " + clock(range.to) + ": " + sum("arriving") +
            " households arrived, " + sum("answered") + " requests answered, " + sum("errors") + " errors";
          const whole = range.from === 0 && range.to === data.seconds;
          all.disabled = whole;
          document.body.classList.toggle("zoomed", !whole);
        };
        low.addEventListener("input", () => select(low.value / 1000 * data.seconds, range.to));
        high.addEventListener("input", () => {
          const to = high.value / 1000 * data.seconds;
          select(Math.min(range.from, to - data.width), to);
        });
        all.addEventListener("click", () => select(0, data.seconds));
        document.addEventListener("keydown", event => {
          if (event.key === "Escape") { tip.hidden = true; select(0, data.seconds); }
        });
        for (const svg of timed) {
          let start = null, mark = null;
          svg.addEventListener("pointerdown", event => {
            if (event.pointerType === "touch") return;
            start = shareAt(svg, event);
            mark = make("rect", {class: "selection", y: 0, height: svg.viewBox.baseVal.height - 28});
            svg.append(mark);
            svg.setPointerCapture(event.pointerId);
          });
          svg.addEventListener("pointermove", event => {
            if (start === null) return;
            const now = shareAt(svg, event), left = Number(svg.dataset.left);
            const wide = svg.viewBox.baseVal.width - left - Number(svg.dataset.right);
            mark.setAttribute("x", left + Math.min(start, now) * wide);
            mark.setAttribute("width", Math.abs(now - start) * wide);
          });
          const end = event => {
            if (start === null) return;
            const now = shareAt(svg, event), length = range.to - range.from;
            const [a, b] = [Math.min(start, now), Math.max(start, now)];
            start = null;
            mark.remove();
            if (event.type === "pointerup" && b - a > 0.01) {
              select(range.from + a * length, range.from + b * length);
            }
          };
          svg.addEventListener("pointerup", end);
          svg.addEventListener("pointercancel", end);
        }
        bar.hidden = false;
        select(0, data.seconds);
        """#
}
