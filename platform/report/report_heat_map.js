// The drawings of the mesh: recoloured by time slice, measure and difference; tooltips by mouse and keyboard.
"use strict";
vp.heat_map = (function () {
  const $ = (id) => document.getElementById(id);
  const drawn = vp.runs.filter((run) => run.links);
  const state = {measure: "useful", base: -1, limit: "largest", position: 0, at: null};
  const longest = drawn.reduce((most, run) => (!most || run.links.cycles > most.links.cycles ? run : most), null);

  for (const figure of document.querySelectorAll("figure.mesh")) {
    const run = vp.runs[+figure.dataset.run];
    run.figure = figure;
    run.marks = [...figure.querySelectorAll(".link")].map((g) => ({
      g, fill: g.querySelector(".fill"), hatch: g.querySelector(".hatch"), text: g.querySelector("text"),
      box: null}));
    for (const title of figure.querySelectorAll(".link title")) title.remove();  // the page has its own
    follow_pointer(run);
    follow_keys(run);
  }

  /// The slice of `run` at the slider's position: undefined after its end, -1 for the whole run.
  function slice_of(run) {
    if (state.position === 0) return -1;
    const [from, to] = longest.links.span(state.position - 1);
    const slice = run.links.slice_at((from + to) / 2);
    return slice < 0 ? undefined : slice;
  }

  function shown_share(run, i, slice) {
    const share = vp.share(run.links.counts(i, slice), state.measure);
    if (state.base < 0) return share;
    const base = vp.runs[state.base];
    const other = slice_of(base), j = base.links.index.get(run.links.names[i].key);
    // Tiles with central memory have a second injection link, which other runs have not.
    return share - (other === undefined || j === undefined ? 0 : vp.share(base.links.counts(j, other), state.measure));
  }

  const same_mesh = (a, b) => a.links.mesh.width === b.links.mesh.width && a.links.mesh.height === b.links.mesh.height;

  /// The share at which the colours end: the same for all slices, so that times compare.
  function limit() {
    if (state.limit !== "largest") return +state.limit;
    let most = 0;
    for (const run of drawn) for (let i = 0; i < run.links.names.length; ++i) most = Math.max(most, vp.share(run.links.counts(i, -1), state.measure));
    if (state.position !== 0) for (const run of drawn) {
      const slice = slice_of(run);
      if (slice !== undefined) for (let i = 0; i < run.links.names.length; ++i) most = Math.max(most, vp.share(run.links.counts(i, slice), state.measure));
    }
    return [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8].find((nice) => most <= nice) || 1;
  }

  const sequential = (t) => vp.colours[Math.round(Math.min(1, Math.max(0, t)) * (vp.colours.length - 1))];
  const diverging = (t) => d3.interpolatePuOr(0.5 - Math.max(-1, Math.min(1, t)) / 2);
  const is_dark = (colour) => { const c = d3.rgb(colour); return 0.299 * c.r + 0.587 * c.g + 0.114 * c.b < 128; };

  function paint() {
    const end = limit();
    for (const run of drawn) {
      const slice = slice_of(run);
      const comparable = state.base < 0 || same_mesh(run, vp.runs[state.base]);
      run.figure.classList.toggle("ended", slice === undefined || !comparable);
      run.figure.querySelector("figcaption").textContent = run.label + (slice === undefined ? ": has ended" : !comparable ? ": another mesh" : "");
      if (slice === undefined || !comparable) continue;
      run.marks.forEach((mark, i) => {
        const share = shown_share(run, i, slice);
        const colour = state.base < 0 ? sequential(share / end) : diverging(share / end);
        mark.fill.setAttribute("fill", colour);
        mark.text.setAttribute("fill", is_dark(colour) ? "#fff" : "#000");
        mark.text.textContent = (state.base >= 0 && Math.round(100 * share) > 0 ? "+" : "") + Math.round(100 * Math.min(1, share));
        const counts = run.links.counts(i, slice);
        mark.hatch.setAttribute("opacity", vp.share(counts, "back_pressure") >= 0.1 ? 1 : 0);
      });
    }
    legend(end);
    if (state.at) tooltip(state.at.run, state.at.i);
  }

  function legend(end) {
    const name = vp.measures[state.measure][0];
    const difference = state.base >= 0;
    const scale = difference
      ? {type: "linear", domain: [-100 * end, 100 * end], range: d3.range(0, 1.01, 0.05).map((t) => diverging(2 * t - 1)), interpolate: undefined}
      : {domain: [0, 100 * end]};
    const ramp = difference ? d3.range(33).map((i) => diverging(i / 16 - 1)) : vp.colours;
    const interpolate = d3.interpolateRgbBasis(ramp);
    $("legend").replaceChildren(Plot.legend({color: {type: "linear", domain: scale.domain, interpolate, label:
      difference ? `${name}: percentage points more than ${vp.runs[state.base].label}` : `${name}: % of link-cycles; orange hatching: back-pressure in 10 % of the cycles or more`},
      width: 460, style: {fontSize: "13px"}}));
  }

  function time_text() {
    if (state.position === 0) return `whole run, ${longest.links.ends.length} slices`;
    const [from, to] = longest.links.span(state.position - 1);
    return `cycles ${vp.count(from)} to ${vp.count(to)} (slice ${state.position} of ${longest.links.ends.length})`;
  }

  function tooltip_text(run, i) {
    const slice = slice_of(run);
    const head = `${run.label}: ${vp.describe(run.links, i)}`;
    if (slice === undefined) return head + "\nthe run had ended";
    const counts = run.links.counts(i, slice);
    const [from, to] = run.links.span(slice);
    const line = (m) => `${vp.measures[m][0]}: ${vp.percent(vp.share(counts, m))} %, ${vp.count(vp.measures[m][1](counts))} cycles`;
    let text = `${head}\ncycles ${vp.count(from)} to ${vp.count(to)}\n${line("useful")}\n${line("back_pressure")}\n${line("other")}\n` +
      `  of these ${line("control")}\n  ${line("duplicate")}\n  ${line("idle")}`;
    if (state.base >= 0) text += `\n${vp.measures[state.measure][0]}, difference to ${vp.runs[state.base].label}: ${vp.percent(shown_share(run, i, slice))} points`;
    return text;
  }

  function tooltip(run, i) {
    for (const g of document.querySelectorAll(".link.at")) g.classList.remove("at");
    state.at = {run, i};
    const mark = run.marks[i];
    mark.g.classList.add("at");
    const tip = $("tooltip");
    tip.textContent = tooltip_text(run, i);
    tip.hidden = false;
    const box = mark.fill.getBoundingClientRect();
    const left = Math.min(box.right + 8, document.documentElement.clientWidth - tip.offsetWidth - 8);
    tip.style.left = `${Math.max(4, left) + window.scrollX}px`;
    tip.style.top = `${box.bottom + 8 + window.scrollY}px`;
  }

  function hide() {
    state.at = null;
    $("tooltip").hidden = true;
    for (const g of document.querySelectorAll(".link.at")) g.classList.remove("at");
  }

  function follow_pointer(run) {
    run.figure.addEventListener("pointermove", (event) => {
      const g = event.target.closest(".link");
      if (g) tooltip(run, +g.dataset.link); else hide();
    });
    run.figure.addEventListener("pointerleave", hide);
  }

  function follow_keys(run) {
    const svg = run.figure.querySelector("svg");
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "application");
    svg.addEventListener("focus", () => { if (svg.matches(":focus-visible")) tooltip(run, state.at && state.at.run === run ? state.at.i : 0); });
    svg.addEventListener("blur", hide);
    svg.addEventListener("keydown", (event) => {
      const way = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]}[event.key];
      if (event.key === "Escape") return hide();
      if (!way) return;
      event.preventDefault();
      tooltip(run, next_link(run, state.at ? state.at.i : 0, way));
    });
  }

  /// The nearest link that lies in a direction.
  function next_link(run, from, [dx, dy]) {
    const centre = (mark) => { if (!mark.box) { const b = mark.fill.getBBox(); mark.box = [b.x + b.width / 2, b.y + b.height / 2]; } return mark.box; };
    const [x, y] = centre(run.marks[from]);
    let best = from, least = Infinity;
    run.marks.forEach((mark, i) => {
      const [mx, my] = centre(mark);
      const along = (mx - x) * dx + (my - y) * dy, across = Math.abs((mx - x) * dy) + Math.abs((my - y) * dx);
      const cost = along + 3 * across;
      if (along > 1 && cost < least) { least = cost; best = i; }
    });
    return best;
  }

  let timer = null;
  function play() {
    if (timer) { clearInterval(timer); timer = null; } else timer = setInterval(() => move((state.position % +$("time").max) + 1), 250);
    $("play").textContent = timer ? "stop" : "play";
    $("play").setAttribute("aria-pressed", String(!!timer));
  }

  function move(position) {
    state.position = position;
    $("time").value = position;
    $("time-text").textContent = time_text();
    $("time").setAttribute("aria-valuetext", time_text());
    paint();
    busiest();
  }

  function busiest() {
    const rows = [];
    for (const run of drawn) {
      const slice = slice_of(run);
      if (slice === undefined) continue;
      const order = d3.range(run.links.names.length).map((i) => [vp.share(run.links.counts(i, slice), state.measure), i]);
      order.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
      for (const [, i] of order.slice(0, 5)) {
        const c = run.links.counts(i, slice);
        rows.push([run.label, vp.describe(run.links, i), ...["useful", "back_pressure", "other", "control", "duplicate"].map((m) => vp.percent(vp.share(c, m)))]);
      }
    }
    $("busiest").replaceChildren(vp.table(["run", `link, by ${vp.measures[state.measure][0]}`, "useful %", "back-pressure %", "other %", "of which control %", "duplicates %"], rows, 2));
  }

  function start() {
    if (!drawn.length) {
      $("links").querySelectorAll(".controls, .hint, h3").forEach((e) => e.remove());
      $("meshes").replaceChildren(vp.empty("None of these results has links over time (details.json)."));
      return;
    }
    vp.options($("measure"), Object.entries(vp.measures).map(([key, [text]]) => [key, text]));
    vp.options($("relative"), [["-1", "share of cycles"], ...drawn.map((run) => [String(vp.runs.indexOf(run)), `difference to ${run.label}`])]);
    vp.options($("limit"), [["largest", "the largest"], ...[1, 0.5, 0.2, 0.1, 0.05].map((v) => [String(v), `${100 * v} %`])]);
    $("time").max = longest.links.ends.length;
    $("time").addEventListener("input", () => move(+$("time").value));
    $("play").addEventListener("click", play);
    $("measure").addEventListener("change", () => { state.measure = $("measure").value; move(state.position); });
    $("relative").addEventListener("change", () => { state.base = +$("relative").value; paint(); });
    $("limit").addEventListener("change", () => { state.limit = $("limit").value; paint(); });
    move(0);
  }
  return {start, drawn};
})();
