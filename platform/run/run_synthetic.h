// workload.kind "synthetic": the mesh alone.
#pragma once

#include "models/workload/synthetic_config.h"
#include "platform/run/simulate.h"

namespace meshkv::platform {

SimulationResult run_synthetic(const RunConfig& config, ProgressSink& progress);

/// What the models' synthetic run is told; reads the file of a replay.
workload::SyntheticConfig synthetic_config(const RunConfig& config);

}  // namespace meshkv::platform
