#include "platform/report/result_files.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

#include "platform/report/shape.h"
#include "platform/run/details.h"
#include "platform/run/results_folder.h"
#include "platform/scenario/input_error.h"
#include "platform/scenario/json_file.h"

namespace meshkv::platform {
namespace fs = std::filesystem;

namespace {

std::runtime_error wrong(const std::string& path, const std::string& text) {
  return std::runtime_error(path + ": " + text);
}

Json read_file_of_results(const std::string& file) {
  const Json results = parse_json(read_text_file(file));
  if (!results.is_object() || !results.contains("format"))
    throw std::runtime_error("is not a results.json of `vp run`: it has no key \"format\"");
  if (results["format"] != kResultsFormat)
    throw wrong("format", "found " + shown(results["format"]) + "; this version reads " +
                              std::to_string(kResultsFormat));
  if (!results.contains("runs")) {
    require_run(results, "");
    return results;
  }
  if (!results["runs"].is_object() || results["runs"].empty())
    throw wrong("runs", "expected an object with at least one run");
  for (const auto& [preset, run] : results["runs"].items()) require_run(run, "runs." + preset);
  return results;
}

/// details.json beside `file`, or null and a note.
Json read_details(const std::string& file, std::vector<std::string>& notes) {
  const fs::path beside = fs::path(file).parent_path() / "details.json";
  std::error_code error;
  if (!fs::exists(beside, error)) {
    notes.push_back(file +
                    ": no details.json beside it, so there is no heat map, no Pad timeline and no "
                    "histogram of it; `vp run` writes one unless --details is 0");
    return nullptr;
  }
  try {
    // Larger than what people write, so not read as such.
    std::ifstream in(beside, std::ios::binary);
    if (!in) throw std::runtime_error("cannot be opened");
    Json details = Json::parse(in);
    const bool belongs =
        details.is_object() && details.contains("of") && details["of"] == fingerprint(read_text_file(file));
    if (belongs) {
      if (!details.contains("runs") || !details["runs"].is_object())
        throw wrong("runs", "expected an object with at least one run");
      for (const auto& [preset, run] : details["runs"].items()) require_details(run, "runs." + preset);
      return details["runs"];
    }
    notes.push_back(beside.string() + ": belongs to another results.json, and is not used");
  } catch (const std::exception& e) {
    notes.push_back(beside.string() + ": " + e.what() + "; it is not used");
  }
  return nullptr;
}

std::string preset_of(const Json& run) {
  const Json& p = run["parameters"];
  return p.contains("preset") && p["preset"].is_string() ? p["preset"].get<std::string>() : "";
}

/// "" for a run of several modes: its name would say nothing.
std::string mode_of(const Json& run) {
  const bool one = run.contains("mode") && run["mode"].is_string();
  return one ? run["mode"].get<std::string>() : "";
}

std::string folder_of(const std::string& file) {
  const std::string folder = fs::path(file).parent_path().filename().string();
  return folder.empty() ? file : folder;
}

/// The first of preset, scenario, mode, folder and file that tells the runs apart.
void label_runs(std::vector<ReportRun>& runs) {
  const std::vector<std::string (*)(const ReportRun&)> ways{
      [](const ReportRun& r) { return preset_of(r.results); },
      [](const ReportRun& r) {
        return r.results["scenario"].get<std::string>() + " " + preset_of(r.results);
      },
      [](const ReportRun& r) { return preset_of(r.results) + " " + mode_of(r.results); },
      [](const ReportRun& r) { return folder_of(r.file) + " " + preset_of(r.results); },
      [](const ReportRun& r) { return r.file + " " + preset_of(r.results); }};
  for (const auto& way : ways) {
    std::map<std::string, int> uses;
    for (ReportRun& run : runs) ++uses[run.label = way(run)];
    if (uses.size() == runs.size() && uses.find("") == uses.end()) return;
  }
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].label = std::to_string(i + 1) + ": " + runs[i].label;
}

void add_runs(const std::string& file, ReportInput& input) {
  const Json results = read_file_of_results(file);
  const Json details = read_details(file, input.notes);
  const auto add = [&](const Json& run) {
    const std::string preset = preset_of(run);
    input.runs.push_back(
        {"", file, run, details.is_object() && details.contains(preset) ? details[preset] : Json()});
  };
  if (!results.contains("runs")) {
    add(results);
    return;
  }
  for (const auto& [preset, run] : results["runs"].items()) {
    add(run);
    // Checks of a comparison are the file's.
    if (input.runs.back().results["checks"].empty() && preset == results["runs"].begin().key())
      input.runs.back().results["checks"] = results.value("checks", Json::array());
  }
}

}  // namespace

ReportInput read_results(const std::vector<std::string>& arguments) {
  ReportInput input;
  std::vector<Problem> problems;
  for (const std::string& argument : arguments) {
    std::error_code error;
    const std::string file =
        fs::is_directory(argument, error) ? (fs::path(argument) / "results.json").string() : argument;
    try {
      add_runs(file, input);
    } catch (const std::exception& e) {
      problems.push_back({file, "", e.what()});
    }
  }
  if (!problems.empty()) throw InputError(problems);
  label_runs(input.runs);
  return input;
}

}  // namespace meshkv::platform
