"use strict";
// What a household's page adds where scripts run: a pane beside the list on wide windows, arrow keys, and zoom of
// the timeline. Everything here is an extra: no fact is only in it.
(() => {
  const list = document.getElementById("steps"), pane = document.getElementById("pane");
  const panes = list.parentElement, line = document.getElementById("tl");
  const rows = [...list.querySelectorAll(".step")];
  const head = row => row.querySelector("summary");
  const isWide = matchMedia("(min-width: 1100px)");
  let open = null;

  // The bar of a row in the timeline, and the row of a bar.
  const bars = new Map();
  for (const bar of line.querySelectorAll("a.bar")) {
    const id = bar.hash.slice(1);
    bars.set(id, [...(bars.get(id) || []), bar]);
  }
  const mark = row => {
    for (const bar of line.querySelectorAll(".picked")) bar.classList.remove("picked");
    const own = row && bars.get(row.id) || [];
    for (const bar of own) bar.classList.add("picked");
    if (!own.length || line.scrollWidth <= line.clientWidth) return;
    const left = own[0].offsetLeft;
    if (left < line.scrollLeft + 20 || left > line.scrollLeft + line.clientWidth - 40) {
      line.scrollLeft = left - line.clientWidth / 3;
    }
  };

  // In the pane lies the detail of the selected row, which goes back where another is selected.
  const leave = () => {
    if (!open) return;
    open.classList.remove("open");
    const detail = pane.firstElementChild;
    if (detail) open.querySelector("details").append(detail);
    open = null;
  };
  const select = (row, isFocused) => {
    if (panes.classList.contains("paned")) {
      leave();
      open = row;
      row.classList.add("open");
      pane.replaceChildren(row.querySelector(".detail"));
      pane.scrollTop = 0;
    }
    mark(row);
    if (isFocused) head(row).focus({preventScroll: true});
    const box = head(row).getBoundingClientRect();
    if (box.top < 0 || box.bottom > innerHeight) head(row).scrollIntoView({block: "center"});
  };
  const arrange = () => {
    const current = open;
    leave();
    panes.classList.toggle("paned", isWide.matches);
    pane.hidden = !isWide.matches;
    if (isWide.matches) {
      for (const row of rows) row.querySelector("details").open = false;
      const first = current || rows.find(row => "#" + row.id === location.hash) ||
        rows.find(row => row.classList.contains("proof")) ||
        rows.find(row => row.classList.contains("error-row")) || rows[0];
      if (first) {
        const y = scrollY;
        select(first, false);
        if (!location.hash) scrollTo(0, y);
      }
    }
  };
  for (const row of rows) {
    head(row).addEventListener("click", event => {
      if (!panes.classList.contains("paned")) return mark(row);
      event.preventDefault();
      select(row, true);
    });
  }
  addEventListener("hashchange", () => {
    const row = rows.find(each => "#" + each.id === location.hash);
    if (!row) return;
    if (!panes.classList.contains("paned")) row.querySelector("details").open = true;
    select(row, true);
  });

  // Zoom: the content of the timeline grows, its text does not.
  const axis = document.getElementById("axis"), bar = document.getElementById("zoom");
  const span = Number(line.dataset.ms), most = Math.max(1, Math.min(4096, 2 ** Math.ceil(Math.log2(span / 50))));
  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5];
  const clock = ms => {
    if (!ms) return "0";
    if (span < 6e4) return ms < 1e3 ? ms + " ms" : ms / 1e3 + " s";
    const s = Math.floor(ms / 1e3), rest = ms % 1e3;
    return Math.floor(s / 60) + ":" + String(s % 60).padStart(2, "0") +
      (rest ? "." + String(rest).padStart(3, "0") : "");
  };
  let zoom = 1;
  const draw = () => {
    const wanted = 8 * zoom * Math.max(0.4, line.clientWidth / 1000);
    const step = steps.find(each => span / each <= wanted) || 72e5;
    const seen = line.clientWidth / line.scrollWidth * span;
    const from = Math.max(0, line.scrollLeft / line.scrollWidth * span - seen);
    const marks = [];
    for (let k = Math.ceil(from / step); k * step <= Math.min(span, from + 3 * seen); k++) {
      const made = document.createElement("span"), text = document.createElement("b");
      made.className = "mark";
      made.style.left = 0.5 + k * step / span * 98.5 + "%";
      text.textContent = clock(k * step);
      made.append(text);
      marks.push(made);
    }
    axis.replaceChildren(...marks);
  };
  const scale = (next, at) => {
    next = Math.max(1, Math.min(most, next));
    const share = at === undefined ? 0.5 : at;
    const centre = (line.scrollLeft + share * line.clientWidth) / line.scrollWidth;
    zoom = next;
    line.style.setProperty("--z", zoom);
    line.scrollLeft = centre * line.scrollWidth - share * line.clientWidth;
    bar.querySelector("[data-zoom=out]").disabled = bar.querySelector("[data-zoom=all]").disabled = zoom === 1;
    bar.querySelector("[data-zoom=in]").disabled = zoom === most;
    draw();
  };
  const picked = () => {
    const one = line.querySelector(".picked");
    if (!one) return undefined;
    const place = (one.offsetLeft - line.scrollLeft) / line.clientWidth;
    return place < 0 || place > 1 ? undefined : place;
  };
  bar.addEventListener("click", event => {
    const what = event.target.dataset.zoom;
    if (what) scale(what === "in" ? zoom * 2 : what === "out" ? zoom / 2 : 1, picked());
  });
  line.addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = line.getBoundingClientRect();
    scale(event.deltaY < 0 ? zoom * 2 : zoom / 2, (event.clientX - box.left) / box.width);
  }, {passive: false});
  let waits = false;
  line.addEventListener("scroll", () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => { waits = false; draw(); });
  });

  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("pre, .pane, .scroll")) return;
    const now = event.target.closest(".step") || open || line.querySelector(".picked") &&
      document.getElementById(line.querySelector(".picked").hash.slice(1));
    const place = rows.indexOf(now), details = now && now.querySelector("details");
    const go = next => { if (rows[next]) select(rows[next], true); };
    switch (event.key) {
    case "ArrowDown": case "j": go(place + 1); break;
    case "ArrowUp": case "k": go(place < 0 ? 0 : place - 1); break;
    case "Home": go(0); break;
    case "End": go(rows.length - 1); break;
    case "ArrowRight":
      if (!details) return;
      if (panes.classList.contains("paned")) pane.focus(); else details.open = true;
      break;
    case "ArrowLeft": if (details) details.open = false; break;
    case "+": case "=": scale(zoom * 2, picked()); break;
    case "-": scale(zoom / 2, picked()); break;
    case "0": scale(1); break;
    default: return;
    }
    event.preventDefault();
  });
  pane.addEventListener("keydown", event => {
    if ((event.key === "ArrowLeft" || event.key === "Escape") && event.target === pane && open) {
      head(open).focus();
      event.preventDefault();
      event.stopPropagation();
    }
  });
  bar.hidden = false;
  isWide.addEventListener("change", arrange);
  addEventListener("resize", draw);
  arrange();
  scale(1);
})();
