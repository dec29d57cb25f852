// A scenario: what the user's files and options say, merged, validated and turned into run configurations.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "platform/run_config.h"
#include "platform/scenario/input_error.h"
#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// One entry of `checks`.
struct Check {
  std::string metric;  ///< path in results.json: "metrics.noc.traffic", "runs.cent.metrics.noc.traffic"
  std::optional<double> min, max, equals, within_percent;
};

/// Values merged from `extends`, the file and --set, with the place that each came from.
class MergedValues {
 public:
  /// Objects are merged key by key, everything else replaces. `null` takes a value back to its default.
  void merge(const Json& from, const std::string& origin, const std::string& base_directory);
  const Json& values() const { return values_; }
  const std::string& origin(const std::string& path) const { return place(path).origin; }
  /// Folder to which a file name at `path` is relative.
  const std::string& directory(const std::string& path) const { return place(path).directory; }
  const Json* find(const std::string& path) const;

 private:
  struct Place {
    std::string origin;
    std::string directory;
  };
  void merge_into(Json& into, const Json& from, const std::string& path, const Place& place);
  void record(const std::string& path, const Place& place);
  const Place& place(const std::string& path) const;

  Json values_ = Json::object();
  std::map<std::string, Place> places_;
};

struct Scenario {
  std::string file;
  RunConfig config;                  ///< the only run, or the common part of a comparison
  std::vector<std::string> compare;  ///< presets; empty: one run
  std::vector<Check> checks;
  MergedValues merged;

  /// The configuration of one preset of a comparison; explicit fabric.* keys win over the preset.
  RunConfig config_for(const std::string& preset) const;
};

/// `settings`: --set arguments ("path=value"). `mode`: --mode, or "". Throws InputError with every problem.
Scenario load_scenario(const std::string& file, const std::vector<std::string>& settings,
                       const std::string& mode = "");

/// Paths of all numbers that the results will have, and of some that they may have.
std::vector<std::string> known_metrics(const Scenario& scenario);

/// Follows `extends`; used by load_scenario.
MergedValues load_merged(const std::string& file, const std::vector<std::string>& settings);

/// Relations between keys (coprimality, capacities, windows, ...). Adds to `problems`.
void check_relations(const Scenario& scenario, std::vector<Problem>& problems);

/// All resolved parameters of a run as one nested object, as stored in results.json.
Json resolved_parameters(const RunConfig& config);

}  // namespace meshkv::platform
