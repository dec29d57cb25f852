// HBM2, DDR4 and the tiles' streaming windows.
#include "platform/scenario/parameter_builder.h"

namespace meshkv::platform {

using namespace declare;

std::vector<Parameter> memory_parameters() {
  using memory::HbmReach;
  using memory::Interleave;
  using memory::Spill;
  using memory::SpillPolicy;
  const double max_bytes = 1125899906842624.0;
  return {integer("memory.hbm_bytes", "bytes", 0, max_bytes, MESHKV_FIELD(memory.hbm_bytes),
                  {"Capacity of HBM2", "paper V: U280"}),
          integer("memory.ddr_bytes", "bytes", 0, max_bytes, MESHKV_FIELD(memory.ddr_bytes),
                  {"Capacity of DDR4", "paper V: U280"}),
          integer("memory.hbm_pseudo_channels", "", 1, 1024, MESHKV_FIELD(memory.hbm_pseudo_channels),
                  {"Pseudo-channels of HBM2, dealt to the columns", "DESIGN 8"}),
          integer("memory.ddr_channels", "", 1, 64, MESHKV_FIELD(memory.ddr_channels),
                  {"Channels of DDR4", "DESIGN 8"}),
          real("memory.hbm_gbs", "GB/s", 0.001, 1e6, MESHKV_FIELD(memory.hbm_gbs),
               {"Peak rate of all pseudo-channels", "U280: 32 x 14.4 GB/s"}),
          real("memory.ddr_gbs", "GB/s", 0.001, 1e6, MESHKV_FIELD(memory.ddr_gbs),
               {"Peak rate of all channels", "DDR4-2400: 2 x 19.28 GB/s"}),
          choice<Spill>(
              "memory.spill", MESHKV_FIELD(memory.spill),
              {{true, Spill::kAllow}, {false, Spill::kRefuse}, {"ignore", Spill::kIgnore}},
              {"What happens to a cache larger than HBM: spills to DDR4, is refused, or HBM counts as large "
               "enough",
               "DESIGN 8"}),
          choice<SpillPolicy>("memory.spill_policy", MESHKV_FIELD(memory.spill_policy),
                              {{"oldest_segments", SpillPolicy::kOldestSegments},
                               {"newest_segments", SpillPolicy::kNewestSegments},
                               {"by_layer", SpillPolicy::kByLayer}},
                              {"Which blocks live in DDR4 when the cache spills", "DESIGN 8"}),
          choice<HbmReach>("memory.hbm_reach", MESHKV_FIELD(memory.hbm_reach),
                           {{"pool", HbmReach::kPool}, {"column", HbmReach::kColumn}},
                           {"Whether a home reaches all of HBM, or its column's part only", "DESIGN 8"}),
          choice<Interleave>(
              "memory.interleave", MESHKV_FIELD(memory.interleave),
              {{"4KiB", Interleave::k4KiB}, {"128B", Interleave::k128B}, {"block", Interleave::kBlock}},
              {"How consecutive addresses spread over pseudo-channels", "DESIGN 8"}),
          integer("memory.sram_bytes", "bytes", 1024, 1 << 22, MESHKV_FIELD(memory.sram_bytes),
                  {"KV SRAM of a tile: eight URAMs", "paper V"}),
          integer("memory.sram_banks", "", 1, 64, MESHKV_FIELD(memory.sram_banks),
                  {"Banks of a tile's KV SRAM", "paper IV"}),
          integer("memory.chunk_bytes", "bytes", 64, 16384, MESHKV_FIELD(memory.chunk_bytes),
                  {"Unit in which a home promotes a block into its KV SRAM; a power of two", "DESIGN 8"}),
          real("memory.hbm_front_end_ns", "ns", 0, 1e6, MESHKV_FIELD(memory.hbm_front_end_ns),
               {"Latency outside the DRAM, switch off", "Shuhai, arXiv 2005.04324"}),
          real("memory.ddr_front_end_ns", "ns", 0, 1e6, MESHKV_FIELD(memory.ddr_front_end_ns),
               {"Latency outside the DRAM", "Shuhai, arXiv 2005.04324"}),
          real("memory.switch_ns", "ns", 0, 1e6, MESHKV_FIELD(memory.switch_ns),
               {"Latency of the HBM switch, with memory.hbm_reach pool", "Shuhai, arXiv 2005.04324"}),
          real("memory.switch_farthest_ns", "ns", 0, 1e6, MESHKV_FIELD(memory.switch_farthest_ns),
               {"On top of it for the farthest pseudo-channel, less for nearer ones",
                "Shuhai, arXiv 2005.04324"}),
          integer("memory.queue_requests", "", 1, 4096, MESHKV_FIELD(memory.queue_requests),
                  {"Transactions that a controller holds per channel", "DESIGN 8"}),
          integer("memory.port_outstanding", "", 1, 4096, MESHKV_FIELD(memory.port_outstanding),
                  {"Transactions that a tile's memory port has under way at once", "DESIGN 8"})};
}

}  // namespace meshkv::platform
