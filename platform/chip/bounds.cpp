#include "platform/run/bounds.h"

#include "models/memory/memory_map.h"
#include "models/workload/traffic_estimate.h"
#include "platform/chip/chip.h"

namespace meshkv::platform {

Json estimate_bounds(const RunConfig& config) {
  if (config.workload_kind != WorkloadKind::kDecode) return Json::object();
  const workload::DecodePlan plan(config.noc.mesh, config.decode, config.mapping, config.placement,
                                  config.noc.flit_bits);
  const memory::MemoryMap map(config.memory, memory_map_shape(config, plan));
  workload::EstimateConfig estimate;
  estimate.flit_bits = config.noc.flit_bits;
  estimate.multicast = config.mare.multicast;
  estimate.central_links = config.placement.cent_flits_per_cycle;
  estimate.macs_per_cycle = config.pad.macs_per_cycle;
  const double hz = config.clock_mhz * 1e6;
  estimate.hbm_bytes_per_cycle = config.memory.hbm_gbs * 1e9 / hz;
  estimate.ddr_bytes_per_cycle = config.memory.ddr_gbs * 1e9 / hz;
  estimate.hbm_column_local = config.memory.hbm_reach == memory::HbmReach::kColumn;
  estimate.in_ddr = [&map](int layer, int slot) {
    return !map.in_hbm(layer, static_cast<std::uint32_t>(slot));
  };
  const workload::TrafficEstimate traffic = workload::estimate_traffic(
      config.noc.mesh, plan.placement(), plan.mapping(), config.decode, plan.segments(), estimate);
  Json by_resource = Json::object();
  for (const auto& [name, cycles] : traffic.bounds.named()) by_resource[name] = cycles;
  return by_resource;
}

}  // namespace meshkv::platform
