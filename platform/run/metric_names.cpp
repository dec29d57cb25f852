#include "platform/run/metric_names.h"

#include <algorithm>
#include <initializer_list>

namespace meshkv::platform {
namespace {

using Names = std::vector<std::string>;

void add(Names& all, const std::string& prefix, std::initializer_list<const char*> names) {
  for (const char* name : names) all.push_back(prefix + name);
}

bool has_at(const RunConfig& config) {
  if (config.phases.empty()) return config.mode == TimingMode::kAt;
  return std::any_of(config.phases.begin(), config.phases.end(),
                     [](const ModePhase& phase) { return phase.mode == TimingMode::kAt; });
}

void add_steps(Names& all, const RunConfig& config) {
  if (!config.decode.sampled()) {
    add(all, "metrics.decode.", {"cycles_per_step", "tokens_per_second", "latency_us"});
    return;
  }
  add(all, "metrics.decode.sample.",
      {"layers", "layers_of_model", "segments", "segments_of_these_layers", "cycles",
       "extrapolated_cycles_per_step", "extrapolated_tokens_per_second", "cycles_per_step_ci95",
       "tokens_per_second_low", "tokens_per_second_high"});
}

void add_fabric(Names& all) {
  add(all, "metrics.noc.",
      {"traffic", "flit_hops", "kv_data_link_flit_hops", "avg_hops", "accepted_flits_per_node_cycle"});
  for (const char* links : {"links", "injection", "ejection"})
    add(all, std::string("metrics.noc.") + links + ".",
        {"kv_data_useful", "kv_data_duplicate", "control", "back_pressure_cycles"});
  add(all, "metrics.bisection.", {"useful", "back_pressure", "other", "duplicate", "control", "link_cycles"});
  add(all, "metrics.mare.",
      {"fetches", "coalesced", "coalesced_fraction", "accompanied_fraction", "windows", "late_joined",
       "mean_fanout", "duplicates_suppressed", "duplicates_suppressed_at_home",
       "duplicates_suppressed_in_routers", "duplicates_filtered_at_tiles", "replayed_flits",
       "restreamed_flits", "appended_rows", "appended_bytes"});
  add(all, "metrics.takv.",
      {"swaps", "moved_bytes", "swap_cycles", "moved_blocks", "occupancy_spread_before", "occupancy_spread",
       "sum_of_squares_before", "sum_of_squares_after"});
  add(all, "metrics.storage.",
      {"router_bits", "router_fifo_bits", "router_tag_bits", "router_bloom_bits", "tile_bits",
       "tile_sram_bits", "tile_pad_fifo_bits", "max_blocks_per_tile"});
  add(all, "metrics.pad.",
      {"mac_utilisation", "macs", "lines", "segments", "mean_fetch_cycles", "p50_fetch_cycles",
       "p95_fetch_cycles", "p99_fetch_cycles", "max_fetch_cycles", "credit_stall_cycles", "parts"});
  add(all, "metrics.scoreboard.",
      {"requested", "delivered", "lost", "duplicated", "misdelivered", "filtered", "checksum"});
}

void add_memory(Names& all, const RunConfig& config) {
  add(all, "metrics.memory.",
      {"resident_hbm_bytes", "resident_ddr_bytes", "sram_fills", "sram_written_bytes", "sram_read_bytes",
       "sram_evictions_unread", "sram_bank_conflicts", "port_waits_for_memory"});
  for (const char* tier : {"hbm", "ddr"}) {
    const std::string prefix = std::string("metrics.memory.") + tier + "_";
    add(all, prefix,
        {"bytes", "bandwidth_fraction", "row_hit_rate", "activations", "refresh_share", "mean_latency_ns",
         "p99_latency_ns"});
    if (has_at(config)) add(all, prefix, {"busy_bandwidth_fraction", "queue_bursts"});
  }
}

void add_energy(Names& all, const RunConfig& config) {
  const WorkloadKind kind = config.workload_kind;
  if (kind != WorkloadKind::kMemory) add(all, "metrics.energy.", {"link_pj", "router_pj"});
  if (kind == WorkloadKind::kDecode) add(all, "metrics.energy.", {"sram_pj", "memory_wire_pj", "mac_pj"});
  if (kind != WorkloadKind::kSynthetic) add(all, "metrics.energy.", {"memory_pj"});
  add(all, "metrics.energy.", {"total_pj"});
  if (kind == WorkloadKind::kDecode && !config.decode.sampled())
    add(all, "metrics.energy.", {"pj_per_token"});
}

Names decode_names(const RunConfig& config) {
  Names all;
  add(all, "bounds.",
      {"injection_cycles", "ejection_cycles", "link_cycles", "bisection_cycles", "mac_cycles", "hbm_cycles",
       "ddr_cycles", "tightest_cycles", "achieved_cycles", "achieved_over_bound"});
  add_steps(all, config);
  add_fabric(all);
  add_memory(all, config);
  if (config.controllers.kind != controller::ControllerKind::kSequencer)
    add(all, "metrics.controllers.",
        {"descriptors", "prefetches", "repeated", "refused", "mailbox_words", "instructions",
         "register_accesses", "bus_errors", "interrupts", "busy_cycles", "cycles_per_descriptor",
         "share_of_step", "busiest_share"});
  if (config.data)
    add(all, "metrics.data.",
        {"max_abs_error", "mean_abs_error", "bound", "max_error_over_bound", "max_format_error",
         "mean_format_error", "order", "bits", "numbers", "heads_left_out"});
  return all;
}

Names synthetic_names(const RunConfig& config) {
  Names all;
  add(all, "metrics.noc.",
      {"flit_hops", "avg_packet_latency_cycles", "avg_network_latency_cycles", "p50_packet_latency_cycles",
       "p95_packet_latency_cycles", "p99_packet_latency_cycles", "max_packet_latency_cycles", "avg_hops",
       "offered_flits_per_node_cycle", "accepted_flits_per_node_cycle", "created_packets", "ejected_packets",
       "measured_packets", "arrived_packets", "saturated"});
  if (config.synthetic.pattern == workload::TrafficPattern::kReplay)
    add(all, "metrics.noc.", {"replay_compared", "replay_mismatches", "replay_worst_mismatch_cycles"});
  const MeshShape& mesh = config.noc.mesh;
  for (int n = 0; n < mesh.nodes(); ++n) {
    const Coord at = mesh.coord(static_cast<NodeId>(n));
    const std::string tile = "metrics.noc.links." + std::to_string(at.x) + "_" + std::to_string(at.y) + ".";
    std::vector<std::string> links{"injection"};
    for (int p = 0; p < kPorts; ++p) {
      const auto port = static_cast<Port>(p);
      if (port == Port::kTile || mesh.neighbour(static_cast<NodeId>(n), port) != kNoNode)
        links.emplace_back(port_name(port));
    }
    for (const std::string& link : links)
      add(all, tile + link + ".", {"kv_data", "duplicate", "control", "back_pressure"});
  }
  return all;
}

Names memory_names() {
  Names all;
  add(all, "metrics.memory.",
      {"bandwidth_fraction", "bandwidth_gbs", "mean_latency_ns", "p50_latency_ns", "p99_latency_ns",
       "slice_period_ns", "row_hit_rate", "refresh_share", "queue_bursts", "accesses", "bytes",
       "activations"});
  return all;
}

}  // namespace

std::vector<std::string> metric_names(const RunConfig& config) {
  Names all;
  switch (config.workload_kind) {
    case WorkloadKind::kDecode:
      all = decode_names(config);
      break;
    case WorkloadKind::kSynthetic:
      all = synthetic_names(config);
      break;
    case WorkloadKind::kMemory:
      all = memory_names();
      break;
  }
  add_energy(all, config);
  all.emplace_back("cycles");
  return all;
}

}  // namespace meshkv::platform
