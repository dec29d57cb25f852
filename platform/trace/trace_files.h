// The trace files of a run: checked before anything is simulated, written beside the results' folder, put
// into it at the end.
#pragma once

#include <string>
#include <vector>

#include "platform/run_config.h"

namespace meshkv::platform {

/// Throws InputError where a trace of this kind of run is not possible, or `instances` matches nothing of it.
void check_trace(const TraceConfig& trace, const RunConfig& config);

class TraceFiles {
 public:
  /// `folder`: of the results. Makes the folder above it.
  TraceFiles(std::string folder, const TraceConfig& trace);
  /// Removes what was not put in place.
  ~TraceFiles();
  TraceFiles(const TraceFiles&) = delete;
  TraceFiles& operator=(const TraceFiles&) = delete;

  /// The configuration of one run; `preset` is empty where there is only one.
  TraceConfig of(const std::string& preset);
  /// Into the folder, which exists now; what an earlier run left there goes.
  void place();
  /// "out/x/trace.meshkv.json", after of().
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::string folder_;
  TraceConfig trace_;
  std::vector<std::string> parts_;
  std::vector<std::string> names_;
};

}  // namespace meshkv::platform
