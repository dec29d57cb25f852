#include "platform/regress/golden.h"

#include <fnmatch.h>

#include <cctype>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "platform/scenario/input_error.h"
#include "platform/scenario/json_file.h"

namespace meshkv::platform {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostElements = 64;  // of a list: beyond it a file is no longer for people

bool is_tile(const std::string& key) {
  int x = 0, y = 0, used = 0;
  return std::sscanf(key.c_str(), "%d_%d%n", &x, &y, &used) == 2 &&
         static_cast<std::size_t>(used) == key.size();
}

void collect(const Json& value, const std::string& path, Json& values) {
  if (value.is_number() || value.is_boolean()) values[path] = value;
  if (value.is_array() && value.size() <= kMostElements)
    for (std::size_t i = 0; i < value.size(); ++i)
      collect(value[i], path + "[" + std::to_string(i) + "]", values);
  if (!value.is_object()) return;
  for (const auto& [key, inner] : value.items())
    if (!is_tile(key)) collect(inner, path + "." + key, values);
}

void collect_run(const Json& run, const std::string& prefix, Json& values) {
  for (const char* part : {"cycles", "metrics"})
    if (run.contains(part)) collect(run[part], prefix + part, values);
}

double number_of(const Json& value) {
  return value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<double>();
}

bool is_percent(const Json& value) {
  return value.is_number() && value.get<double>() >= 0;
}

std::string percent_text(double percent) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g %%", percent);
  return text;
}

}  // namespace

std::string golden_file(const std::string& scenario_file) {
  const fs::path file = scenario_file;
  return (file.parent_path() / "golden" / file.filename()).string();
}

Json golden_values(const Json& results) {
  Json values = Json::object();
  if (!results.is_object()) return values;
  collect_run(results, "", values);
  if (results.contains("runs"))
    for (const auto& [preset, run] : results["runs"].items())
      collect_run(run, "runs." + preset + ".", values);
  return values;
}

std::string Drift::text() const {
  if (expected.is_null()) return metric + " is new: " + found.dump();
  if (found.is_null()) return metric + " is gone; expected " + expected.dump();
  const double was = number_of(expected), is = number_of(found);
  std::string change = was != 0 ? " (" + std::string(is > was ? "+" : "-") +
                                      percent_text(100 * std::abs(is - was) / std::abs(was)) + ", allowed " +
                                      percent_text(allowed_percent) + ")"
                                : "";
  return metric + " is " + found.dump() + "; expected " + expected.dump() + change;
}

std::optional<Golden> Golden::read(const std::string& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  const auto wrong = [&](const std::string& path, const std::string& text) {
    throw InputError(file, path, text);
  };
  Json json;
  try {
    json = parse_json(read_text_file(file));
  } catch (const std::runtime_error& e) {
    wrong("", e.what());
  }
  const bool sound = json.is_object() && json.contains("expected") && json["expected"].is_object();
  if (!sound) wrong("expected", "is missing; a golden file is written by vp regress --update");
  Golden golden;
  for (const auto& [key, value] : json.items()) {
    if (key == "within_percent") {
      if (!is_percent(value)) wrong(key, "found " + shown(value) + "; allowed: a number of 0 or more");
      golden.within_percent_ = value.get<double>();
    } else if (key == "tolerances") {
      if (!value.is_object())
        wrong(key, "found " + shown(value) + "; allowed: {\"metrics.memory.*\": percent}");
      for (const auto& [pattern, percent] : value.items()) {
        if (!is_percent(percent))
          wrong("tolerances." + pattern, "found " + shown(percent) + "; allowed: a number of 0 or more");
        golden.tolerances_.emplace_back(pattern, percent.get<double>());
      }
    } else if (key == "expected") {
      for (const auto& [metric, number] : value.items())
        if (!number.is_number() && !number.is_boolean())
          wrong("expected." + metric, "found " + shown(number) + "; allowed: a number");
      golden.expected_ = value;
    } else {
      wrong(key, "unknown key; allowed: within_percent, tolerances, expected");
    }
  }
  return golden;
}

Golden Golden::from_results(const Json& results, const std::optional<Golden>& old) {
  Golden golden;
  if (old) golden = *old;
  golden.expected_ = golden_values(results);
  return golden;
}

double Golden::tolerance(const std::string& metric) const {
  double percent = within_percent_;
  for (const auto& [pattern, within] : tolerances_)
    if (matches(pattern, metric)) percent = within;
  return percent;
}

std::vector<Drift> Golden::compare(const Json& results) const {
  const Json found = golden_values(results);
  std::vector<Drift> drifts;
  for (const auto& [metric, expected] : expected_.items()) {
    const auto value = found.find(metric);
    const double percent = tolerance(metric);
    if (value == found.end()) {
      drifts.push_back({metric, expected, nullptr, percent});
      continue;
    }
    const double was = number_of(expected), is = number_of(*value);
    if (!(std::abs(is - was) <= std::abs(was) * percent / 100))
      drifts.push_back({metric, expected, *value, percent});
  }
  for (const auto& [metric, value] : found.items())
    if (!expected_.contains(metric)) drifts.push_back({metric, nullptr, value, 0});
  return drifts;
}

std::string Golden::text() const {
  Json json{{"within_percent", within_percent_}, {"tolerances", Json::object()}, {"expected", expected_}};
  for (const auto& [pattern, percent] : tolerances_) json["tolerances"][pattern] = percent;
  return json.dump(2) + "\n";
}

bool matches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

}  // namespace meshkv::platform
