// Keys that every scenario has: what it is called, how time runs, what is compared and checked.
#include "platform/scenario/fault_list.h"
#include "platform/scenario/parameter_builder.h"

namespace meshkv::platform {

using namespace declare;

namespace {

TimingMode timing_mode(const Json& name) {
  return name == "lt" ? TimingMode::kLt : TimingMode::kAt;
}
const char* timing_mode_name(TimingMode mode) {
  return mode == TimingMode::kLt ? "lt" : "at";
}

Parameter mode_parameter() {
  Parameter p;
  p.path = "mode";
  p.type = ParameterType::kMode;
  p.meaning =
      "Loosely timed (fast), approximately timed (flit-accurate, validated), or phases of so many layers in "
      "each";
  p.source = "DESIGN 3";
  p.set = [](RunConfig& config, const Json& value) {
    config.phases.clear();
    if (!value.is_array()) {
      config.mode = timing_mode(value);
      return;
    }
    for (const Json& phase : value)
      config.phases.push_back({timing_mode(phase["mode"]), phase.value("layers", 0)});
    config.mode = config.phases.front().mode;
  };
  p.get = [](const RunConfig& config) -> Json {
    if (config.phases.empty()) return timing_mode_name(config.mode);
    Json list = Json::array();
    for (const ModePhase& phase : config.phases) {
      list.push_back({{"mode", timing_mode_name(phase.mode)}});
      if (phase.layers != 0) list.back()["layers"] = phase.layers;
    }
    return list;
  };
  return p;
}

Parameter faults_parameter() {
  Parameter p = structural(
      "faults", ParameterType::kFaults,
      {"Breaks the fabric on purpose: lose_flit, misroute, suppress_first or stale_block "
       "at the instance `at`, of the packet-th KV_DATA packet there (docs/data.md); lose_descriptor: "
       "of the packet-th FETCH_COMPUTE",
       "tests of the checks"});
  p.only_for = WorkloadKind::kDecode;
  p.get = faults_as_json;
  return p;
}

/// How `vp regress` expects the scenario to end; the names of outcomes, and two more ways to fail.
Parameter expect_parameter() {
  Parameter p =
      structural("expect", ParameterType::kChoice,
                 {"How the scenario ends when all is well: `vp regress` passes it then, and only then; "
                  "the exit code of `vp run` stays as it is",
                  "regressions of what must fail"});
  for (const char* ending : {"ok", "check_failed", "cycle_limit", "invalid", "deadlock", "lost_data",
                             "wrong_data", "protocol_error", "firmware_fault"})
    p.choices.push_back({ending, true});
  p.default_note = "\"ok\"";
  return p;
}

}  // namespace

std::vector<Parameter> general_parameters() {
  using K = WorkloadKind;
  return {
      structural("$schema", ParameterType::kText,
                 {"Where an editor finds the JSON Schema of scenarios; means nothing to the simulation",
                  "JSON Schema"}),
      structural(
          "abstract", ParameterType::kBoolean,
          {"A file that is made to be extended only: `run` and `check` refuse it, `regress` passes it by; "
           "not inherited",
           "scenario files"}),
      with_default_note(
          "the file's name without .json",
          text("name", ParameterType::kText, MESHKV_FIELD(name),
               {"Name of the scenario and of its results' folder: letters, digits, . _ -", "DESIGN 12"})),
      text("description", ParameterType::kText, MESHKV_FIELD(description),
           {"What the scenario is for", "DESIGN 12"}),
      structural("extends", ParameterType::kFileList,
                 {"Scenario files to start from, relative to the file that names them; later ones win",
                  "DESIGN 12"}),
      mode_parameter(),
      integer("seed", "", 0, 9007199254740991.0, MESHKV_FIELD(seed),
              {"Seed of everything random; instances derive theirs from it and their name", "fixed default"}),
      real("clock_mhz", "MHz", 1, 10000, MESHKV_FIELD(clock_mhz),
           {"Clock of the whole fabric", "study of the paper's figures, 7"}),
      integer("max_cycles", "cycles", 0, 9007199254740991.0, MESHKV_FIELD(max_cycles),
              {"Stops the simulation after so many cycles, as a failure; 0: no limit",
               "a guard for regressions"}),
      choice<std::string>(
          "preset", MESHKV_FIELD(preset),
          {{"cent", "cent"}, {"shared", "shared"}, {"takv_only", "takv_only"}, {"meshkv", "meshkv"}},
          {"Sets the fabric.* switches, which can then be set one by one", "paper VIII"}),
      structural("compare", ParameterType::kPresetList,
                 {"Runs the scenario once for each of these presets; excludes `preset`", "DESIGN 12"}),
      choice<WorkloadKind>(
          "workload.kind", MESHKV_FIELD(workload_kind),
          {{"decode", K::kDecode}, {"synthetic", K::kSynthetic}, {"memory", K::kMemory}},
          {"A decode step on the whole chip, the mesh alone, or the memory controllers alone", "DESIGN 12"}),
      boolean("data", MESHKV_FIELD(data),
              {"Real numbers travel in the flits, the tiles compute, and the attention is checked against "
               "double precision",
               "DESIGN 9"}),
      faults_parameter(),
      structural("checks", ParameterType::kChecks,
                 {"Conditions on metrics; the run's exit code is 0 only if all hold", "DESIGN 12"}),
      expect_parameter(),
      integer("lt.chunk_flits", "flits", 0, 1024, MESHKV_FIELD(lt.chunk_flits),
              {"Unit in which lt reserves links and ports; also its quantum; a power of two from 8 on; "
               "smaller is slower and closer to at; 0: 64 on meshes of fewer than 64 tiles, else 512",
               "DESIGN 3"}),
  };
}

}  // namespace meshkv::platform
