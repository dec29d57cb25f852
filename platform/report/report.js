// Tables, and what starts the rest.
"use strict";
(function () {
  const $ = (id) => document.getElementById(id);
  const labels = vp.runs.map((run) => run.label);
  const kFigures = [
    ["noc.traffic", "traffic, flit-hops"], ["bisection.useful", "bisection useful, share"], ["bisection.back_pressure", "back-pressure, share"], ["bisection.other", "other, share"],
    ["decode.cycles_per_step", "cycles per step"], ["decode.tokens_per_second", "tokens/s"], ["decode.sample.cycles", "cycles of the sample"],
    ["decode.sample.extrapolated_tokens_per_second", "tokens/s, extrapolated"], ["mare.coalesced_fraction", "requests coalesced, share"], ["mare.duplicates_suppressed", "duplicates suppressed, flits"],
    ["pad.mac_utilisation", "MAC utilisation, share"], ["pad.mean_fetch_cycles", "mean fetch, cycles"], ["memory.hbm_bytes", "HBM, bytes"], ["memory.ddr_bytes", "DDR4, bytes"], ["energy.total_pj", "energy, µJ", 1e-6], ["energy.pj_per_token", "energy a token, µJ", 1e-6],
    ["noc.avg_packet_latency_cycles", "mean packet latency, cycles"], ["noc.p99_packet_latency_cycles", "99th percentile, cycles"], ["noc.accepted_flits_per_node_cycle", "accepted, flits/node/cycle"],
    ["memory.bandwidth_fraction", "bandwidth, share of the peak"], ["memory.mean_latency_ns", "mean latency, ns"], ["scoreboard.lost", "payloads lost"], ["scoreboard.duplicated", "payloads duplicated"]];

  function difference(value, base) {
    if (typeof value !== "number" || typeof base !== "number" || value === base) return "";
    return base === 0 ? " (was 0)" : ` (${value > base ? "+" : "−"}${vp.real(Math.abs(Math.round((value / base - 1) * 1000) / 10))} %)`;
  }

  function cell(value, base, is_base) {
    if (value === undefined || value === null) return "–";
    const delta = is_base ? "" : difference(value, base);
    return delta ? vp.element("span", {}, vp.value(value), vp.element("span", {class: "delta"}, delta)) : vp.value(value);
  }

  const metric_row = (path, text, base, scale = 1) => {
    const of = vp.runs.map((run) => vp.at(run.results.metrics, path)).map((v) => (scale === 1 || typeof v !== "number" ? v : v * scale));
    return of.every((v) => v === undefined) ? null : [text, ...of.map((v, i) => cell(v, of[base], i === base))];
  };

  function figures() {
    const base = $("base") ? +$("base").value : 0;
    const bound = vp.runs.map((run) => run.results.bounds.achieved_over_bound);
    const rows = kFigures.map(([path, text, scale]) => metric_row(path, text, base, scale)).filter((row) => row);
    if (bound.some((v) => v !== undefined)) rows.push(["achieved / tightest bound", ...bound.map((v, i) => cell(v, bound[base], i === base))]);
    rows.unshift(["outcome", ...vp.runs.map((run) => run.results.outcome)]);
    $("figures").replaceChildren(vp.table(["", ...labels], rows));
    const paths = [...new Set(vp.runs.flatMap((run) => vp.flatten(run.results.metrics).filter(([path, v]) => !path.startsWith("noc.links.") && !Array.isArray(v)).map(([path]) => path)))];
    $("all-metrics").querySelector("div").replaceChildren(vp.table(["metric", ...labels], paths.map((path) => metric_row(path, path, base)).filter((row) => row)));
  }

  function checks() {
    const rows = vp.runs.flatMap((run) => run.results.checks.map((check) => [run.label, check.metric,
      ["min", "max", "equals", "within_percent"].filter((k) => k in check).map((k) => `${k} ${vp.value(check[k])}`).join(", "),
      "value" in check ? vp.value(check.value) : "–", vp.element("span", check.passed ? {} : {class: "failed"}, check.passed ? "holds" : "FAILS")]));
    if (rows.length) $("checks").querySelector("div").replaceChildren(vp.table(["run", "metric", "asked", "found", ""], rows, 9));
    else $("checks").remove();
  }

  function parameters() {
    const all = vp.runs.map((run) => new Map(vp.flatten(run.results.parameters)));
    const paths = [...new Set(all.flatMap((m) => [...m.keys()]))];
    const rows = [];
    for (const path of paths) {
      const values = all.map((m) => (m.has(path) ? vp.value(m.get(path)) : "–"));
      const differs = values.some((v) => v !== values[0]);
      if ($("only-different").checked && !differs) continue;
      rows.push([(differs ? "≠ " : "") + path, ...values.map((v) => (differs ? vp.element("td", {class: "different"}, v) : v))]);
    }
    $("parameter-table").replaceChildren(rows.length ? vp.table(["parameter", ...labels], rows, 9) : vp.empty("No parameter differs."));
  }

  function head() {
    const of = (key) => [...new Set(vp.runs.map((run) => vp.value(run.results[key])))].join(", ");
    const meshes = [...new Set(vp.runs.map((run) => run.results.parameters.mesh).filter((m) => m).map((m) => `${m.width}x${m.height} mesh`))];
    $("summary").textContent = [`${vp.runs.length} ${vp.runs.length === 1 ? "run" : "runs"} (${labels.join(", ")})`, ...meshes, `mode ${of("mode")}`, `seed ${of("seed")}`].join("; ");
    const notes = new Map();
    for (const run of vp.runs) for (const text of run.results.warnings) notes.set(text, [...(notes.get(text) || []), run.label]);
    for (const run of vp.runs) if (run.results.reason) notes.set(run.results.reason, [run.label]);
    for (const text of vp.notes) notes.set(text, []);
    $("notes").replaceChildren(...[...notes].map(([text, who]) => vp.element("li", {}, (who.length && who.length < vp.runs.length ? who.join(", ") + ": " : "") + text)));
  }

  vp.part("notes", head);
  vp.options($("base"), labels.map((label, i) => [String(i), label]));
  $("base").addEventListener("change", figures);
  if (vp.runs.length < 2) $("base").closest(".controls").remove();
  else $("base").value = "0";
  vp.part("figures", figures);
  vp.part("checks", checks);
  $("only-different").addEventListener("change", parameters);
  vp.part("parameter-table", parameters);
  vp.part("meshes", vp.heat_map.start);
  vp.charts.start();
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((d) => (d.open = true)));
  document.body.dataset.ready = "true";
})();
