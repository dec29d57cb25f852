// Whether a scenario ended as it should, and if not, why.
#pragma once

#include <string>
#include <vector>

#include "platform/regress/golden.h"
#include "platform/regress/jobs.h"

namespace meshkv::platform {

struct Verdict {
  bool passed = false;
  std::string ending;  ///< "ok", "check_failed", "cycle_limit", "invalid", "deadlock", "lost_data",
                       ///< "protocol_error", "defect", "timeout", "killed"
  std::string reason;  ///< one line for people, empty if passed
  std::string detail;  ///< more lines: failed checks, stderr, metrics that drifted
  std::vector<std::string> new_metrics;  ///< that the golden file does not have yet
  int exit_code = 0;  ///< as of `vp run`; 1 for what did not fail and should have, and for drift
};

/// By `expect` alone, whatever lies beside the scenario.
Verdict judge_end(const Json& expect, const JobResult& result);

/// `scenario_file` may have NAME.expected ("exit 2" and the lines on stderr) and golden/NAME.json beside it;
/// the latter counts if `with_golden`. Throws InputError for a wrong golden file.
Verdict judge(const std::string& scenario_file, const Json& expect, const JobResult& result,
              bool with_golden);

}  // namespace meshkv::platform
