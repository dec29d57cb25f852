// Adaptive occupancy swaps (paper section V): every K steps two homes exchange a block iff that strictly
// lowers the sum of squared occupancies. No SystemC.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/common/types.h"
#include "models/takv/placement.h"

namespace meshkv::takv {

/// A block and its part of its home's sampled occupancy (flits, requests or credits in use: any unit, the
/// same for all).
struct BlockLoad {
  int layer = 0;
  int slot = 0;
  double load = 0;
};

/// Blocks `a` and `b` exchange their homes. The data of both has to move.
struct Swap {
  int layer_a = 0;
  int slot_a = 0;
  NodeId home_a = 0;  ///< home of block a before the swap, of block b after it
  int layer_b = 0;
  int slot_b = 0;
  NodeId home_b = 0;
};

/// Homes after swaps: the static placement and a small table of the blocks that were moved.
///
/// Why blocks and not whole tiles: exchanging all that two tiles hold only renames the two occupancies, and
/// the sum of squares stays. Why blocks and not one row of a layer: all blocks of a hot row would move
/// together and the row stay hot. A block for a block is also the least data to move (2 |B|), needs the two
/// table writes that the paper counts, and leaves the number of blocks of every tile as it was, so a
/// placement within N_max stays within it.
class SwapTable {
 public:
  SwapTable(const Placement& placement, const MeshShape& mesh) : placement_(placement), mesh_(mesh) {}

  const Placement& placement() const { return placement_; }
  /// Where the block is now.
  NodeId home(int layer, int slot) const;

  /// The swaps that the samples justify, best first, at most `max_swaps`; the table is not changed. Each one
  /// strictly lowers the sum of squares of what the previous ones left. `occupancy`: q_e by tile. `blocks`:
  /// the blocks that may move, with their loads. Layers are decoded one after another, so only balance within
  /// a layer shortens it: call this once a layer, with what was sampled during that layer and its blocks.
  std::vector<Swap> decide(const std::vector<double>& occupancy, const std::vector<BlockLoad>& blocks,
                           int max_swaps) const;

  /// Exchanges the homes. Throws std::logic_error if a block is not where the swap says (swaps of two
  /// decisions mixed up).
  void apply(const Swap& swap);

  /// Blocks that are away from their static home: the entries that the hardware table needs.
  std::size_t entries() const { return moved_.size(); }
  std::uint64_t swaps() const { return swaps_; }

 private:
  static std::uint64_t key(int layer, int slot) {
    return (static_cast<std::uint64_t>(layer) << 32) | static_cast<std::uint32_t>(slot);
  }
  void set_home(int layer, int slot, NodeId home);

  Placement placement_;
  MeshShape mesh_;
  std::unordered_map<std::uint64_t, NodeId> moved_;
  std::uint64_t swaps_ = 0;
};

}  // namespace meshkv::takv
