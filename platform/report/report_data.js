// What the page knows, and numbers as people read them. Everything hangs on one object, `vp`.
"use strict";
const vp = JSON.parse(document.getElementById("vp-data").textContent);

vp.count = (v) => (Number.isInteger(v) ? v.toLocaleString("en-US") : vp.real(v));
vp.real = (v) => (v === 0 ? "0" : Math.abs(v) >= 1e15 || Math.abs(v) < 1e-4 ? v.toExponential(3)
  : v.toLocaleString("en-US", Math.abs(v) >= 1000 ? {maximumFractionDigits: Math.abs(v) < 1e5 ? 1 : 0} : {maximumSignificantDigits: 4}));
vp.percent = (share) => (share === 0 ? "0" : (100 * share).toFixed(Math.abs(share) < 0.0995 ? 1 : 0));
vp.value = (v) => (typeof v === "number" ? vp.count(v) : typeof v === "string" ? v : JSON.stringify(v));

/// {"a": {"b": 1}} as [["a.b", 1]]; lists stay values.
vp.flatten = function (object, prefix = "") {
  return Object.entries(object).flatMap(([key, value]) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? vp.flatten(value, prefix + key + ".") : [[prefix + key, value]]);
};
vp.at = (object, path) => path.split(".").reduce((o, key) => (o === null || o === undefined ? undefined : o[key]), object);

/// Element with attributes and children; text is never markup.
vp.element = function (name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
};
/// `rows`: lists of texts or nodes; columns from `numbers` on are right-aligned.
vp.table = function (titles, rows, numbers = 1) {
  const kind = (i) => (i >= numbers ? {class: "number"} : {});
  const head = vp.element("tr", {}, ...titles.map((t, i) => vp.element("th", {scope: "col", ...kind(i)}, t)));
  const body = rows.map((row) => vp.element("tr", {}, ...row.map((cell, i) =>
    cell instanceof HTMLTableCellElement ? cell : vp.element("td", kind(i), cell))));
  return vp.element("table", {}, vp.element("thead", {}, head), vp.element("tbody", {}, ...body));
};
vp.options = (select, choices) => select.replaceChildren(...choices.map(([value, text]) => vp.element("option", {value}, text)));
/// Draws a part of the page; what goes wrong in one does not take the others along.
vp.part = function (id, draw) {
  try {
    draw();
  } catch (error) {
    console.error(error);
    document.getElementById(id).append(vp.empty(`This part cannot be drawn: ${error.message}`));
  }
};
vp.empty = (text) => vp.element("p", {class: "charts-empty"}, text);

/// Links of a run over time, with whole-run totals; null without details.
vp.links_of = function (run) {
  const links = run.details && run.details.links;
  if (!links) return null;
  const kinds = ["useful", "back_pressure", "control", "duplicate"];
  const ends = links.slice_ends;
  const names = links.links.map((key) => {
    const [, x, y, port] = /^(\d+)_(\d+)\.(\w+)$/.exec(key);
    return {key, x: +x, y: +y, port};
  });
  const totals = Object.fromEntries(kinds.map((k) => [k, new Float64Array(names.length)]));
  for (const k of kinds) for (const slice of links[k]) slice.forEach((n, i) => (totals[k][i] += n));
  const cycles = ends[ends.length - 1];
  return {
    names, ends, cycles, mesh: links.mesh,
    index: new Map(names.map((name, i) => [name.key, i])),
    /// Index of the slice that holds `cycle`; -1: the run had ended.
    slice_at: (cycle) => (cycle >= cycles ? -1 : ends.findIndex((end) => cycle < end)),
    span: (slice) => (slice < 0 ? [0, cycles] : [slice ? ends[slice - 1] : 0, ends[slice]]),
    /// Cycles by class of link `i` in a slice, -1: in the whole run.
    counts(i, slice) {
      const of = (k) => (slice < 0 ? totals[k][i] : links[k][slice].length ? links[k][slice][i] : 0);
      const [from, to] = this.span(slice);
      return {cycles: to - from, useful: of("useful"), back_pressure: of("back_pressure"), control: of("control"),
              duplicate: of("duplicate")};
    },
  };
};

vp.measures = {
  useful: ["useful", (c) => c.useful],
  back_pressure: ["back-pressure", (c) => c.back_pressure],
  other: ["other", (c) => Math.max(0, c.cycles - c.useful - c.back_pressure)],
  control: ["control flits (KV_FETCH, PART)", (c) => c.control],
  duplicate: ["duplicates", (c) => c.duplicate],
  idle: ["idle", (c) => Math.max(0, c.cycles - c.useful - c.back_pressure - c.control - c.duplicate)],
  busy: ["any flit", (c) => c.useful + c.control + c.duplicate],
};
vp.share = (counts, measure) => (counts.cycles ? vp.measures[measure][1](counts) / counts.cycles : 0);

vp.describe = function (links, i) {
  const {x, y, port} = links.names[i];
  const to = {east: [x + 1, y], west: [x - 1, y], south: [x, y + 1], north: [x, y - 1]}[port];
  if (to) return `link (${x}, ${y}) to (${to[0]}, ${to[1]}), ${port}`;
  return `${port === "tile" ? "ejection" : port.replace("_", " ")} of tile (${x}, ${y})`;
};

for (const run of vp.runs) run.links = vp.links_of(run);
