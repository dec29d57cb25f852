// Expected values of a scenario's metrics, in golden/NAME.json beside the scenario file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// folder/golden/name.json for folder/name.json.
std::string golden_file(const std::string& scenario_file);

/// Every number of results.json that is a result: `cycles` and `metrics.*`, of each preset of a comparison.
/// Parts named after a tile ("3_4") and lists of more than 64 elements are left out.
Json golden_values(const Json& results);

/// One metric that is not what it was.
struct Drift {
  std::string metric;
  Json expected;  ///< null: new since
  Json found;     ///< null: gone
  double allowed_percent = 0;
  bool is_failure() const { return !expected.is_null(); }
  std::string text() const;
};

/// The content of a golden file.
class Golden {
 public:
  /// Nothing if there is no such file. Throws InputError for a file that is not a golden one.
  static std::optional<Golden> read(const std::string& file);
  /// From results; the tolerances of `old`, which are people's, stay.
  static Golden from_results(const Json& results, const std::optional<Golden>& old);

  /// Differences beyond the tolerances, and new metrics.
  std::vector<Drift> compare(const Json& results) const;
  std::string text() const;  ///< as the file holds it

 private:
  double tolerance(const std::string& metric) const;
  double within_percent_ = 1e-6;  ///< of metrics without one: room for another machine's last digits
  std::vector<std::pair<std::string, double>>
      tolerances_;  ///< pattern with *, percent; the last match counts
  Json expected_ = Json::object();
};

/// Whether a text matches a pattern with * and ?.
bool matches(const std::string& pattern, const std::string& text);

}  // namespace meshkv::platform
