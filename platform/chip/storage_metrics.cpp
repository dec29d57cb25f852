#include "platform/chip/storage_metrics.h"

namespace meshkv::platform {
namespace {

/// Bits that tell `values` values apart.
int bits_for(long values) {
  int bits = 0;
  while ((1L << bits) < values) ++bits;
  return bits;
}

}  // namespace

Json storage_metrics(const RunConfig& config, const workload::DecodePlan& plan) {
  const noc::NocConfig& noc = config.noc;
  const long buffers = long{kPorts} * noc.vcs() * noc.vc_depth_flits * noc.flit_bits;
  const long flits = plan.slice_size(plan.decode().layout.segment_tokens).flits;
  const long packets = (flits + noc.vc_depth_flits - 1) / noc.vc_depth_flits;
  const long tag = bits_for(plan.slots()) + bits_for(plan.decode().model.layers) + bits_for(plan.groups()) +
                   bits_for(packets);
  const bool filter = config.mare.multicast && config.mare.duplicate_suppression;
  const long tags = filter ? config.mare.tags * tag : 0;
  const long bloom = filter ? config.mare.bloom_bits : 0;
  const long sram = 8L * config.memory.sram_bytes;
  // Before Tm and before Rd (paper figure 3).
  const long fifos = config.pad.enabled ? 2L * config.pad.fifo_flits * noc.flit_bits : 0;
  const long router = buffers + tags + bloom;
  return {{"router_bits", router},
          {"router_fifo_bits", buffers},
          {"router_tag_bits", tags},
          {"router_bloom_bits", bloom},
          {"tile_bits", router + sram + fifos},
          {"tile_sram_bits", sram},
          {"tile_pad_fifo_bits", fifos},
          {"max_blocks_per_tile",
           takv::max_blocks_per_tile(plan.mesh(), plan.decode().model.layers, plan.slots())}};
}

}  // namespace meshkv::platform
