// Reading results back: results.json with the details.json beside it.
#pragma once

#include <string>
#include <vector>

#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// One simulated configuration of one file.
struct ReportRun {
  std::string label;  ///< tells it from the other runs of a report
  std::string file;
  Json results;  ///< the run's object: parameters, metrics, bounds, ...
  Json details;  ///< its part of details.json; null: there is none
};

struct ReportInput {
  std::vector<ReportRun> runs;
  std::vector<std::string> notes;  ///< what a reader should know: details that are missing or do not belong
};

/// `arguments`: files, or folders that hold a results.json. Throws InputError with all that cannot be read.
ReportInput read_results(const std::vector<std::string>& arguments);

}  // namespace meshkv::platform
