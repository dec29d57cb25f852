// Validation, capacities and bounds, without simulation.
#include <iomanip>
#include <iostream>

#include "models/workload/segments.h"
#include "platform/cli/cli.h"
#include "platform/cli/options.h"
#include "platform/run/bounds.h"
#include "platform/run/run_report.h"
#include "platform/run/summary.h"
#include "platform/scenario/capacity.h"
#include "platform/scenario/model_file.h"

namespace meshkv::platform {
namespace po = boost::program_options;

namespace {

std::ostream& item(const char* name) {
  return std::cout << "  " << std::left << std::setw(14) << name;
}

void print_capacities(const RunConfig& c) {
  const auto text = [](std::uint64_t bytes) { return bytes_text(static_cast<double>(bytes)); };
  const workload::DecodeConfig& d = c.decode;
  const Capacity capacity = kv_capacity(c);
  item("model") << d.model.name << ": " << d.model.layers << " layers, " << d.model.heads << " heads, "
                << d.model.kv_heads << " KV heads of " << d.model.head_dim << " elements\n";
  const workload::SegmentTable table(d);
  item("segments") << table.slots() << " a layer, " << d.layout.segment_tokens << " tokens and "
                   << bytes_text(static_cast<double>(
                          workload::block_bytes(d.model, d.layout, d.layout.segment_tokens)))
                   << " each\n";
  item("KV cache") << text(capacity.cache_bytes) << " of HBM " << text(capacity.hbm_bytes) << " and DDR4 "
                   << text(capacity.ddr_bytes) << '\n';
}

void print_bounds(const RunConfig& c, const std::string& preset) {
  const Json bounds = bounds_report(estimate_bounds(c), 0);
  if (bounds.empty()) return;
  item("bounds") << preset << ":";
  for (const auto& [name, value] : bounds.items())
    if (value.is_number() && name != "tightest_cycles")
      std::cout << ' ' << name.substr(0, name.rfind("_cycles")) << ' ' << grouped(value.get<double>());
  std::cout << " cycles; tightest: " << bounds["tightest"].get<std::string>() << '\n';
}

}  // namespace

int command_check(const std::vector<std::string>& arguments) {
  po::options_description options("options");
  options.add_options()("mode", po::value<std::string>(), "lt or at, instead of the scenario's")(
      "set", po::value<std::vector<std::string>>()->composing(),
      "path=value: change one parameter (repeatable)");
  const std::string usage = "vp check SCENARIO.json [options]";
  const auto map = parse_options(usage, arguments, options, "scenario", 1);
  if (!map) return 0;
  if (!map->count("scenario"))
    throw InputError("command line", "", "found no scenario file; usage: " + usage);
  const std::string mode = map->count("mode") ? (*map)["mode"].as<std::string>() : "";
  if (map->count("mode") && mode != "lt" && mode != "at")
    throw InputError("--mode", "", "found \"" + mode + "\"; allowed: lt, at");
  const auto settings =
      map->count("set") ? (*map)["set"].as<std::vector<std::string>>() : std::vector<std::string>{};
  const Scenario scenario =
      load_scenario((*map)["scenario"].as<std::vector<std::string>>().front(), settings, mode);

  const RunConfig& c = scenario.config;
  std::cout << headline(scenario) << "\n";
  if (c.workload_kind == WorkloadKind::kDecode) print_capacities(c);
  if (scenario.compare.empty()) {
    print_bounds(c, c.preset);
  } else {
    for (const std::string& preset : scenario.compare) print_bounds(scenario.config_for(preset), preset);
  }
  item("checks") << scenario.checks.size() << '\n';
  for (const std::string& warning : standing_warnings(c)) std::cout << "note: " << warning << '\n';
  std::cout << "valid\n";
  return 0;
}

}  // namespace meshkv::platform
