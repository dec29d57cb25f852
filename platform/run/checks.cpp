// `checks` of a scenario against its results.
#include <cmath>

#include "platform/run/run_report.h"

namespace meshkv::platform {
namespace {

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
  for (const Check& check : scenario.checks) {
    const Json* value = find_metric(results, check.metric);
    // The name is one that such a run may have (load_scenario()); this one has not.
    const bool found = value && (value->is_number() || value->is_boolean());
    Json entry{{"metric", check.metric}, {"value", found ? *value : Json()}};
    if (check.min) entry["min"] = *check.min;
    if (check.max) entry["max"] = *check.max;
    if (check.equals) entry["equals"] = *check.equals;
    if (check.within_percent) entry["within_percent"] = *check.within_percent;
    entry["passed"] = found && holds(check, number_of(*value));
    all = all && entry["passed"].get<bool>();
    list.push_back(std::move(entry));
  }
  results["checks"] = std::move(list);
  return all;
}

}  // namespace meshkv::platform
