// The one table of scenario parameters: it validates scenarios, fills RunConfig, and generates `vp params`,
// the JSON Schema and docs/parameters.md. Defaults come from the configuration structs.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "platform/run_config.h"

namespace meshkv::platform {

/// What `workload.kind` calls it: "decode", "synthetic", "memory".
const char* kind_name(WorkloadKind kind);

/// Keeps the order of insertion: what we write is the same bytes for the same content.
using Json = nlohmann::ordered_json;

enum class ParameterType : std::uint8_t {
  kBoolean,
  kInteger,
  kReal,
  kText,
  kFile,  ///< text: a path, relative to the file that names it
  kChoice,
  kIntegerList,
  kFileList,    ///< one path or a list of them
  kPresetList,  ///< `compare`
  kChecks,      ///< `checks`
  kFaults,      ///< `faults`
  kMode         ///< `mode`: a choice, or a list of phases
};

struct Choice {
  Json value;
  /// Declared by the scenario format, but what it asks for is not in this version.
  bool available = true;
};

/// One declared key of a scenario.
struct Parameter {
  std::string path;
  ParameterType type = ParameterType::kText;
  std::string unit;                      ///< "" where the value is a plain count, a name or a switch
  std::string meaning;                   ///< one sentence
  std::string source;                    ///< where value and meaning come from
  std::optional<WorkloadKind> only_for;  ///< keys of one workload.kind
  double minimum = 0;                    ///< kInteger, kReal, elements of kIntegerList
  double maximum = 0;
  bool repeats = false;  ///< kIntegerList: the same number may stand twice
  std::vector<Choice> choices;
  std::string default_note;  ///< replaces the default in texts where it depends on other keys
  /// Stores a value that check() accepts. Empty for keys that the scenario loader itself consumes.
  std::function<void(RunConfig&, const Json&)> set;
  std::function<Json(const RunConfig&)> get;

  /// Nothing if `value` is acceptable, else the reason: "found 33; allowed: integer 2 to 32".
  std::optional<std::string> check(const Json& value) const;
  std::string allowed() const;    ///< "integer 2 to 32", "one of \"lt\", \"at\"", ...
  std::string type_name() const;  ///< "integer", "choice", ...
  Json default_value() const;     ///< null: none, or it depends on other keys
};

/// All parameters, in the order in which people read them.
const std::vector<Parameter>& parameters();
/// The parameter of a path; of several (workload.pattern) the one that belongs to `kind`, else the first.
const Parameter* find_parameter(const std::string& path, WorkloadKind kind);
/// Whether some parameter lies below `path` ("mesh", "workload.sample").
bool is_parameter_group(const std::string& path);
/// The declared path that is most like `path`, or "" if none is near.
std::string nearest_parameter(const std::string& path);
/// The candidate with the smallest edit distance, or "" if none is near enough to be meant.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

/// A value as it stands in messages: compact, cut after 60 characters.
std::string shown(const Json& value);

// The parts of the table.
std::vector<Parameter> general_parameters();
std::vector<Parameter> fabric_parameters();
std::vector<Parameter> memory_parameters();
std::vector<Parameter> energy_parameters();
std::vector<Parameter> decode_parameters();
std::vector<Parameter> synthetic_parameters();
std::vector<Parameter> memory_workload_parameters();

}  // namespace meshkv::platform
