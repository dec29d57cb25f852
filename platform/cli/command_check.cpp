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

/// A line a preset, a column a resource.
void print_bounds(const std::vector<RunConfig>& configs) {
  bool titled = false;
  for (const RunConfig& c : configs) {
    const Json by_resource = estimate_bounds(c);
    if (by_resource.empty()) continue;
    if (!titled) {
      item("bounds") << "cycles that each resource alone would need for what is simulated of a step\n"
                     << std::string(14, ' ') << std::right;
      for (const auto& [name, cycles] : by_resource.items()) std::cout << std::setw(13) << name;
      std::cout << "  tightest\n";
      titled = true;
    }
    std::cout << "    " << std::left << std::setw(10) << c.preset << std::right;
    for (const auto& [name, cycles] : by_resource.items())
      std::cout << std::setw(13) << grouped(cycles.get<double>());
    std::cout << "  " << bounds_report(by_resource, 0)["tightest"].get<std::string>() << '\n';
  }
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
  std::vector<RunConfig> configs;
  for (const std::string& preset : scenario.compare) configs.push_back(scenario.config_for(preset));
  if (configs.empty()) configs.push_back(c);
  print_bounds(configs);
  item("checks") << scenario.checks.size() << '\n';
  for (const std::string& warning : standing_warnings(c)) std::cout << "note: " << warning << '\n';
  std::cout << "valid\n";
  return 0;
}

}  // namespace meshkv::platform
