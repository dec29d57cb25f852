// What a router and a tile have to remember, in bits.
#pragma once

#include "models/workload/decode_plan.h"
#include "platform/run_config.h"
#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// metrics.storage. A router: the input FIFOs of its VCs, the exact tags, the prefilter (paper section VIII).
/// A tag names a payload: segment, layer, line group and packet, each with the bits that this run needs. A
/// tile: its router, the KV SRAM, the FIFOs of Pad. Registers of the logic are not counted.
Json storage_metrics(const RunConfig& config, const workload::DecodePlan& plan);

}  // namespace meshkv::platform
