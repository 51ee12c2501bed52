"use strict";
// What report.html adds where scripts run: tables that sort, and a brush that all charts over time share.
// Everything here is an extra: no number is only in it.
(() => {
  const {count, clock, range, shareAt} = charts;
  const data = JSON.parse(document.getElementById("data").textContent);
  charts.use(data, 0, data.seconds);

  // A header that is pressed sorts by its column, numbers downwards first.
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

  // One part of the run, shown by every chart over time.
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
    for (const name of svg.querySelectorAll(".event-name")) {
      const at = Number(name.dataset.from);
      name.setAttribute("x", across(at) + 4);
      name.classList.toggle("unseen-name", at < range.from || at > range.to);
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
      return count(Math.round(total));
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
    if (event.key === "Escape") { charts.hide(); select(0, data.seconds); }
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
})();
