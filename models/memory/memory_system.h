// Controllers, interconnect and their binding, as MemoryConfig wants them. Not a module: what it makes
// belongs to the module under construction, so that names are `chip.hbm_0`, `chip.ddr_1`,
// `chip.memory_interconnect`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/memory/dram_controller.h"
#include "models/memory/memory_config.h"
#include "models/memory/memory_interconnect.h"
#include "models/memory/memory_map.h"
#include "models/memory/memory_port.h"

namespace meshkv::memory {

/// What all controllers of one kind did.
struct TierReport {
  std::uint64_t bytes = 0;
  std::uint64_t activations = 0;  ///< of rows
  double wall_gbs = 0.0;  ///< bytes over the whole time
  double busy_gbs =
      0.0;  ///< at: bytes over the time in which channels had something to do, per channel in use
  double peak_gbs = 0.0;
  double row_hit_rate = 0.0;   ///< bursts that needed no activation
  double refresh_share = 0.0;  ///< of the time, tRFC alone
  double queue_bursts = 0.0;   ///< at: mean bursts waiting, per channel
  LatencyHistogram latency;    ///< in memory clocks, DRAM and scheduler
  double clock_ns = 0.0;
};

class MemorySystem {
 public:
  /// `columns`: mesh width. `port_columns`: the column of each memory port, in the order of bind().
  MemorySystem(const MemoryConfig& config, const MemoryMap& map, int columns,
               const std::vector<int>& port_columns);
  void bind(MemoryPort& port) { port.socket.bind(interconnect_->from_ports); }

  int hbm_controllers() const { return static_cast<int>(hbm_.size()); }
  int ddr_controllers() const { return static_cast<int>(ddr_.size()); }
  DramController& hbm(int i) { return *hbm_[static_cast<std::size_t>(i)]; }
  DramController& ddr(int i) { return *ddr_[static_cast<std::size_t>(i)]; }
  MemoryInterconnect& interconnect() { return *interconnect_; }

  std::uint64_t hbm_bytes_moved() const;
  std::uint64_t ddr_bytes_moved() const;
  double hbm_peak_gbs() const;
  double ddr_peak_gbs() const;
  bool idle() const;
  /// What the memories hold before anything is written to them, by global address. Before the first access.
  void set_background(const SparseMemory::Background& background);
  /// `elapsed`: the simulated time to which the figures refer.
  TierReport report(Tier tier, const sc_core::sc_time& elapsed) const;
  /// One line for people: what the interleaving and the traffic made of the peak. Empty if nothing was moved.
  std::string report_line(Tier tier, const sc_core::sc_time& elapsed) const;

 private:
  MemoryConfig config_;
  std::vector<std::unique_ptr<HbmController>> hbm_;
  std::vector<std::unique_ptr<DdrController>> ddr_;
  std::unique_ptr<MemoryInterconnect> interconnect_;
};

/// What a controller is like under `config`; `interleave_bytes`, base and size follow the map.
DramControllerConfig hbm_controller_config(const MemoryConfig& config, const MemoryMap& map, int index);
DramControllerConfig ddr_controller_config(const MemoryConfig& config, const MemoryMap& map, int index);
/// Nanoseconds that the HBM switch adds between a column and a controller. Off (0) when only the own column
/// is reachable.
double switch_latency_ns(const MemoryConfig& config, int column, int columns, int controller);

}  // namespace meshkv::memory
