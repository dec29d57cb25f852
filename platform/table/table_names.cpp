#include "platform/table/table_names.h"

#include <algorithm>
#include <map>
#include <optional>

#include "platform/scenario/input_error.h"
#include "platform/scenario/scenario.h"
#include "platform/scenario/scenario_paths.h"
#include "platform/table/expression.h"

namespace meshkv::platform {
namespace {

struct Known {
  std::vector<std::string> presets;  ///< of a comparison; empty: a single run
  std::vector<std::string> metrics;  ///< as formulas call them, preset included
};

/// "metrics.noc.traffic" is called noc.traffic.
std::string called(const std::string& metric) {
  return metric.rfind("metrics.", 0) == 0 ? metric.substr(8) : metric;
}

std::optional<Known> known_of(const std::string& file) {
  try {
    const Scenario scenario = load_scenario(file, {});
    Known known{scenario.compare, {}};
    for (const std::string& metric : known_metrics(scenario)) {
      if (metric.rfind("runs.", 0) != 0) {
        known.metrics.push_back(called(metric));
        continue;
      }
      const std::size_t dot = metric.find('.', 5);
      known.metrics.push_back(metric.substr(5, dot + 1 - 5) + called(metric.substr(dot + 1)));
    }
    return known;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

class Checker {
 public:
  explicit Checker(const RowTable& table) : table_(table) {}

  void formula(const std::string& text, const std::string& at) {
    for (const std::string& name : names_in(text)) {
      const std::size_t colon = name.find(':');
      const std::string scenario = name.substr(0, colon);
      if (known_.count(scenario) == 0) known_[scenario] = known_of(table_.folder + "/" + scenario + ".json");
      if (known_[scenario]) reference(*known_[scenario], scenario, name.substr(colon + 1), at);
    }
  }
  std::vector<Problem> problems;

 private:
  void reference(const Known& known, const std::string& scenario, const std::string& path,
                 const std::string& at) {
    const std::string preset = path.substr(0, path.find('.'));
    if (!known.presets.empty() &&
        std::find(known.presets.begin(), known.presets.end(), preset) == known.presets.end()) {
      std::string list;
      for (const std::string& one : known.presets) list += (list.empty() ? "" : ", ") + one;
      return add(at, scenario, path, "does not begin with a preset of its comparison: " + list, "");
    }
    const std::string metric =
        known.presets.empty() ? path : path.substr(std::min(path.size(), preset.size() + 1));
    // What the scenario says itself stands beside the metrics; how long a list will be is not known before.
    const bool beside = metric.rfind("parameters.", 0) == 0 || metric.rfind("model_shape.", 0) == 0;
    const std::string last = ".last";
    const bool element =
        path.size() > last.size() && path.compare(path.size() - last.size(), last.size(), last) == 0;
    if (beside || element) return;
    if (std::find(known.metrics.begin(), known.metrics.end(), path) != known.metrics.end()) return;
    add(at, scenario, path, "is no metric of its runs", nearest_name(path, known.metrics));
  }

  void add(const std::string& at, const std::string& scenario, const std::string& path,
           const std::string& what, const std::string& near) {
    problems.push_back({table_.file, at,
                        "found [" + scenario + ":" + path + "], which " + what +
                            (near.empty() ? "" : "; did you mean " + near + "?")});
  }

  const RowTable& table_;
  std::map<std::string, std::optional<Known>> known_;
};

}  // namespace

void check_names(const RowTable& table) {
  Checker checker(table);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const TableRow& row = table.rows[i];
    const std::string at = "rows[" + std::to_string(i) + "].";
    checker.formula(row.ours, at + "ours");
    checker.formula(row.neutral_ours, at + "neutral.ours");
    checker.formula(row.at_most, at + "bound.at_most");
    for (std::size_t k = 0; k < row.causes.size(); ++k)
      checker.formula(row.causes[k].ours, at + "causes[" + std::to_string(k) + "].ours");
  }
  for (std::size_t i = 0; i < table.figures.size(); ++i)
    for (std::size_t k = 0; k < table.figures[i].series.size(); ++k)
      for (const std::string& formula : table.figures[i].series[k].ours)
        checker.formula(formula, "figures[" + std::to_string(i) + "].series[" + std::to_string(k) + "].ours");
  if (!checker.problems.empty()) throw InputError(std::move(checker.problems));
}

}  // namespace meshkv::platform
