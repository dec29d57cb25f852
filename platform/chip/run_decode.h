#pragma once

#include "platform/run/simulate.h"

namespace meshkv::platform {

/// One decode workload on the whole chip.
SimulationResult run_decode(const RunConfig& config, ProgressSink& progress);

}  // namespace meshkv::platform
