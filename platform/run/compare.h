// One child process a preset: SystemC's kernel cannot be restarted within a process.
#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

#include "platform/run/progress.h"
#include "platform/run/run_report.h"

namespace meshkv::platform {

/// A child ended without a result. Exit code 4.
class ChildError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a child does: run_once(), unless a test wants something else.
using RunFunction = std::function<FinishedRun(const RunConfig&, ProgressSink&)>;

/// Runs all configurations, at most `jobs` at a time; the results are in the order of `configs`. Must be
/// called before anything of SystemC is made. Throws ChildError with the reasons of all that failed.
std::vector<FinishedRun> run_in_children(const std::vector<RunConfig>& configs, int jobs,
                                         ProgressLine& progress, const RunFunction& run = run_once);

}  // namespace meshkv::platform
