// Occupancy swaps in a run (paper section V): when they are due, which blocks change homes, and when the next
// step may begin. No SystemC of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "models/memory/memory_map.h"
#include "models/takv/block_mover.h"
#include "models/takv/occupancy.h"
#include "models/takv/swap_decision.h"
#include "models/takv/swap_sample.h"
#include "models/takv/swap_table.h"
#include "models/workload/decode_plan.h"

namespace meshkv::takv {

struct SwapStatistics {
  std::uint64_t swaps = 0;
  Cycle cycles = 0;             ///< that steps waited for swaps
  double occupancy_before = 0;  ///< SwapSample::spread() of the first period; 0: it has not ended
  double squares_before = 0;    ///< sum over layers and homes of squared tokens, as decided upon
  double squares_after = 0;     ///< the same, as the swaps leave it
};

/// Every `swap_period_steps` steps, with nothing under way: new keys and values are in memory, and nobody
/// asks for a block. The homes of a layer are decided upon with what that layer's blocks were asked for since
/// the last time.
class SwapControl {
 public:
  SwapControl(const PlacementConfig& config, workload::DecodePlan& plan, memory::MemoryMap& map,
              Occupancy& occupancy, std::vector<BlockMover*> movers);

  enum class State : std::uint8_t {
    kDone,     ///< the step may begin at free_at()
    kMoves,    ///< swaps have begun: call begin() again when all has drained anew
    kDecides,  ///< firmware has been asked: call begin() again at SwapDecision::on_decided
  };
  /// Before step `step`, all drained.
  State begin(int step, Cycle now);
  Cycle free_at() const;
  const SwapSample& sample() const { return sample_; }
  /// Where firmware decides; null: the hardware does.
  SwapDecision* decision() { return decision_.get(); }
  std::uint64_t moved_bytes() const;
  const SwapStatistics& statistics() const { return statistics_; }

 private:
  std::vector<Swap> decide(int layer) const;
  void schedule();
  std::size_t put(const Swap& swap, std::size_t first);
  void start(const Swap& swap, int step, Cycle at);

  PlacementConfig config_;
  workload::DecodePlan& plan_;
  memory::MemoryMap& map_;
  Occupancy& occupancy_;
  SwapSample sample_;
  std::unique_ptr<SwapDecision> decision_;
  std::vector<BlockMover*> movers_;       ///< by tile
  std::deque<std::vector<Swap>> rounds_;  ///< of swaps that go on at the same time; still to come
  int decided_step_ = 0;
  bool scheduled_ = true;
  Cycle asked_ = 0;
  SwapStatistics statistics_;
};

}  // namespace meshkv::takv
