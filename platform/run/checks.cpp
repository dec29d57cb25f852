// `checks` of a scenario against its results.
#include <cmath>

#include "platform/run/run_report.h"

namespace meshkv::platform {
namespace {

void collect_numbers(const Json& value, const std::string& path, std::vector<std::string>& paths) {
  if (value.is_number() || value.is_boolean()) paths.push_back(path);
  if (!value.is_object()) return;
  for (const auto& [key, inner] : value.items())
    collect_numbers(inner, path.empty() ? key : path + "." + key, paths);
}

std::vector<std::string> metric_paths(const Json& results) {
  std::vector<std::string> paths;
  const auto add = [&](const Json& run, const std::string& prefix) {
    for (const char* part : {"metrics", "bounds", "cycles"})
      if (run.contains(part)) collect_numbers(run[part], prefix + part, paths);
  };
  add(results, "");
  if (results.contains("runs"))
    for (const auto& [preset, run] : results["runs"].items()) add(run, "runs." + preset + ".");
  return paths;
}

double number_of(const Json& value) {
  return value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<double>();
}

bool holds(const Check& check, double value) {
  if (check.min && !(value >= *check.min)) return false;
  if (check.max && !(value <= *check.max)) return false;
  if (!check.equals) return true;
  if (!check.within_percent) return value == *check.equals;
  return std::abs(value - *check.equals) <= std::abs(*check.equals) * *check.within_percent / 100;
}

}  // namespace

const Json* find_metric(const Json& results, const std::string& path) {
  const Json* at = &results;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    if (!at->is_object()) return nullptr;
    const auto found = at->find(path.substr(begin, end - begin));
    if (found == at->end()) return nullptr;
    at = &*found;
    begin = end + 1;
  }
  return at;
}

bool evaluate_checks(const Scenario& scenario, Json& results) {
  bool all = true;
  Json list = Json::array();
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < scenario.checks.size(); ++i) {
    const Check& check = scenario.checks[i];
    const Json* value = find_metric(results, check.metric);
    if (!value || !(value->is_number() || value->is_boolean())) {
      const std::string near = nearest_name(check.metric, metric_paths(results));
      problems.push_back({scenario.merged.origin("checks"), "checks[" + std::to_string(i) + "].metric",
                          "found \"" + check.metric + "\", which is no metric of this run" +
                              (near.empty() ? "" : "; did you mean " + near + "?")});
      continue;
    }
    Json entry{{"metric", check.metric}, {"value", *value}};
    if (check.min) entry["min"] = *check.min;
    if (check.max) entry["max"] = *check.max;
    if (check.equals) entry["equals"] = *check.equals;
    if (check.within_percent) entry["within_percent"] = *check.within_percent;
    entry["passed"] = holds(check, number_of(*value));
    all = all && entry["passed"].get<bool>();
    list.push_back(std::move(entry));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  results["checks"] = std::move(list);
  return all;
}

}  // namespace meshkv::platform
