#include "platform/run/summary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <map>

#include "platform/scenario/capacity.h"

namespace meshkv::platform {
namespace {

enum class Form { kCount, kReal, kPercent, kBytes, kName, kRelative, kMicrojoules };

/// A line of the table; it is left out where no run has its metric.
struct Row {
  const char* label;
  const char* unit;
  const char* path;
  Form form;
  bool whole_step_only = false;  ///< has no meaning for a sample
};

const std::vector<Row>& rows() {
  static const std::vector<Row> table{
      {"traffic", "flit-hops", "metrics.noc.traffic", Form::kCount},
      {"  relative to the first", "", "metrics.noc.traffic", Form::kRelative},
      {"bisection: useful", "% of link-cycles", "metrics.bisection.useful", Form::kPercent},
      {"  back-pressure", "%", "metrics.bisection.back_pressure", Form::kPercent},
      {"  other", "%", "metrics.bisection.other", Form::kPercent},
      {"cycles per step", "cycles", "metrics.decode.cycles_per_step", Form::kCount, true},
      {"cycles of the sample", "cycles", "metrics.decode.sample.cycles", Form::kCount},
      {"  tokens/s, extrapolated", "1/s", "metrics.decode.sample.extrapolated_tokens_per_second",
       Form::kReal},
      {"    95 % interval: from", "1/s", "metrics.decode.sample.tokens_per_second_low", Form::kReal},
      {"    to", "1/s", "metrics.decode.sample.tokens_per_second_high", Form::kReal},
      {"tokens per second", "1/s", "metrics.decode.tokens_per_second", Form::kReal, true},
      {"tightest bound", "", "bounds.tightest", Form::kName},
      {"  needs", "cycles", "bounds.tightest_cycles", Form::kCount},
      {"  achieved / bound", "", "bounds.achieved_over_bound", Form::kReal},
      {"requests coalesced", "%", "metrics.mare.coalesced_fraction", Form::kPercent},
      {"duplicates suppressed", "", "metrics.mare.duplicates_suppressed", Form::kCount},
      {"occupancy swaps", "", "metrics.takv.swaps", Form::kCount},
      {"MAC utilisation", "%", "metrics.pad.mac_utilisation", Form::kPercent},
      {"read from HBM", "", "metrics.memory.hbm_bytes", Form::kBytes},
      {"read from DDR4", "", "metrics.memory.ddr_bytes", Form::kBytes},
      {"energy, counted events", "uJ", "metrics.energy.total_pj", Form::kMicrojoules},
      {"  per token", "uJ", "metrics.energy.pj_per_token", Form::kMicrojoules},
      {"mean packet latency", "cycles", "metrics.noc.avg_packet_latency_cycles", Form::kReal},
      {"mean hops", "", "metrics.noc.avg_hops", Form::kReal},
      {"accepted", "flits/node/cycle", "metrics.noc.accepted_flits_per_node_cycle", Form::kReal},
      {"replayed packets that differ", "", "metrics.noc.replay_mismatches", Form::kCount},
      {"bandwidth", "% of peak", "metrics.memory.bandwidth_fraction", Form::kPercent},
      {"bandwidth", "GB/s", "metrics.memory.bandwidth_gbs", Form::kReal},
      {"mean latency", "ns", "metrics.memory.mean_latency_ns", Form::kReal},
      {"median latency", "ns", "metrics.memory.p50_latency_ns", Form::kReal},
      {"time of a slice", "ns", "metrics.memory.slice_period_ns", Form::kReal},
      {"payloads lost", "", "metrics.scoreboard.lost", Form::kCount},
      {"payloads duplicated", "", "metrics.scoreboard.duplicated", Form::kCount}};
  return table;
}

std::string cell(const Row& row, const Json& run, const Json& first) {
  const Json* value = find_metric(run, row.path);
  if (!value || value->is_null()) return "-";
  if (row.form == Form::kName) return value->is_string() ? value->get<std::string>() : "-";
  if (!value->is_number()) return "-";
  const double v = value->get<double>();
  switch (row.form) {
    case Form::kCount:
      return grouped(v);
    case Form::kReal:
      return grouped(v, std::abs(v) < 10 ? 3 : std::abs(v) < 1000 ? 1 : 0);
    case Form::kMicrojoules:
      return grouped(v / 1e6, v < 1e7 ? 3 : 1);
    case Form::kPercent:
      return grouped(100 * v, 1);
    case Form::kBytes:
      return bytes_text(v);
    case Form::kRelative: {
      const Json* base = find_metric(first, row.path);
      const double b = base && base->is_number() ? base->get<double>() : 0;
      return b > 0 ? grouped(v / b, 2) : "-";
    }
    case Form::kName:
      break;
  }
  return "-";
}

void print_table(std::ostream& out, const std::vector<std::string>& titles,
                 const std::vector<const Json*>& runs, bool sampled) {
  constexpr int kLabel = 32, kUnit = 17;
  int width = 14;
  for (const std::string& title : titles) width = std::max(width, static_cast<int>(title.size()) + 2);
  if (runs.size() > 1) {
    out << std::string(kLabel + kUnit, ' ');
    for (const std::string& title : titles) out << std::setw(width) << title;
    out << '\n';
  }
  for (const Row& row : rows()) {
    if (row.whole_step_only && sampled) continue;
    if (row.form == Form::kRelative && runs.size() < 2) continue;
    std::vector<std::string> cells;
    for (const Json* run : runs) cells.push_back(cell(row, *run, *runs.front()));
    if (std::all_of(cells.begin(), cells.end(), [](const std::string& c) { return c == "-"; })) continue;
    out << std::left << std::setw(kLabel) << row.label << std::setw(kUnit) << row.unit << std::right;
    for (const std::string& c : cells) out << std::setw(width) << c;
    out << '\n';
  }
}

/// A text that all runs have is printed once, others with the presets that have them.
void print_notes(std::ostream& out, const std::vector<std::string>& titles,
                 const std::vector<const Json*>& runs) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<std::string>> presets;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (const Json& warning : (*runs[i])["warnings"]) {
      const std::string text = warning.is_string() ? warning.get<std::string>() : warning.dump();
      if (presets.find(text) == presets.end()) order.push_back(text);
      presets[text].push_back(titles[i]);
    }
  for (const std::string& text : order) {
    std::string who;
    if (presets[text].size() < runs.size())
      for (const std::string& p : presets[text]) who += (who.empty() ? "" : ", ") + p;
    out << "note: " << (who.empty() ? "" : who + ": ") << text << '\n';
  }
}

void print_checks(std::ostream& out, const Json& checks) {
  std::size_t passed = 0;
  for (const Json& check : checks) {
    if (check["passed"].get<bool>()) {
      ++passed;
      continue;
    }
    const bool found = !check["value"].is_null();
    out << "CHECK FAILED: " << check["metric"].get<std::string>()
        << (found ? " is " + check["value"].dump() : std::string(" is missing: this run has no such figure"))
        << "; asked:";
    for (const char* key : {"min", "max", "equals", "within_percent"})
      if (check.contains(key)) out << ' ' << key << ' ' << check[key].dump();
    out << '\n';
  }
  if (!checks.empty()) out << "checks: " << passed << " of " << checks.size() << " hold\n";
}

}  // namespace

