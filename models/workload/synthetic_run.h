// Runs synthetic traffic over a mesh of its own and measures it (issue: the mesh alone). Use from sc_main:
// construct, run() once, read the statistics.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/noc/mesh.h"
#include "models/workload/synthetic_config.h"

namespace meshkv::workload {

struct SyntheticStatistics {
  Cycle cycles = 0;                   ///< simulated in all
  std::uint64_t created_packets = 0;  ///< whole run; those still ahead of their cycle not counted
  std::uint64_t ejected_packets = 0;
  std::uint64_t flit_hops = 0;  ///< whole run: delivered flits x routers visited
  // Packets created in the measured window.
  std::uint64_t measured_packets = 0;  ///< created
  std::uint64_t arrived_packets = 0;   ///< of those, arrived before the end
  double avg_packet_latency = 0;   ///< cycles from creation (source queue included) to the tail's ejection
  double avg_network_latency = 0;  ///< cycles from the head's leaving of the source queue
  double avg_hops = 0;             ///< routers visited
  double p50_packet_latency = 0;
  double p95_packet_latency = 0;
  double p99_packet_latency = 0;
  double max_packet_latency = 0;
  double offered_flits_per_node_cycle = 0;   ///< created in the window
  double accepted_flits_per_node_cycle = 0;  ///< ejected in the window
  bool drained = false;                      ///< every measured packet arrived within the limit
  bool saturated = false;                    ///< the sources were ahead of the mesh for good: see run()
  // Replay.
  std::uint64_t replay_compared = 0;
  std::uint64_t replay_mismatches = 0;
  Cycle worst_mismatch_cycles = 0;
  // Links, measured window: [node][port], outgoing; and injection links.
  std::vector<std::array<noc::LinkStatistics, kPorts>> links;
  std::vector<noc::LinkStatistics> injection_links;
};

class SyntheticRun {
 public:
  /// Throws std::invalid_argument with all that validate() finds.
  SyntheticRun(const std::string& name, const SyntheticConfig& config);
  ~SyntheticRun();

  /// Simulates warm-up, window and drain. Saturated: measured packets are left at the drain limit, or
  /// accepted traffic is more than 5 % below what was offered.
  void run();
  /// For steps of one's own (several meshes in one simulation): create the traffic, then account.
  void begin();
  void open_window();
  void close_window();
  bool all_arrived() const;
  void finish();

  const SyntheticStatistics& statistics() const { return statistics_; }
  noc::Mesh& mesh() { return *mesh_; }
  ClockDomain& domain() { return *domain_; }
  const SyntheticConfig& config() const { return config_; }

 private:
  class Source;
  struct Links;
  void arrived(const noc::Packet& packet, Cycle at);
  Cycle advance(Cycle to_cycle);
  void snapshot(std::vector<std::array<noc::LinkStatistics, kPorts>>& links,
                std::vector<noc::LinkStatistics>& injection, Cycle now);
  double percentile(double fraction) const;

  SyntheticConfig config_;
  std::unique_ptr<ClockDomain> domain_;
  std::unique_ptr<noc::Mesh> mesh_;
  std::vector<std::unique_ptr<Source>> sources_;
  Cycle window_from_ = 0;
  Cycle window_to_ = 0;
  std::vector<std::uint64_t> latencies_;  // histogram by cycle
  std::uint64_t packet_latency_sum_ = 0;
  std::uint64_t network_latency_sum_ = 0;
  std::uint64_t hops_sum_ = 0;
  std::uint64_t window_created_flits_ = 0;
  std::uint64_t window_ejected_flits_ = 0;
  SyntheticStatistics statistics_;
};

}  // namespace meshkv::workload
