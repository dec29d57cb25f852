#include "platform/regress/sweep_columns.h"

#include <algorithm>
#include <set>

#include "platform/regress/golden.h"
#include "platform/run/run_report.h"
#include "platform/scenario/input_error.h"
#include "platform/scenario/scenario.h"

namespace meshkv::platform {
namespace {

constexpr std::size_t kMostPoints = 200;  // that are looked at for a column which the first ones do not have

std::vector<std::string> columns_of(const Scenario& scenario) {
  std::vector<std::string> names = known_metrics(scenario);
  std::vector<std::string> runs{""};
  for (const std::string& preset : scenario.compare) runs.push_back("runs." + preset + ".");
  for (const std::string& run : runs)
    for (const char* text : {"outcome", "bounds.tightest"}) names.push_back(run + text);
  return names;
}

}  // namespace

void check_columns(const Sweep& sweep, const std::string& file) {
  std::set<std::string> unknown(sweep.columns.begin(), sweep.columns.end());
  std::vector<std::string> names;  // of the last point that is sound
  for (std::size_t point = 0; point < std::min(sweep.points(), kMostPoints) && !unknown.empty(); ++point) {
    try {
      names = columns_of(load_scenario(sweep.base, sweep.settings_at(point)));
    } catch (const InputError&) {
      continue;  // its row will say so
    }
    for (const std::string& name : names) unknown.erase(name);
  }
  if (names.empty()) return;
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < sweep.columns.size(); ++i) {
    const std::string& column = sweep.columns[i];
    const bool element =
        column.find('[') != std::string::npos;  // of a list, whose length is not known before
    if (element || unknown.count(column) == 0) continue;
    const std::string near = nearest_name(column, names);
    problems.push_back({file, "columns[" + std::to_string(i) + "]",
                        "found " + shown(column) + ", which is no metric of these runs" +
                            (near.empty() ? "" : "; did you mean " + near + "?")});
  }
  if (!problems.empty()) throw InputError(std::move(problems));
}

Json row_metrics(const Sweep& sweep, const Json& results) {
  Json metrics = golden_values(results);
  for (const std::string& column : sweep.columns) {
    if (metrics.contains(column) || !results.is_object()) continue;
    const Json* value = find_metric(results, column);
    if (value != nullptr && value->is_primitive() && !value->is_null()) metrics[column] = *value;
  }
  return metrics;
}

}  // namespace meshkv::platform
