// What a decision on occupancy swaps is made from. No SystemC.
#pragma once

#include <vector>

#include "models/memory/memory_map.h"
#include "models/takv/occupancy.h"
#include "models/takv/swap_table.h"
#include "models/workload/decode_plan.h"

namespace meshkv::takv {

class SwapSample {
 public:
  SwapSample(const PlacementConfig& config, const workload::DecodePlan& plan, const memory::MemoryMap& map,
             const Occupancy& occupancy)
      : config_(config), plan_(plan), map_(map), occupancy_(occupancy) {}

  /// Tokens that each tile was asked for, of a layer's blocks, since the last decision.
  std::vector<double> occupancies(int layer) const;
  /// Blocks of a layer in one kind of memory: a swap exchanges places too, and must not slow a hot block
  /// down. What a sample leaves out has loads that nobody knows, and stays. Of blocks with equal loads at one
  /// home a few will do.
  std::vector<BlockLoad> candidates(int layer, bool hbm) const;
  /// By slot: a step reads the block, and the sample leaves it out.
  std::vector<bool> left_out(int layer) const;
  std::uint64_t load(int layer, int slot) const {
    return occupancy_.of(layer, static_cast<std::uint32_t>(slot));
  }
  /// Sum of squares over the homes of a layer, relative to equal loads (1: flat; the number of homes: all on
  /// one), summed over the layers before it is divided.
  double spread() const;

 private:
  std::vector<bool> queued(int layer) const;

  PlacementConfig config_;
  const workload::DecodePlan& plan_;
  const memory::MemoryMap& map_;
  const Occupancy& occupancy_;
};

double sum_of_squares(const std::vector<double>& occupancies);

}  // namespace meshkv::takv
