#include "platform/regress/regression.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <ostream>

#include "platform/regress/junit.h"
#include "platform/run/part_files.h"
#include "platform/scenario/input_error.h"
#include "platform/scenario/printable.h"

namespace meshkv::platform {
namespace fs = std::filesystem;
namespace {

std::string seconds_text(double seconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

std::string count_text(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

/// The first lines of what there is to say, indented.
void print_detail(std::ostream& out, const std::string& detail) {
  constexpr int kMost = 12;
  std::size_t begin = 0;
  for (int line = 0; begin < detail.size(); ++line) {
    const std::size_t end = std::min(detail.find('\n', begin), detail.size());
    if (line == kMost) {
      out << "          ...\n";
      return;
    }
    out << "          " << printable(detail.substr(begin, end - begin)) << '\n';
    begin = end + 1;
  }
}

}  // namespace

Regression::Regression(FoundScenarios found, RegressionOptions options, const ResultStore& store)
    : found_(std::move(found)), options_(options), store_(store) {
  for (const std::string& file : found_.files) scenarios_.push_back({make_job(file, {}), {}, {}});
}

void Regression::run(std::ostream& out) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Job> jobs;
  std::vector<Problem> problems;
  for (const RegressedScenario& s : scenarios_) {
    jobs.push_back(s.job);
    // What is wrong with golden files is known before anything is run.
    try {
      const std::string file = golden_file(s.job.file);
      Golden::read(file);
      if (options_.update) check_output_file(file, "--update");
    } catch (const InputError& e) {
      problems.insert(problems.end(), e.problems().begin(), e.problems().end());
    }
  }
  if (!problems.empty()) throw InputError(problems);
  run_jobs(jobs, options_.run, store_,
           [&](std::size_t index, const JobResult& result) { finish(index, result, out); });
  wall_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Regression::finish(std::size_t index, const JobResult& result, std::ostream& out) {
  RegressedScenario& s = scenarios_[index];
  s.result = result;
  s.verdict = judge(s.job.file, s.job.expect, result, !options_.update);
  if (options_.update && s.verdict.passed) update_golden(s);
  s.result.stored.results = nullptr;  // large, and on disk
  if (options_.quiet && s.verdict.passed) return;
  out << (s.verdict.passed ? "passed  " : "FAILED  ") << printable_name(s.job.file) << "  "
      << (result.cached ? "kept" : seconds_text(result.stored.wall_s))
      << (s.verdict.passed ? "" : ": " + printable(s.verdict.reason)) << std::endl;
}

void Regression::update_golden(const RegressedScenario& s) {
  if (!s.result.stored.results.is_object()) return;  // an invalid scenario that is expected to be
  const std::string file = golden_file(s.job.file);
  const auto old = Golden::read(file);
  const Golden golden = Golden::from_results(s.result.stored.results, old);
  const bool same = old && old->text() == golden.text();
  ++(same ? golden_unchanged_ : golden_written_);
  if (!same) write_whole(file, golden.text(), "--update");
}

std::size_t Regression::failures() const {
  return static_cast<std::size_t>(std::count_if(
      scenarios_.begin(), scenarios_.end(), [](const RegressedScenario& s) { return !s.verdict.passed; }));
}

void Regression::print_summary(std::ostream& out) const {
  const std::size_t failed = failures();
  if (failed > 0) out << '\n';
  for (const RegressedScenario& s : scenarios_) {
    if (s.verdict.passed) continue;
    out << "FAILED  " << printable_name(s.job.file) << ": " << printable(s.verdict.reason) << '\n';
    if (s.verdict.detail.find('\n') < s.verdict.detail.size() - 1) print_detail(out, s.verdict.detail);
    if (!s.result.stored.folder.empty())
      out << "        results: " << printable_name(s.result.stored.folder) << "/results.json\n";
  }
  std::size_t kept = 0, unknown = 0;
  double cpu_s = 0;
  for (const RegressedScenario& s : scenarios_) {
    if (s.result.cached) ++kept;
    if (!s.result.cached) cpu_s += s.result.stored.cpu_s;
    unknown += s.verdict.new_metrics.size();
  }
  out << '\n'
      << count_text(scenarios_.size(), "scenario: ", "scenarios: ") << failed << " failed, "
      << scenarios_.size() - failed << " passed; " << kept << " kept from before, "
      << scenarios_.size() - kept << " run in " << seconds_text(wall_s_) << " (" << seconds_text(cpu_s)
      << " of CPU)\n";
  if (!found_.abstract.empty() || !found_.sweeps.empty())
    out << "passed by: " << count_text(found_.abstract.size(), "abstract file", "abstract files") << ", "
        << count_text(found_.sweeps.size(), "sweep", "sweeps") << '\n';
  if (unknown > 0)
    out << "note: " << count_text(unknown, "metric is", "metrics are")
        << " new since the golden files were written; --update adds them\n";
  if (options_.update)
    out << "golden files: " << golden_written_ << " written, " << golden_unchanged_ << " as they were\n";
}

std::string Regression::junit() const {
  std::vector<JunitCase> cases;
  for (const RegressedScenario& s : scenarios_) {
    const fs::path file = s.job.file;
    JunitCase c;
    c.group = file.has_parent_path() ? file.parent_path().string() : ".";
    c.name = file.stem().string();
    c.seconds = s.result.cached ? 0 : s.result.stored.wall_s;
    c.failure = s.verdict.reason;
    c.type = s.verdict.ending;
    c.detail = s.verdict.detail;
    cases.push_back(std::move(c));
  }
  return junit_xml("vp regress", cases);
}

Json Regression::table() const {
  Json rows = Json::array();
  for (const RegressedScenario& s : scenarios_)
    rows.push_back({{"file", s.job.file},
                    {"name", s.job.name},
                    {"passed", s.verdict.passed},
                    {"ending", s.verdict.ending},
                    {"reason", s.verdict.reason},
                    {"kept", s.result.cached},
                    {"cpu_s", s.result.stored.cpu_s},
                    {"wall_s", s.result.stored.wall_s},
                    {"results", s.result.stored.folder}});
  return Json{{"scenarios", rows}};
}

int Regression::exit_code() const {
  int worst = 0;
  for (const RegressedScenario& s : scenarios_) worst = std::max(worst, s.verdict.exit_code);
  return worst;
}

}  // namespace meshkv::platform
