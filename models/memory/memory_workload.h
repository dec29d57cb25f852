// `workload.kind: memory`: readers with windows against the controllers alone, no mesh (DESIGN section 12).
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "models/common/types.h"
#include "models/memory/dram_controller.h"
#include "models/memory/memory_interconnect.h"
#include "models/memory/memory_port.h"
#include "models/memory/memory_workload_config.h"

namespace meshkv::memory {

struct MemoryWorkloadResult {
  double bandwidth_fraction = 0.0;  ///< of the peak of all channels, over the wall time of the measurement
  double bandwidth_gbs = 0.0;
  double mean_latency_ns =
      0.0;  ///< of an access, in DRAM and scheduler, without waiting outside a full queue
  double p50_latency_ns = 0.0;
  double p99_latency_ns = 0.0;
  double slice_period_ns = 0.0;  ///< time per slice of one reader; 0 without slices
  double row_hit_rate = 0.0;     ///< bursts that needed no activation
  double refresh_share = 0.0;    ///< of the time, tRFC alone
  double queue_bursts = 0.0;     ///< at: mean bursts waiting per channel
  std::uint64_t accesses = 0;
  std::uint64_t bytes = 0;
  std::uint64_t activations = 0;  ///< of rows, during the measurement
};

/// Builds ports, interconnect and controllers. One reader is one initiator.
class MemoryWorkload : public sc_core::sc_module {
 public:
  /// Throws std::invalid_argument with problems().
  MemoryWorkload(sc_core::sc_module_name name, const MemoryWorkloadConfig& config, TimingMode mode);
  ~MemoryWorkload() override;
  /// Calls sc_start until nothing is left to do: warm-up, measurement, what was under way at its end.
  MemoryWorkloadResult run();
  /// What was measured, after the simulation (several workloads may share one).
  MemoryWorkloadResult result() const;
  /// Nothing is under way anywhere, no payload is held, after run().
  bool idle() const;

 private:
  class Reader;
  struct Place {
    int channel;
    std::uint64_t address;  ///< within the channel
    std::uint32_t bytes;
  };
  void measure();
  void collect();
  DramController::DramStatistics dram_statistics() const;
  void split(std::uint64_t address, std::uint32_t bytes, int channel, std::vector<Place>& parts) const;
  std::uint64_t global_address(const Place& place) const;
  std::uint64_t space_bytes() const;

  MemoryWorkloadConfig config_;
  TimingMode mode_;
  DramTiming timing_;
  int channels_per_controller_;
  sc_core::sc_time clock_;
  Cycle measure_from_ = 0, measure_to_ = 0;  ///< in memory clocks
  std::vector<std::unique_ptr<DramController>> controllers_;
  std::unique_ptr<MemoryInterconnect> interconnect_;
  std::vector<std::unique_ptr<Reader>> readers_;
  std::uint64_t measured_bytes_ = 0, measured_accesses_ = 0;
  std::uint64_t activations_before_ = 0;  ///< the measurement
  MemoryWorkloadResult result_;           ///< what has to be read at the end of the measurement
};

}  // namespace meshkv::memory