std::string grouped(double value, int decimals) {
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.*f", decimals, value);
  std::string text = digits;
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::size_t begin = text[0] == '-' ? 1 : 0;
  for (std::size_t i = point; i > begin + 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string headline(const Scenario& scenario) {
  const RunConfig& c = scenario.config;
  std::string text = c.name + ": ";
  const std::string mesh =
      std::to_string(c.noc.mesh.width) + "x" + std::to_string(c.noc.mesh.height) + " mesh";
  if (c.workload_kind == WorkloadKind::kDecode) {
    const auto& d = c.decode;
    text += d.model.name + ", " + mesh + ", " + grouped(static_cast<double>(d.context_tokens)) + " tokens, " +
            std::to_string(d.streams) + (d.streams == 1 ? " stream" : " streams");
    if (scenario.compare.empty()) text += ", " + c.preset;
  } else if (c.workload_kind == WorkloadKind::kSynthetic) {
    text += "synthetic traffic, " + mesh + ", profile " + c.noc.profile;
  } else {
    text += "memory controllers alone";
  }
  text += c.mode == TimingMode::kLt ? ", lt" : ", at";
  for (std::size_t i = 1; i < c.phases.size(); ++i)
    text += c.phases[i].mode == TimingMode::kLt ? " then lt" : " then at";
  return text + ", seed " + std::to_string(c.seed);
}

void print_summary(std::ostream& out, const Scenario& scenario, const std::vector<FinishedRun>& runs,
                   const Json& results) {
  std::vector<std::string> titles;
  std::vector<const Json*> objects;
  for (const FinishedRun& run : runs) {
    titles.push_back(run.config.preset);
    objects.push_back(scenario.compare.empty() ? &results : &results["runs"][run.config.preset]);
  }
  const bool sampled =
      scenario.config.workload_kind == WorkloadKind::kDecode && scenario.config.decode.sampled();
  out << headline(scenario) << "\n\n";
  print_table(out, titles, objects, sampled);
  out << '\n';
  print_notes(out, titles, objects);
  print_checks(out, results["checks"]);
  for (const FinishedRun& run : runs)
    if (run.result.outcome != Outcome::kOk)
      out << "SIMULATION FAILED: " << run.config.preset << ": " << outcome_name(run.result.outcome)
          << (run.result.reason.empty() ? "" : "\n" + run.result.reason) << '\n';
}

}  // namespace meshkv::platform
