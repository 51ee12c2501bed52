"use strict";
// What the charts of report.html and of the dashboard have in common: numbers as the pages write them, and what
// a chart over time (or by percentile) shows under the pointer or the arrow keys. The drawings come from the
// server's side; `data` has {width, seconds, series, curves} of what they show.
const charts = (() => {
  const grouped = text => text.replace(/^(-?\d+)/, all => all.replace(/\B(?=(\d{3})+$)/g, ","));
  const count = n => grouped(String(n));
  const significant = v => {
    const a = Math.abs(v);
    return grouped(v.toFixed(a < 0.0005 ? 0 : a < 0.1 ? 3 : a < 10 ? 2 : a < 100 ? 1 : 0));
  };
  const time = ms => ms < 999.5 ? significant(ms) + " ms" : significant(ms / 1000) + " s";
  const two = n => String(n).padStart(2, "0");
  const clock = s => {
    if (s < 60) return String(Number(s.toFixed(s < 10 ? 2 : 1))) + " s";
    const whole = Math.round(s), h = Math.floor(whole / 3600), m = Math.floor(whole / 60) % 60;
    return h ? h + ":" + two(m) + ":" + two(whole % 60) : m + ":" + two(whole % 60);
  };
  const units = {
    arriving: "/s", answered: "/s", errors: "/s", waiting: "", busy: " %", "signed-in": "", lost: ""
  };
  const shown = (name, v) => name in units ? significant(v) + units[name] : time(v);

  // The part of the run that charts over time show.
  const range = {from: 0, to: 0};
  let data = null;
  const use = (next, from, to) => { data = next; range.from = from; range.to = to; };

  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.append(tip);
  const hide = () => { tip.hidden = true; };
  const inset = svg => {
    const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
    const left = Number(svg.dataset.left) * scale, right = Number(svg.dataset.right) * scale;
    return {left: box.left + left, width: box.width - left - right, top: box.top};
  };
  const overTime = (svg, share) => {
    const at = range.from + share * (range.to - range.from);
    const names = svg.dataset.series || "answered p50 p99";
    const set = names.startsWith("set:") && data.sets[names.slice(4)];
    if (set) {
      const index = Math.max(0, Math.floor(at / set.width));
      return [clock(index * set.width)].concat(set.lines.map(line => {
        const value = line.values[Math.min(index, line.values.length - 1)];
        const text = value == null ? "\u2013" : set.unit === "ms" ? time(value) : significant(value) + (set.unit === "%" ? " %" : set.unit);
        return line.name + "\u2002" + text;
      }));
    }
    const index = Math.min(Math.floor(at / data.width), data.series.p50.length - 1);
    const lines = [clock(Math.max(0, index) * data.width)];
    const before = data.before || null;
    for (const name of names.split(" ")) {
      const value = data.series[name][index];
      const old = before && before.series[name] && before.series[name][Math.floor(at / before.width)];
      lines.push(name + "\u2002" + (value == null ? "\u2013" : shown(name, value)) +
        (old == null ? "" : " (earlier " + shown(name, old) + ")"));
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
    if (!data) return;
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

  // Charts may be replaced while they are looked at, so the document listens for all of them.
  const drawn = "svg.time, svg[data-series=curves]";
  document.addEventListener("pointermove", event => {
    const svg = event.target.closest(drawn);
    if (svg) show(svg, shareAt(svg, event));
  });
  document.addEventListener("pointerout", event => {
    if (event.target.closest(drawn)) hide();
  });
  const cursors = new WeakMap();
  document.addEventListener("keydown", event => {
    const step = {ArrowLeft: -0.01, ArrowRight: 0.01}[event.key];
    const svg = step && event.target.matches("[tabindex]") && event.target.querySelector(drawn);
    if (!svg) return;
    event.preventDefault();
    const cursor = Math.min(1, Math.max(0, (cursors.get(event.target) || 0) + step));
    cursors.set(event.target, cursor);
    show(svg, cursor);
  });
  document.addEventListener("focusout", hide);
  return {count, grouped, significant, time, two, clock, range, use, hide, shareAt};
})();
