#include "platform/scenario/scenario.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>

#include "models/common/seed.h"
#include "models/takv/placement.h"
#include "platform/run/metric_names.h"
#include "platform/scenario/fault_list.h"
#include "platform/scenario/model_file.h"
#include "platform/scenario/scenario_paths.h"

namespace meshkv::platform {
namespace {

WorkloadKind declared_kind(const MergedValues& merged) {
  const Json* kind = merged.find("workload.kind");
  if (kind && *kind == "synthetic") return WorkloadKind::kSynthetic;
  if (kind && *kind == "memory") return WorkloadKind::kMemory;
  return WorkloadKind::kDecode;
}

/// Goes through everything that the user wrote and compares it with the declarations.
class Structure {
 public:
  Structure(const MergedValues& merged, std::vector<Problem>& problems)
      : merged_(merged), problems_(problems), kind_(declared_kind(merged)) {}

  void check() { walk(merged_.values(), ""); }

 private:
  void walk(const Json& object, const std::string& prefix) {
    for (const auto& [key, value] : object.items()) {
      const std::string path = prefix.empty() ? key : prefix + "." + key;
      if (key.find('.') != std::string::npos) {
        const std::string near = nearest_parameter(path);
        add(path, "unknown key" + (near.empty() || near == path ? "" : "; did you mean " + near + "?") +
                      "; write nested objects: {\"mesh\": {\"width\": 8}}");
      } else if (const Parameter* parameter = find_parameter(path, kind_)) {
        if (!value.is_null()) check_value(*parameter, path, value);
      } else if (is_parameter_group(path)) {
        if (value.is_object())
          walk(value, path);
        else if (!value.is_null())
          add(path, "found " + shown(value) + "; allowed: an object, {...}");
      } else {
        unknown(path);
      }
    }
  }

  void check_value(const Parameter& parameter, const std::string& path, const Json& value) {
    if (parameter.only_for && *parameter.only_for != kind_) {
      add(path, std::string("belongs to workload.kind \"") + kind_name(*parameter.only_for) +
                    "\"; this scenario's is \"" + kind_name(kind_) + "\"");
    } else if (path == "mode" && value.is_array() && kind_ != WorkloadKind::kDecode) {
      add(path, std::string("found ") + shown(value) +
                    "; phases belong to workload.kind \"decode\"; this scenario's is \"" + kind_name(kind_) +
                    "\"");
    } else if (auto reason = parameter.check(value)) {
      add(path, *reason);
    }
  }

  void unknown(const std::string& path) {
    const std::string near = nearest_parameter(path);
    add(path,
        near.empty() ? "unknown key; `vp params` lists all" : "unknown key; did you mean " + near + "?");
  }

  void add(const std::string& path, const std::string& text) {
    problems_.push_back({merged_.origin(path), path, text});
  }

  const MergedValues& merged_;
  std::vector<Problem>& problems_;
  WorkloadKind kind_;
};

/// `checks`, entry by entry.
class CheckList {
 public:
  CheckList(const Scenario& scenario, std::vector<Problem>& problems)
      : scenario_(scenario), problems_(problems) {}

  std::vector<Check> read() {
    std::vector<Check> checks;
    const Json* list = scenario_.merged.find("checks");
    if (!list || !list->is_array()) return checks;
    for (std::size_t i = 0; i < list->size(); ++i)
      checks.push_back(entry((*list)[i], "checks[" + std::to_string(i) + "]"));
    return checks;
  }

 private:
  Check entry(const Json& value, const std::string& path) {
    Check check;
    if (!value.is_object()) {
      add(path, "found " + shown(value) + "; allowed: {metric, min?, max?, equals?, within_percent?}");
      return check;
    }
    for (const auto& [key, v] : value.items()) member(check, key, v, path + "." + key);
    if (check.metric.empty() && !value.contains("metric"))
      add(path, "has no `metric`; allowed: a path such as metrics.noc.traffic");
    if (!check.min && !check.max && !check.equals)
      add(path, "tests nothing; allowed: one or more of min, max, equals");
    if (check.min && check.max && *check.min > *check.max)
      add(path, "min is larger than max, so it can never hold");
    if (check.within_percent && !check.equals) add(path, "within_percent needs equals");
    return check;
  }

