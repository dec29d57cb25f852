#include "models/takv/swap_control.h"

#include <algorithm>
#include <utility>

namespace meshkv::takv {

SwapControl::SwapControl(const PlacementConfig& config, workload::DecodePlan& plan, memory::MemoryMap& map,
                         Occupancy& occupancy, std::vector<BlockMover*> movers)
    : config_(config),
      plan_(plan),
      map_(map),
      occupancy_(occupancy),
      sample_(config, plan, map, occupancy),
      movers_(std::move(movers)) {
  if (config.swaps && config.swaps_by == SwapsBy::kFirmware)
    decision_ = std::make_unique<SwapDecision>(config, plan, map, sample_);
}

std::vector<Swap> SwapControl::decide(int layer) const {
  if (decision_ != nullptr) return decision_->swaps(layer);
  const std::vector<double> q = sample_.occupancies(layer);
  for (const bool hbm : {true, false}) {
    const std::vector<Swap> swaps =
        plan_.homes().decide(q, sample_.candidates(layer, hbm), config_.swaps_per_period);
    if (!swaps.empty()) return swaps;
  }
  return {};
}

void SwapControl::schedule() {
  if (statistics_.occupancy_before == 0) statistics_.occupancy_before = sample_.spread();
  rounds_.clear();
  for (const int layer : plan_.layers()) {
    const std::vector<double> q = sample_.occupancies(layer);
    std::vector<double> left = q;
    std::size_t round = 0;
    for (const Swap& s : decide(layer)) {
      round = put(s, round) + 1;
      const double shift = static_cast<double>(sample_.load(layer, s.slot_a)) -
                           static_cast<double>(sample_.load(layer, s.slot_b));
      left[s.home_a] -= shift;
      left[s.home_b] += shift;
    }
    statistics_.squares_before += sum_of_squares(q);
    statistics_.squares_after += sum_of_squares(left);
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

SwapControl::State SwapControl::begin(int step, Cycle now) {
  if (!config_.swaps) return State::kDone;
  const bool asks = step != decided_step_;
  if (asks) {
    decided_step_ = step;
    if (step % config_.swap_period_steps != 0) return State::kDone;
    asked_ = now;
    scheduled_ = false;
    if (decision_ != nullptr) decision_->ask(now);
  }
  if (decision_ != nullptr && decision_->waits()) return State::kDecides;
  if (!scheduled_) {
    schedule();
    scheduled_ = true;
  }
  if (rounds_.empty()) {
    if (!asks && asked_ != 0) statistics_.cycles += std::max(now, free_at()) - asked_;
    asked_ = 0;
    return State::kDone;
  }
  const Cycle at = std::max(now, free_at());
  for (const Swap& swap : rounds_.front()) start(swap, step, at);
  rounds_.pop_front();
  return State::kMoves;
}

std::uint64_t SwapControl::moved_bytes() const {
  std::uint64_t bytes = 0;
  for (const BlockMover* mover : movers_) bytes += mover->statistics().moved_bytes;
  return bytes;
}

}  // namespace meshkv::takv
