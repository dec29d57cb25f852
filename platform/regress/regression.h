// `vp regress`: scenarios, their verdicts, and what people and CI read of them.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "platform/regress/jobs.h"
#include "platform/regress/scenario_files.h"
#include "platform/regress/verdict.h"

namespace meshkv::platform {

struct RegressionOptions {
  JobOptions run;
  bool update = false;         ///< writes golden files instead of comparing with them
  bool update_tables = false;  ///< those of tables alone
  bool quiet = false;          ///< no line for what passed
};

struct RegressedScenario {
  Job job;
  JobResult result;
  Verdict verdict;
};

class Regression {
 public:
  Regression(FoundScenarios found, RegressionOptions options, const ResultStore& store);
  /// Runs everything; a line on `out` as each scenario ends.
  void run(std::ostream& out);
  /// First what failed and why.
  void print_summary(std::ostream& out) const;
  std::string junit() const;
  Json table() const;     ///< regress.json: a row a scenario, in the order of the files
  int exit_code() const;  ///< the largest of all

 private:
  void finish(std::size_t index, const JobResult& result, std::ostream& out);
  void update_golden(const RegressedScenario& scenario);
  std::size_t failures() const;

  FoundScenarios found_;
  RegressionOptions options_;
  const ResultStore& store_;
  std::vector<RegressedScenario> scenarios_;
  int golden_written_ = 0, golden_unchanged_ = 0;
  double wall_s_ = 0;
};

}  // namespace meshkv::platform