  void member(Check& check, const std::string& key, const Json& value, const std::string& path) {
    static const std::map<std::string, std::optional<double> Check::*> numbers{
        {"min", &Check::min},
        {"max", &Check::max},
        {"equals", &Check::equals},
        {"within_percent", &Check::within_percent}};
    if (key == "metric") {
      if (!value.is_string()) return add(path, "found " + shown(value) + "; allowed: text");
      check.metric = value.get<std::string>();
      check_metric_root(check.metric, path);
      return;
    }
    const auto number = numbers.find(key);
    if (number == numbers.end()) {
      const std::string near = nearest_name(key, {"metric", "min", "max", "equals", "within_percent"});
      return add(path, near.empty() ? "unknown key; allowed: metric, min, max, equals, within_percent"
                                    : "unknown key; did you mean " + near + "?");
    }
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      return add(path, "found " + shown(value) + "; allowed: a number");
    if (key == "within_percent" && value.get<double>() < 0)
      return add(path, "found " + shown(value) + "; allowed: a number of 0 or more");
    check.*(number->second) = value.get<double>();
  }

  /// What can be known before the simulation: the first part of the path, and the preset of a comparison.
  void check_metric_root(const std::string& metric, const std::string& path) {
    const auto& presets = scenario_.compare;
    std::vector<std::string> roots;
    if (presets.empty()) {
      roots = {"metrics", "bounds", "cycles"};
    } else {
      for (const std::string& preset : presets) roots.push_back("runs." + preset);
    }
    for (const std::string& root : roots)
      if (metric == root || metric.rfind(root + ".", 0) == 0) return;
    std::string list;
    for (const std::string& root : roots)
      list += (list.empty() ? "" : ", ") + root + (root == "cycles" ? "" : ".*");
    add(path, "found \"" + metric + "\"; allowed: a path in results.json, one of " + list);
  }

  void add(const std::string& path, const std::string& text) {
    problems_.push_back({scenario_.merged.origin(path), path, text});
  }

