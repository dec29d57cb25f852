#include "platform/regress/verdict.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <regex>

#include "platform/run/run_report.h"
#include "platform/scenario/json_file.h"

namespace meshkv::platform {
namespace fs = std::filesystem;
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// results.json of the only run, or of each of a comparison, with its preset.
std::vector<std::pair<std::string, const Json*>> runs_of(const Json& results) {
  std::vector<std::pair<std::string, const Json*>> runs;
  if (!results.is_object()) return runs;
  if (!results.contains("runs")) return {{"", &results}};
  for (const auto& [preset, run] : results["runs"].items()) runs.emplace_back(preset, &run);
  return runs;
}

struct Ending {
  std::string name;
  std::string reason;
  std::string detail;
};

/// The first run that ended with `wanted`, or, "" given, with anything but "ok".
bool find_outcome(const Json& results, const std::string& wanted, Ending& ending) {
  for (const auto& [preset, run] : runs_of(results)) {
    const std::string outcome = run->value("outcome", "");
    if (outcome == "ok" || (!wanted.empty() && outcome != wanted)) continue;
    ending.name = outcome;
    ending.detail = run->value("reason", "");
    ending.reason = (preset.empty() ? "" : preset + ": ") + outcome +
                    (ending.detail.empty() ? "" : ": " + first_line(ending.detail));
    return true;
  }
  return false;
}

Ending failed_checks(const Json& results) {
  Ending ending{"check_failed", "", ""};
  int failed = 0;
  for (const Json& check : results["checks"]) {
    if (check.value("passed", false)) continue;
    std::string line = check.value("metric", "") + " is " +
                       (check["value"].is_null() ? "missing" : check["value"].dump()) + "; asked:";
    for (const char* key : {"min", "max", "equals", "within_percent"})
      if (check.contains(key)) line += std::string(" ") + key + " " + check[key].dump();
    if (++failed == 1) ending.reason = "check failed: " + line;
    ending.detail += line + "\n";
  }
  if (failed > 1) ending.reason += " (and " + std::to_string(failed - 1) + " more)";
  return ending;
}

Ending ending_of(const JobResult& result) {
  const StoredResult& r = result.stored;
  if (result.timed_out)
    return {"timeout", "killed after " + std::to_string(static_cast<int>(r.wall_s)) + " s", r.err};
  if (result.signal != 0)
    return {"killed",
            std::string("ended by signal ") + std::to_string(result.signal) + " (" +
                strsignal(result.signal) + ")",
            r.err};
  Ending ending;
  switch (r.exit_code) {
    case static_cast<int>(ExitCode::kOk):
      return {"ok", "", ""};
    case static_cast<int>(ExitCode::kCheckFailed):
      if (find_outcome(r.results, "cycle_limit", ending)) return ending;
      if (r.results.is_object() && r.results.contains("checks")) return failed_checks(r.results);
      break;
    case static_cast<int>(ExitCode::kBadInput):
      return {"invalid", first_line(r.err), r.err};
    case static_cast<int>(ExitCode::kBadSimulation):
      for (const char* bad : {"deadlock", "lost_data", "wrong_data", "protocol_error", "firmware_fault"})
        if (find_outcome(r.results, bad, ending)) return ending;
      break;
    default:
      break;
  }
  return {"defect", "exit code " + std::to_string(r.exit_code) + ": " + first_line(r.err), r.err};
}

int exit_code_of(const std::string& ending, const JobResult& result) {
  if (ending == "timeout") return static_cast<int>(ExitCode::kCheckFailed);
  if (ending == "killed" || ending == "defect") return static_cast<int>(ExitCode::kDefect);
  return result.stored.exit_code;
}

/// Folders of files in messages depend on where the program was started.
std::string without_folders(const std::string& text) {
  static const std::regex folders("[A-Za-z0-9_.~+-]*/(?:[A-Za-z0-9_.~+-]*/)*");
  return std::regex_replace(text, folders, "");
}

void compare_messages(const fs::path& file, const JobResult& result, Verdict& verdict) {
  const std::string expected = without_folders(read_text_file(file.string()));
  const std::string found =
      without_folders("exit " + std::to_string(result.stored.exit_code) + "\n" + result.stored.err);
  Verdict compared;
  compared.ending = verdict.ending;
  compared.passed = expected == found;
  if (!compared.passed) {
    compared.reason = "exit code and messages differ from " + file.filename().string();
    compared.detail = "expected:\n" + expected + "found:\n" + found;
    compared.exit_code =
        std::max(exit_code_of(verdict.ending, result), static_cast<int>(ExitCode::kCheckFailed));
  }
  verdict = std::move(compared);
}

void compare_golden(const std::string& scenario_file, const Json& results, Verdict& verdict) {
  const auto golden = Golden::read(golden_file(scenario_file));
  if (!golden) return;
  int failures = 0;
  for (const Drift& drift : golden->compare(results)) {
    if (!drift.is_failure()) {
      verdict.new_metrics.push_back(drift.metric);
      continue;
    }
    if (++failures == 1) verdict.reason = "drift: " + drift.text();
    verdict.detail += drift.text() + "\n";
  }
  if (failures == 0) return;
  if (failures > 1) verdict.reason += " (and " + std::to_string(failures - 1) + " more)";
  verdict.passed = false;
  verdict.exit_code = static_cast<int>(ExitCode::kCheckFailed);
}

}  // namespace

Verdict judge_end(const Json& expect, const JobResult& result) {
  const Ending ending = ending_of(result);
  const std::string wanted = expect.is_string() ? expect.get<std::string>() : "ok";
  Verdict verdict;
  verdict.ending = ending.name;
  verdict.passed = ending.name == wanted;
  if (verdict.passed) return verdict;
  verdict.reason = ending.reason;
  verdict.detail = ending.detail;
  if (wanted != "ok")
    verdict.reason =
        "expected " + wanted + ", ended " + ending.name + (ending.reason.empty() ? "" : ": " + ending.reason);
  verdict.exit_code = std::max(exit_code_of(ending.name, result), static_cast<int>(ExitCode::kCheckFailed));
  return verdict;
}

Verdict judge(const std::string& scenario_file, const Json& expect, const JobResult& result,
              bool with_golden) {
  Verdict verdict = judge_end(expect, result);
  const fs::path messages = fs::path(scenario_file).replace_extension(".expected");
  std::error_code error;
  if (fs::exists(messages, error)) compare_messages(messages, result, verdict);
  if (verdict.passed && with_golden) compare_golden(scenario_file, result.stored.results, verdict);
  return verdict;
}

}  // namespace meshkv::platform
