#include "models/takv/swap_control.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace meshkv::takv {
namespace {

double squares(const std::vector<double>& q) {
  return std::inner_product(q.begin(), q.end(), q.begin(), 0.0);
}

}  // namespace

SwapControl::SwapControl(const PlacementConfig& config, workload::DecodePlan& plan, memory::MemoryMap& map,
                         Occupancy& occupancy, std::vector<BlockMover*> movers)
    : config_(config), plan_(plan), map_(map), occupancy_(occupancy), movers_(std::move(movers)) {}

std::vector<double> SwapControl::occupancies(int layer) const {
  std::vector<double> q(movers_.size(), 0.0);
  for (int slot = 0; slot < plan_.slots(); ++slot) {
    const auto s = static_cast<std::uint32_t>(slot);
    q[plan_.home(layer, s)] += static_cast<double>(occupancy_.of(layer, s));
  }
  return q;
}

double SwapControl::spread() const {
  double sum = 0, flat = 0;
  for (const int layer : plan_.layers()) {
    const std::vector<double> q = occupancies(layer);
    std::set<NodeId> homes;
    for (int slot = 0; slot < plan_.slots(); ++slot)
      homes.insert(plan_.home(layer, static_cast<std::uint32_t>(slot)));
    const double total = std::accumulate(q.begin(), q.end(), 0.0);
    sum += squares(q);
    flat += total * total / static_cast<double>(homes.size());
  }
  return flat == 0 ? 0 : sum / flat;
}

/// Blocks of a layer in one kind of memory: a swap exchanges places too, and must not slow a hot block down.
/// What a sample leaves out has loads that nobody knows, and stays. Of blocks with equal loads at one home a
/// few will do.
std::vector<BlockLoad> SwapControl::candidates(int layer, bool hbm) const {
  workload::DecodeConfig whole = plan_.decode();
  whole.sampled_segment_from = 0;
  whole.sampled_segment_to = -1;
  const workload::SegmentTable table(whole, plan_.step());
  std::vector<bool> left_out(static_cast<std::size_t>(plan_.slots()), false);
  for (const auto& s : table.needed(layer)) left_out[static_cast<std::size_t>(s.slot)] = true;
  for (const auto& s : plan_.segments().needed(layer)) left_out[static_cast<std::size_t>(s.slot)] = false;

  // Of equal blocks those first that are asked for sooner after another one of the same home than where homes
  // take turns: they queue.
  std::vector<bool> queues(left_out.size(), false);
  std::vector<std::size_t> last(movers_.size(), 0);  // place in the order of decoding, from 1 on
  std::size_t place = 0;
  for (const auto& s : plan_.segments().needed(layer)) {
    std::size_t& before = last[plan_.home(layer, static_cast<std::uint32_t>(s.slot))];
    const auto turn = static_cast<std::size_t>(plan_.mesh().height);
    ++place;
    queues[static_cast<std::size_t>(s.slot)] = before != 0 && place - before < turn;
    before = place;
  }
  std::map<std::pair<NodeId, std::uint64_t>, int> alike;
  std::vector<BlockLoad> blocks;
  for (const bool queued : {true, false}) {
    for (int slot = 0; slot < plan_.slots(); ++slot) {
      const auto s = static_cast<std::uint32_t>(slot);
      if (left_out[s] || queues[s] != queued || map_.in_hbm(layer, s) != hbm) continue;
      const std::uint64_t load = occupancy_.of(layer, s);
      if (++alike[{plan_.home(layer, s), load}] > config_.swaps_per_period) continue;
      blocks.push_back({layer, slot, static_cast<double>(load)});
    }
  }
  return blocks;
}

void SwapControl::decide() {
  if (statistics_.occupancy_before == 0) statistics_.occupancy_before = spread();
  rounds_.clear();
  for (const int layer : plan_.layers()) {
    const std::vector<double> q = occupancies(layer);
    std::vector<Swap> swaps;
    for (const bool hbm : {true, false}) {
      if (swaps.empty()) swaps = plan_.homes().decide(q, candidates(layer, hbm), config_.swaps_per_period);
    }
    std::vector<double> left = q;
    std::size_t round = 0;
    for (const Swap& s : swaps) {
      round = put(s, round) + 1;
      const double shift = static_cast<double>(occupancy_.of(layer, static_cast<std::uint32_t>(s.slot_a))) -
                           static_cast<double>(occupancy_.of(layer, static_cast<std::uint32_t>(s.slot_b)));
      left[s.home_a] -= shift;
      left[s.home_b] += shift;
    }
    statistics_.squares_before += squares(q);
    statistics_.squares_after += squares(left);
  }
  occupancy_.clear();
}

/// Into the first round from `first` on in which neither home has a part yet: the two then read and write in
/// step, and little of what comes in has to wait for its room. Returns the round.
std::size_t SwapControl::put(const Swap& swap, std::size_t first) {
  const auto busy = [&swap](const Swap& other) {
    return other.home_a == swap.home_a || other.home_a == swap.home_b || other.home_b == swap.home_a ||
           other.home_b == swap.home_b;
  };
  std::size_t round = first;
  while (round < rounds_.size() && std::any_of(rounds_[round].begin(), rounds_[round].end(), busy)) ++round;
  while (rounds_.size() <= round) rounds_.emplace_back();
  rounds_[round].push_back(swap);
  return round;
}

void SwapControl::start(const Swap& swap, int step, Cycle at) {
  plan_.apply(swap);
  const auto a = static_cast<std::uint32_t>(swap.slot_a), b = static_cast<std::uint32_t>(swap.slot_b);
  map_.exchange(swap.layer_a, a, swap.layer_b, b);
  const MovedBlock block_a{swap.layer_a, a, plan_.held_tokens(a, step)};
  const MovedBlock block_b{swap.layer_b, b, plan_.held_tokens(b, step)};
  movers_[swap.home_a]->exchange(block_a, block_b, at);
  movers_[swap.home_b]->exchange(block_b, block_a, at);
  ++statistics_.swaps;
}

Cycle SwapControl::free_at() const {
  Cycle free = 0;
  for (const BlockMover* mover : movers_) free = std::max(free, mover->done());
  return free;
}

bool SwapControl::begin(int step, Cycle now) {
  if (!config_.swaps) return false;
  if (step != decided_step_) {
    decided_step_ = step;
    if (step % config_.swap_period_steps != 0) return false;
    decide();
    asked_ = now;
    if (rounds_.empty()) return false;
  } else if (rounds_.empty()) {
    if (asked_ != 0) statistics_.cycles += std::max(now, free_at()) - asked_;
    asked_ = 0;
    return false;
  }
  const Cycle at = std::max(now, free_at());
  for (const Swap& swap : rounds_.front()) start(swap, step, at);
  rounds_.pop_front();
  return true;
}

std::uint64_t SwapControl::moved_bytes() const {
  std::uint64_t bytes = 0;
  for (const BlockMover* mover : movers_) bytes += mover->statistics().moved_bytes;
  return bytes;
}

}  // namespace meshkv::takv
