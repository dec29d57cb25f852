// A trace of a run, attached to what is simulated. The models know observers only.
#pragma once

#include <memory>
#include <string>

#include "models/noc/link_timeline.h"
#include "platform/chip/chip.h"
#include "platform/run/simulate.h"
#include "platform/trace/trace_config.h"

namespace meshkv::platform {

class Trace {
 public:
  virtual ~Trace() = default;
  /// Completes the file; `end`: cycles of the run.
  virtual TraceOutcome finish(Cycle end) = 0;
  /// After finish(): why the file could not be written. Empty: it was.
  virtual std::string failure() const = 0;
};

/// Completes the file and says in `result` what became of it. `trace` may be null.
void finish_trace(Trace* trace, const TraceConfig& config, SimulationResult& result);

/// Null where none is asked for. The chip's
/// observers are set; both live until finish().
std::unique_ptr<Trace> trace_chip(const TraceConfig& config, Chip& chip);
/// A mesh alone: links (perfetto) or routers (vcd).
std::unique_ptr<Trace> trace_mesh(const TraceConfig& config, ClockDomain& clock, const noc::LinkSet& links);

}  // namespace meshkv::platform
