// Charts by Observable Plot. Classes are told apart by pattern and label as well as by colour.
"use strict";
vp.charts = (function () {
  const $ = (id) => document.getElementById(id);
  const kBlue = "#0b3c6d", kBackPressure = "url(#p-back-pressure)", kOther = "url(#p-other)";
  const style = {fontSize: "13px", color: "#111", background: "#fff", overflow: "visible"};
  const titled = (text, chart) => vp.element("figure", {class: "chart"}, vp.element("figcaption", {}, text), chart);
  const key = (entries) => {
    const span = vp.element("p", {class: "key"});
    for (const [fill, text] of entries) {
      const svg = d3.create("svg").attr("width", 22).attr("height", 14).attr("aria-hidden", "true").style("margin", "0 .3rem -2px 1rem");
      svg.append("rect").attr("width", 22).attr("height", 14).attr("fill", fill).attr("stroke", "#333");
      span.append(svg.node(), text);
    }
    return span;
  };

  /// Beside a chart, for the names of its runs.
  const label_room = (runs) => Math.min(400, Math.max(110, 20 + 7.5 * d3.max(runs, (run) => run.label.length)));

  // ---- links over time

  function chosen(links, which) {
    const left = Math.floor(links.mesh.width / 2) - 1;
    return links.names.map((name, i) => [name, i]).filter(([n]) =>
      which === "bisection" ? (n.port === "east" && n.x === left) || (n.port === "west" && n.x === left + 1)
        : which === "mesh" ? ["east", "west", "south", "north"].includes(n.port) : n.port.startsWith(which)).map(([, i]) => i);
  }

  function over_time() {
    const which = $("over-time-links").value;
    const rows = [];
    for (const run of vp.heat_map.drawn) {
      const all = chosen(run.links, which);
      run.links.ends.forEach((end, slice) => {
        const sum = {useful: 0, back_pressure: 0, other: 0};
        for (const i of all) for (const m of Object.keys(sum)) sum[m] += vp.share(run.links.counts(i, slice), m) / all.length;
        const [from, to] = run.links.span(slice);
        const text = `${run.label}, cycles ${vp.count(from)} to ${vp.count(to)}: useful ${vp.percent(sum.useful)} %, back-pressure ${vp.percent(sum.back_pressure)} %, other ${vp.percent(sum.other)} %`;
        const a = 100 * sum.useful, b = a + 100 * sum.back_pressure;
        rows.push({run: run.label, from, to, a, b, text});
      });
    }
    if (!rows.length) return $("over-time").replaceChildren();
    const bar = (y1, y2, fill) => Plot.rect(rows, {fy: "run", x1: "from", x2: "to", y1, y2, fill, insetLeft: 0.25, insetRight: 0.25});
    const chart = Plot.plot({width: 1100, height: 60 + 120 * vp.heat_map.drawn.length, marginLeft: 60, marginRight: label_room(vp.heat_map.drawn), style,
      ariaLabel: "shares of link-cycles over time", x: {label: "cycle", tickFormat: "~s"}, y: {label: "% of link-cycles", domain: [0, 100], ticks: 4}, fy: {label: null, domain: vp.heat_map.drawn.map((r) => r.label)},
      marks: [bar(0, "a", kBlue), bar("a", "b", kBackPressure), bar("b", 100, kOther), Plot.frame(),
              Plot.tip(rows, Plot.pointerX({fy: "run", x: (d) => (d.from + d.to) / 2, y: 50, title: "text"}))]});
    $("over-time").replaceChildren(key([[kBlue, "useful"], [kBackPressure, "back-pressure"], [kOther, "other"]]), chart);
  }

  // ---- Pad

  const kStages = [["wait", "waits for data", "url(#p-wait)", "sent", "first_data"], ["data", "data stream in", kBlue, "first_data", "complete"],
                   ["Tm", "Tm", "#56b4e9", "tm_begin", "tm_end"], ["Rd", "Rd", "url(#p-4)", "rd_begin", "rd_end"]];

  function pad_bars(pad, from, to) {
    const bars = [];
    const column = Object.fromEntries(pad.columns.map((name, i) => [name, i]));
    for (const [tile, log] of Object.entries(pad.tiles)) {
      const free = kStages.map(() => []);
      for (const s of log.segments) kStages.forEach(([stage, , fill, begin, end], k) => {
        const x1 = s[column[begin]], x2 = Math.max(s[column[end]], x1 + 1);
        let row = free[k].findIndex((until) => until <= x1);
        if (row < 0) row = free[k].length;
        free[k][row] = x2;
        if (x2 < from || x1 >= to) return;
        bars.push({tile: tile.replace("_", ", "), stage, row: Math.min(row, 3), fill, x1: Math.max(x1, from), x2: Math.min(x2, to),
          text: `tile (${tile.replace("_", ", ")}), layer ${s[column.layer]}, segment ${s[column.segment]} of home (${s[column.home_x]}, ${s[column.home_y]})\n${kStages[k][1]}: cycles ${vp.count(x1)} to ${vp.count(x2)}`});
      });
    }
    return bars;
  }

  function pad() {
    const run = vp.runs[+$("pad-run").value];
    const log = run.details.pad;
    const from = Math.max(0, +$("pad-from").value || 0), to = from + +$("pad-length").value;
    const bars = pad_bars(log, from, to);
    const left = Object.entries(log.tiles).filter(([, t]) => t.not_recorded).map(([tile, t]) => `(${tile.replace("_", ", ")}) has ${vp.count(t.not_recorded)} later segments that were not recorded`);
    if (log.tiles_left_out) left.push(`${log.tiles_left_out} more tiles were asked for`);
    $("pad-note").textContent = left.length ? `tile ${left.join("; ")}` : "";
    const depth = Object.fromEntries(kStages.map(([stage]) => [stage, 1 + (d3.max(bars.filter((b) => b.stage === stage), (b) => b.row) || 0)]));
    const y = (b) => kStages.findIndex(([s]) => s === b.stage);
    const tiles = Object.keys(log.tiles).map((t) => t.replace("_", ", "));
    const chart = Plot.plot({width: 1100, height: 50 + 84 * tiles.length, marginLeft: 60, marginRight: 60, style, ariaLabel: "Pad pipeline of chosen tiles",
      x: {domain: [from, to], label: "cycle"}, fy: {domain: tiles, label: "tile", padding: 0.15},
      y: {domain: [4, 0], ticks: [0.5, 1.5, 2.5, 3.5], tickFormat: (v) => kStages[Math.floor(v)][0], label: null, tickSize: 0},
      marks: [Plot.frame({stroke: "#bbb"}), Plot.rect(bars, {fy: "tile", x1: "x1", x2: "x2", y1: (b) => y(b) + 0.08 + (0.84 * b.row) / depth[b.stage],
        y2: (b) => y(b) + 0.08 + (0.84 * (b.row + 1)) / depth[b.stage], fill: "fill", stroke: "#222", strokeWidth: 0.4, title: "text", tip: true})]});
    $("pad-chart").replaceChildren(key(kStages.map(([, text, fill]) => [fill, text])), bars.length ? chart : vp.empty("No recorded segment in these cycles."));
  }

  function start_pad() {
    const runs = vp.runs.filter((run) => run.details && run.details.pad);
    if (!runs.length) {
      $("pad").querySelectorAll(".controls").forEach((e) => e.remove());
      return $("pad-chart").replaceChildren(vp.empty("None of these results has a Pad timeline (details.json of a decode workload)."));
    }
    vp.options($("pad-run"), runs.map((run) => [String(vp.runs.indexOf(run)), run.label]));
    const lengths = [1000, 2000, 5000, 10000, 20000, 50000, 100000, 500000, 2000000];
    vp.options($("pad-length"), lengths.map((n) => [String(n), vp.count(n)]));
    // A few segments.
    const log = runs[0].details.pad, [sent, end] = ["sent", "rd_end"].map((name) => log.columns.indexOf(name));
    const usual = d3.median(Object.values(log.tiles).flatMap((t) => t.segments), (s) => s[end] - s[sent]) || 5000;
    $("pad-length").value = String(lengths.find((n) => n >= 3 * usual) || lengths[lengths.length - 1]);
    const shift = (way) => { $("pad-from").value = Math.max(0, +$("pad-from").value + way * +$("pad-length").value); pad(); };
    $("pad-earlier").addEventListener("click", () => shift(-1));
    $("pad-later").addEventListener("click", () => shift(1));
    for (const id of ["pad-run", "pad-from", "pad-length"]) $(id).addEventListener("change", pad);
    pad();
  }

  // ---- latencies

  const kLatencies = {fetch: "KV_FETCH sent to the last data of the segment", packet: "packet created to its tail ejected", hbm: "HBM2: a transaction in DRAM and scheduler", ddr: "DDR4: a transaction in DRAM and scheduler"};

  function latency(kind) {
    const runs = vp.runs.filter((run) => run.details && run.details.latency && run.details.latency[kind]);
    if (!runs.length) return [];
    const bins = [], marks = [];
    for (const run of runs) {
      const l = run.details.latency[kind];
      // Bins of one width on the axis, so that heights compare.
      const groups = d3.rollup(l.bins, (all) => [d3.min(all, (b) => b[0]), d3.max(all, (b) => b[1]), d3.sum(all, (b) => b[2])], (b) => Math.floor(8 * Math.log2(Math.max(b[0], 1e-9))));
      for (const [from, to, n] of groups.values()) bins.push({run: run.label, from: Math.max(from, 0.5), to, share: (100 * n) / l.count, text: `${run.label}: ${vp.real(from)} to ${vp.real(to)} ${l.unit}\n${vp.count(n)} of ${vp.count(l.count)}`});
      for (const p of ["p50", "p95", "p99"]) marks.push({run: run.label, p, at: l[p]});
    }
    const unit = runs[0].details.latency[kind].unit;
    const chart = Plot.plot({width: 1100, height: 60 + 110 * runs.length, marginLeft: 60, marginRight: label_room(runs), style, ariaLabel: kLatencies[kind],
      x: {type: "log", label: unit, tickFormat: "~s"}, y: {label: "% of samples"}, fy: {label: null, domain: runs.map((r) => r.label)},
      marks: [Plot.frame({stroke: "#bbb"}), Plot.rect(bins, {fy: "run", x1: "from", x2: "to", y1: 0, y2: "share", fill: "#56b4e9", stroke: "#0b3c6d", title: "text", tip: true}),
        Plot.ruleX(marks, {fy: "run", x: "at", stroke: "#d55e00", strokeWidth: 1.5, strokeDasharray: "4 2"}),
        Plot.text(marks, {fy: "run", x: "at", text: "p", frameAnchor: "top", textAnchor: "start", dx: 3, dy: 3, fill: "#111", stroke: "#fff"})]});
    const rows = runs.map((run) => { const l = run.details.latency[kind]; return [run.label, vp.count(l.count), ...["mean", "p50", "p90", "p95", "p99", "max"].map((p) => vp.real(l[p]))]; });
    return [titled(kLatencies[kind], chart), vp.table(["run", "samples", ...["mean", "p50", "p90", "p95", "p99", "max"].map((p) => `${p}, ${unit}`)], rows)];
  }

  function latencies() {
    const parts = Object.keys(kLatencies).flatMap(latency);
    $("latency-charts").replaceChildren(...(parts.length ? parts : [vp.empty("None of these results has latency histograms (details.json).")]));
  }

  // ---- bounds

  function bounds() {
    const rows = [], achieved = [];
    for (const run of vp.runs) {
      const b = run.results.bounds;
      for (const [name, cycles] of Object.entries(b)) if (name.endsWith("_cycles") && name !== "tightest_cycles" && name !== "achieved_cycles")
        rows.push({run: run.label, resource: name.slice(0, -7), cycles, tightest: name === `${b.tightest}_cycles`});
      if (b.achieved_cycles) achieved.push({run: run.label, cycles: b.achieved_cycles, ratio: b.achieved_over_bound});
    }
    if (!rows.length) return $("bounds-charts").replaceChildren(vp.empty("This kind of workload has no bounds."));
    const labels = [...new Set(rows.map((r) => r.run))];
    const chart = Plot.plot({width: 1100, height: 50 + 150 * labels.length, marginLeft: 80, marginRight: label_room(vp.runs), style, ariaLabel: "bounds by resource and achieved cycles",
      x: {label: "cycles", tickFormat: "~s"}, y: {label: null}, fy: {label: null, domain: labels, padding: 0.2},
      marks: [Plot.barX(rows, {fy: "run", y: "resource", x: "cycles", fill: (d) => (d.tightest ? kBlue : kOther), stroke: "#333", title: (d) => `${d.run}: ${d.resource} alone needs ${vp.count(d.cycles)} cycles`, tip: true}),
        Plot.text(rows.filter((d) => d.tightest), {fy: "run", y: "resource", x: "cycles", text: (d) => "tightest", textAnchor: "end", dx: -5, fill: "#fff"}),
        Plot.ruleX(achieved, {fy: "run", x: "cycles", stroke: "#d55e00", strokeWidth: 2.5}),
        Plot.text(achieved, {fy: "run", x: "cycles", text: (d) => `achieved ${vp.count(Math.round(d.cycles))}, ${d.ratio.toFixed(2)} x the tightest`, frameAnchor: "bottom", dy: -4, textAnchor: "end", dx: -5, fill: "#111", stroke: "#fff", strokeWidth: 4})]});
    $("bounds-charts").replaceChildren(chart);
  }

  // ---- energy

  const kParts = {link: "links", router: "router FIFOs", sram: "KV SRAM and Pad FIFOs", mac: "MACs", memory: "HBM2 and DDR4"};

  function energy() {
    const fills = [kBlue, "#56b4e9", kBackPressure, kOther, "url(#p-4)", "#f0e442", "url(#p-wait)", "#999"];
    const runs = vp.runs.filter((run) => run.results.metrics.energy);
    const keys = [...new Set(runs.flatMap((run) => Object.keys(run.results.metrics.energy)))].filter((k) => k.endsWith("_pj") && k !== "total_pj");
    if (!keys.length) return $("energy-chart").replaceChildren(vp.empty("These results have no energy."));
    const parts = keys.map((k, i) => ({key: k, text: kParts[k.slice(0, -3)] || k.slice(0, -3), fill: fills[i % fills.length]}));
    const uj = (run, k) => (run.results.metrics.energy[k] || 0) / 1e6;
    const sum = (run) => d3.sum(parts, (p) => uj(run, p.key)) || 1;
    const rows = runs.flatMap((run) => parts.map((p) => ({run: run.label, uj: uj(run, p.key), fill: p.fill, text: `${run.label}, ${p.text}: ${vp.real(uj(run, p.key))} µJ, ${vp.percent(uj(run, p.key) / sum(run))} %`})));
    const chart = Plot.plot({width: 1100, height: 60 + 46 * runs.length, marginLeft: label_room(runs), marginRight: 60, style, ariaLabel: "energy by part",
      x: {label: "µJ"}, y: {label: null, domain: runs.map((run) => run.label)},
      marks: [Plot.barX(rows, {y: "run", x: "uj", fill: "fill", stroke: "#222", title: "text", tip: true})]});
    const per_token = runs.some((run) => run.results.metrics.energy.pj_per_token !== undefined);
    const table = vp.table(["run", ...parts.map((p) => `${p.text}, µJ`), "all, µJ", ...(per_token ? ["a token, µJ"] : [])], runs.map((run) => [run.label,
      ...parts.map((p) => `${vp.real(uj(run, p.key))} (${vp.percent(uj(run, p.key) / sum(run))} %)`), vp.real(uj(run, "total_pj")),
      ...(per_token ? [run.results.metrics.energy.pj_per_token === undefined ? "–" : vp.real(uj(run, "pj_per_token"))] : [])]));
    $("energy-chart").replaceChildren(key(parts.map((p) => [p.fill, p.text])), chart, vp.element("div", {class: "wide"}, table));
  }

  function start() {
    vp.part("over-time", over_time);
    $("over-time-links")?.addEventListener("change", over_time);
    vp.part("pad-chart", start_pad);
    vp.part("latency-charts", latencies);
    vp.part("bounds-charts", bounds);
    vp.part("energy-chart", energy);
  }
  return {start};
})();
