// workload.kind "memory": the controllers alone.
#pragma once

#include "platform/run/simulate.h"

namespace meshkv::platform {

SimulationResult run_memory(const RunConfig& config, ProgressSink& progress);

}  // namespace meshkv::platform
