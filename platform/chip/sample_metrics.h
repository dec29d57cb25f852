// A sampled run: some layers, some segments of each. Nothing here is printed as if it were a whole step.
#pragma once

#include "platform/chip/chip.h"
#include "platform/run/simulate.h"

namespace meshkv::platform {

/// What was simulated, and the step that it lets one expect: each simulated layer is scaled to all of its
/// segments, and the mean over the layers to all layers. The interval is Student's for that mean (95 %,
/// corrected for the finite number of layers). It covers the scatter between layers, not what the window of
/// segments misses.
Json sample_metrics(const RunConfig& config, const Chip& chip, Cycle end);

/// Says where the sample is not like the step: other shares of HBM and DDR4. Empty if it is.
std::string sample_bias(const RunConfig& config, const Chip& chip);

}  // namespace meshkv::platform
