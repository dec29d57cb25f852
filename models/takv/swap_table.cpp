#include "models/takv/swap_table.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace meshkv::takv {
namespace {

/// An exchange that shifts `d` = load_hot - load_cold from the hot to the cold tile lowers the sum of squares
/// by 2 d (q_hot - q_cold - d).
double gain(double q_hot, double q_cold, double d) {
  return 2 * d * (q_hot - q_cold - d);
}

struct Candidate {
  double gain = 0;
  std::size_t hot = 0;   // index of the block in the hot tile's list
  std::size_t cold = 0;  // index of the block in the cold tile's list
  NodeId cold_tile = kNoNode;
};

using BlockLists = std::vector<std::vector<BlockLoad>>;  // by tile

/// Best exchange between tile `hot` and any colder one.
Candidate best_exchange(NodeId hot, const std::vector<double>& q, const BlockLists& lists, double epsilon) {
  Candidate best;
  best.gain = epsilon;
  for (std::size_t cold = 0; cold < lists.size(); ++cold) {
    if (q[cold] >= q[hot]) continue;
    for (std::size_t i = 0; i < lists[hot].size(); ++i) {
      for (std::size_t j = 0; j < lists[cold].size(); ++j) {
        const double g = gain(q[hot], q[cold], lists[hot][i].load - lists[cold][j].load);
        if (g > best.gain) best = {g, i, j, static_cast<NodeId>(cold)};
      }
    }
  }
  return best;
}

}  // namespace

NodeId SwapTable::home(int layer, int slot) const {
  if (!moved_.empty()) {
    const auto it = moved_.find(key(layer, slot));
    if (it != moved_.end()) return it->second;
  }
  return placement_.home(layer, slot);
}

std::vector<Swap> SwapTable::decide(const std::vector<double>& occupancy,
                                    const std::vector<BlockLoad>& blocks, int max_swaps) const {
  const auto nodes = static_cast<std::size_t>(mesh_.nodes());
  if (occupancy.size() != nodes) throw std::invalid_argument("one occupancy a tile is needed");
  std::vector<double> q = occupancy;
  BlockLists lists(nodes);
  for (const BlockLoad& b : blocks) lists[home(b.layer, b.slot)].push_back(b);
  // Rounding must not look like a gain, else two equal tiles could swap to and fro.
  const double epsilon = 1e-12 * std::inner_product(q.begin(), q.end(), q.begin(), 0.0);

  std::vector<NodeId> hottest_first(nodes);
  std::iota(hottest_first.begin(), hottest_first.end(), NodeId{0});
  std::vector<Swap> swaps;
  while (static_cast<int>(swaps.size()) < max_swaps) {
    std::stable_sort(hottest_first.begin(), hottest_first.end(),
                     [&q](NodeId x, NodeId y) { return q[x] > q[y]; });
    Candidate best;
    NodeId hot = kNoNode;
    for (const NodeId tile : hottest_first) {
      best = best_exchange(tile, q, lists, epsilon);
      if (best.cold_tile == kNoNode) continue;
      hot = tile;
      break;
    }
    if (hot == kNoNode) break;
    BlockLoad& a = lists[hot][best.hot];
    BlockLoad& b = lists[best.cold_tile][best.cold];
    swaps.push_back({a.layer, a.slot, hot, b.layer, b.slot, best.cold_tile});
    q[hot] += b.load - a.load;
    q[best.cold_tile] += a.load - b.load;
    std::swap(a, b);
  }
  return swaps;
}

void SwapTable::set_home(int layer, int slot, NodeId home) {
  if (placement_.home(layer, slot) == home)
    moved_.erase(key(layer, slot));
  else
    moved_[key(layer, slot)] = home;
}

void SwapTable::apply(const Swap& swap) {
  if (home(swap.layer_a, swap.slot_a) != swap.home_a || home(swap.layer_b, swap.slot_b) != swap.home_b)
    throw std::logic_error("swap of a block that is not at the named home");
  set_home(swap.layer_a, swap.slot_a, swap.home_b);
  set_home(swap.layer_b, swap.slot_b, swap.home_a);
  ++swaps_;
}

}  // namespace meshkv::takv