  const Scenario& scenario_;
  std::vector<Problem>& problems_;
};

/// Stores every acceptable value; a value with a problem keeps its default.
void fill(RunConfig& config, const MergedValues& merged) {
  const WorkloadKind kind = declared_kind(merged);
  for (const Parameter& p : parameters()) {
    if (!p.set || (p.only_for && *p.only_for != kind)) continue;
    const Json* value = merged.find(p.path);
    if (value && !p.check(*value)) p.set(config, *value);
  }
}

/// What follows from several keys.
void derive(RunConfig& config, const MergedValues& merged) {
  config.placement.a = takv::effective_stride(config.placement, config.noc.mesh);
  workload::DecodeConfig& decode = config.decode;
  if (!decode.stream_context_tokens.empty())
    decode.context_tokens =
        *std::max_element(decode.stream_context_tokens.begin(), decode.stream_context_tokens.end());
  if (!merged.find("mapping.follow_columns"))
    config.mapping.follow_columns = std::min(config.mapping.follow_columns, config.noc.mesh.width);
  config.memory_workload.seed = config.seed;
  config.memory_workload.clock_mhz = config.clock_mhz;
  config.noc.tag_filter = config.workload_kind == WorkloadKind::kDecode && config.mare.duplicate_suppression;
  config.noc.tags = config.mare.tags;
  config.noc.bloom_bits = config.mare.bloom_bits;
  config.noc.bloom_refresh_cycles = config.mare.bloom_refresh_cycles;
  for (const Parameter& p : parameters()) {
    if (p.type != ParameterType::kFile || !p.set || (p.only_for && *p.only_for != config.workload_kind))
      continue;
    const Json* value = merged.find(p.path);
    if (value && !p.check(*value)) p.set(config, resolved_file(merged, p.path));
  }
}

void read_model(Scenario& scenario, std::vector<Problem>& problems) {
  if (scenario.config.workload_kind != WorkloadKind::kDecode) return;
  const Json* model = scenario.merged.find("model");
  const std::string& origin = scenario.merged.origin("model");
  if (!model) {
    problems.push_back(
        {scenario.file, "model", "is missing; a decode workload needs a Hugging Face config.json"});
    return;
  }
  if (!model->is_string() || *model == "") return;  // reported by its type
  const std::string& file = scenario.config.model_path;
  try {
    scenario.config.decode.model = read_model_file(file);
  } catch (const std::runtime_error& e) {
    problems.push_back({origin, "model", file + ": " + e.what()});
    return;
  }
  // The default of two heads a line must not keep a multi-query model from running.
  workload::KvLayout& layout = scenario.config.decode.layout;
  if (!scenario.merged.find("kv_layout.heads_per_line"))
    layout.heads_per_line = std::gcd(layout.heads_per_line, scenario.config.decode.model.kv_heads);
}

/// workload.sample.draw_layers, turned into what it stands for: results say which layers were drawn.
void draw_layers(RunConfig& config) {
  workload::DecodeConfig& decode = config.decode;
  if (decode.drawn_layers == 0) return;
  std::vector<int> layers(static_cast<std::size_t>(decode.model.layers));
  std::iota(layers.begin(), layers.end(), 0);
  for (int i = 0; i < decode.drawn_layers; ++i) {
    const auto from = static_cast<std::size_t>(i);
    const std::uint64_t random = mix64(config.seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(i));
    std::swap(layers[from], layers[from + random % (layers.size() - from)]);
  }
  layers.resize(static_cast<std::size_t>(decode.drawn_layers));
  std::sort(layers.begin(), layers.end());
  decode.sampled_layers = layers;
  decode.drawn_layers = 0;
}

void check_metric_names(const Scenario& scenario, std::vector<Problem>& problems) {
  if (scenario.checks.empty()) return;
  const std::vector<std::string> names = known_metrics(scenario);
  const std::set<std::string> known(names.begin(), names.end());
  for (std::size_t i = 0; i < scenario.checks.size(); ++i) {
    const std::string& metric = scenario.checks[i].metric;
    if (known.count(metric) == 1) continue;
    const std::string near = nearest_name(metric, names);
    problems.push_back({scenario.merged.origin("checks"), "checks[" + std::to_string(i) + "].metric",
                        "found " + shown(metric) + ", which is no metric of this run" +
                            (near.empty() ? "" : "; did you mean " + near + "?")});
  }
}

}  // namespace

std::vector<std::string> known_metrics(const Scenario& scenario) {
  if (scenario.compare.empty()) return metric_names(scenario.config);
  std::vector<std::string> names;
  for (const std::string& preset : scenario.compare)
    for (const std::string& name : metric_names(scenario.config_for(preset)))
      names.push_back("runs." + preset + "." + name);
  return names;
}

RunConfig Scenario::config_for(const std::string& preset) const {
  RunConfig run = config;
  apply_preset(run, preset);
  const auto set = [&](const char* path) {
    const Json* value = merged.find(path);
    if (value) find_parameter(path, run.workload_kind)->set(run, *value);
  };
  for (const Parameter& p : parameters())
    if (p.path.rfind("fabric.", 0) == 0) set(p.path.c_str());
  run.noc.tag_filter = run.workload_kind == WorkloadKind::kDecode && run.mare.duplicate_suppression;
  return run;
}

Scenario load_scenario(const std::string& file, const std::vector<std::string>& settings,
                       const std::string& mode) {
  Scenario scenario;
  scenario.file = file;
  scenario.merged = load_merged(file, settings);
  if (!mode.empty()) scenario.merged.merge(Json{{"mode", mode}}, "--mode", ".");
  std::vector<Problem> problems;
  if (const Json* abstract = scenario.merged.find("abstract"); abstract && *abstract == true)
    throw InputError(scenario.merged.origin("abstract"), "abstract",
                     "found true: this file is made to be extended, it is no scenario by itself");
  Structure(scenario.merged, problems).check();

  const Json* preset = scenario.merged.find("preset");
  const Parameter* preset_parameter = find_parameter("preset", WorkloadKind::kDecode);
  const bool valid_preset = preset && !preset_parameter->check(*preset);
  apply_preset(scenario.config, valid_preset ? preset->get<std::string>() : RunConfig{}.preset);
  fill(scenario.config, scenario.merged);
  derive(scenario.config, scenario.merged);
  if (scenario.config.name.empty()) scenario.config.name = name_from(file);
  const Json* compare = scenario.merged.find("compare");
  if (compare && !find_parameter("compare", WorkloadKind::kDecode)->check(*compare))
    scenario.compare = compare->get<std::vector<std::string>>();
  scenario.checks = CheckList(scenario, problems).read();
  scenario.config.faults = read_faults(scenario, problems);
  read_model(scenario, problems);
  check_relations(scenario, problems);
  if (problems.empty()) draw_layers(scenario.config);
  // Which metrics there will be depends on all the rest.
  if (problems.empty()) check_metric_names(scenario, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return scenario;
}

Json resolved_parameters(const RunConfig& config) {
  Json all = Json::object();
  for (const Parameter& p : parameters()) {
    if (!p.get || (p.only_for && *p.only_for != config.workload_kind)) continue;
    const bool decode_only =
        p.path == "model" || p.path.rfind("kv_layout.", 0) == 0 || p.path.rfind("mapping.", 0) == 0;
    if (decode_only && config.workload_kind != WorkloadKind::kDecode) continue;
    Json* at = &all;
    for (std::size_t begin = 0; begin <= p.path.size();) {
      const std::size_t end = std::min(p.path.find('.', begin), p.path.size());
      at = &(*at)[p.path.substr(begin, end - begin)];
      begin = end + 1;
    }
    *at = p.get(config);
  }
  return all;
}

}  // namespace meshkv::platform
