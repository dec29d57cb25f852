// Runs synthetic traffic over a mesh of its own and measures it. Use from sc_main: construct, run() once,
// read the statistics.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/noc/mesh.h"
#include "models/workload/synthetic_config.h"
#include "models/workload/synthetic_source.h"

namespace meshkv::workload {

enum class SyntheticOutcome : std::uint8_t {
  kDrained,    ///< every measured packet arrived
  kSaturated,  ///< the mesh moves, but takes less than is offered
  kDeadlocked  ///< nothing moves: SyntheticRun::deadlock()
};

struct SyntheticStatistics {
  Cycle cycles = 0;                   ///< simulated in all
  std::uint64_t created_packets = 0;  ///< whole run
  std::uint64_t ejected_packets = 0;  ///< whole run, copies
  std::uint64_t flit_hops = 0;        ///< whole run: flits x routers visited (delivered ones; trees: sent)
  // Packets (copies) created in the measured window.
  std::uint64_t measured_packets = 0;  ///< created
  std::uint64_t arrived_packets = 0;   ///< of those, arrived before the end
  double avg_packet_latency = 0;   ///< cycles from creation (source queue included) to the tail's ejection
  double avg_network_latency = 0;  ///< cycles from the head's leaving of the source queue
  double avg_hops = 0;             ///< routers visited
  double p50_packet_latency = 0;
  double p95_packet_latency = 0;
  double p99_packet_latency = 0;
  double max_packet_latency = 0;
  double offered_flits_per_node_cycle = 0;   ///< created in the window (copies)
  double accepted_flits_per_node_cycle = 0;  ///< ejected in the window
  SyntheticOutcome outcome = SyntheticOutcome::kDrained;
  // Replay.
  std::uint64_t replay_compared = 0;
  std::uint64_t replay_mismatches = 0;
  Cycle worst_mismatch_cycles = 0;
  // Links, measured window: [node][port], outgoing (kTile: ejection); and injection links.
  Cycle window_cycles = 0;
  std::vector<std::array<noc::LinkStatistics, kPorts>> links;
  std::vector<noc::LinkStatistics> injection_links;
};

class SyntheticRun final : public SyntheticObserver {
 public:
  /// Throws std::invalid_argument with all that validate() finds.
  SyntheticRun(const std::string& name, const SyntheticConfig& config);
  ~SyntheticRun() override;

  /// Simulates warm-up, window and drain. Saturated: measured packets are left at the drain limit, or
  /// accepted traffic is more than 5 % below what was offered.
  void run();
  /// For several meshes in one simulation: begin() each, sc_start, then finish() each. No windows.
  void begin();
  void finish();
  /// No source creates a packet from `cycle` on.
  void stop_at(Cycle cycle);

  const SyntheticStatistics& statistics() const { return statistics_; }
  /// Measured packets by latency in cycles; the last bin stands for all above, too.
  const std::vector<std::uint64_t>& latencies() const { return latencies_; }
  const noc::DeadlockReport* deadlock() const;
  noc::Mesh& mesh() { return *mesh_; }
  ClockDomain& domain() { return *domain_; }
  const SyntheticConfig& config() const { return config_; }

 private:
  void created(Cycle at, int flits, int copies) override;
  void arrived(const noc::Packet& packet, NodeId here, Cycle since, Cycle at) override;
  void compare(const noc::Packet& packet, Cycle at);
  void advance(Cycle to_cycle);
  bool wait_for_all(Cycle limit);
  void snapshot(Cycle now);
  bool all_arrived() const {
    return statistics_.arrived_packets == statistics_.measured_packets &&
           (config_.pattern != TrafficPattern::kReplay ||
            statistics_.arrived_packets == config_.packets.size());
  }
  double percentile(double fraction) const;

  SyntheticConfig config_;
  std::unique_ptr<ClockDomain> domain_;
  std::unique_ptr<noc::Mesh> mesh_;
  std::vector<std::unique_ptr<SyntheticSource>> sources_;
  Cycle window_from_ = 0;
  Cycle window_to_ = 0;
  Cycle now_ = 0;
  bool waiting_ = false;                  // for the measured packets that are still under way
  std::vector<std::uint64_t> latencies_;  // histogram by cycle
  std::uint64_t packet_latency_sum_ = 0;
  std::uint64_t network_latency_sum_ = 0;
  std::uint64_t hops_sum_ = 0;
  std::uint64_t window_created_flits_ = 0;
  std::uint64_t window_ejected_flits_ = 0;
  SyntheticStatistics statistics_;
};

}  // namespace meshkv::workload
