#include "models/takv/swap_decision.h"

#include <algorithm>

namespace meshkv::takv {
namespace {

std::string block_name(int layer, std::uint32_t slot) {
  return "block (" + std::to_string(layer) + ", " + std::to_string(slot) + ")";
}

}  // namespace

SwapDecision::SwapDecision(const PlacementConfig& config, const workload::DecodePlan& plan,
                           const memory::MemoryMap& map, const SwapSample& sample)
    : config_(config),
      plan_(plan),
      map_(map),
      sample_(sample),
      decided_(static_cast<std::size_t>(plan.mesh().width), true) {}

void SwapDecision::ask(Cycle now) {
  ++asked_;
  decided_.assign(decided_.size(), false);
  missing_ = static_cast<int>(decided_.size());
  last_ = now;
  swaps_.clear();
  moved_.clear();
  candidates_.clear();
  if (on_asked) on_asked(now);
}

const std::vector<Swap>& SwapDecision::swaps(int layer) const {
  static const std::vector<Swap> none;
  const auto it = swaps_.find(layer);
  return it == swaps_.end() ? none : it->second;
}

/// Only layers that the run decodes have loads.
bool SwapDecision::knows(std::uint32_t layer) const {
  const std::vector<int>& layers = plan_.layers();
  return std::any_of(layers.begin(), layers.end(),
                     [&](int l) { return static_cast<std::uint32_t>(l) == layer; });
}

NodeId SwapDecision::home(int layer, int slot) const {
  const auto it = moved_.find({layer, slot});
  return it != moved_.end() ? it->second : plan_.home(layer, static_cast<std::uint32_t>(slot));
}

std::uint64_t SwapDecision::occupancy(int column, std::uint32_t layer, int row) const {
  if (!knows(layer)) return 0;
  const NodeId home = plan_.mesh().node({column, row});
  return static_cast<std::uint64_t>(sample_.occupancies(static_cast<int>(layer))[home]);
}

const std::vector<BlockLoad>& SwapDecision::candidates(int column, std::uint32_t layer, bool hbm) const {
  static const std::vector<BlockLoad> none;
  // Homes of a layer are all in one column.
  if (!waits() || !knows(layer)) return none;
  const auto number = static_cast<int>(layer);
  if (plan_.mesh().coord(plan_.home(number, 0)).x != column) return none;
  const auto known = candidates_.find({number, hbm});
  if (known != candidates_.end()) return known->second;
  return candidates_[{number, hbm}] = sample_.candidates(number, hbm);
}

std::uint32_t SwapDecision::proposed(std::uint32_t layer) const {
  return static_cast<std::uint32_t>(swaps(static_cast<int>(layer)).size());
}

std::string SwapDecision::problem(int layer, int a, int b) const {
  const auto slot_a = static_cast<std::uint32_t>(a), slot_b = static_cast<std::uint32_t>(b);
  const std::string both = block_name(layer, slot_a) + " and " + block_name(layer, slot_b);
  if (home(layer, a) == home(layer, b)) {
    const Coord at = plan_.mesh().coord(home(layer, a));
    return both + " both have their home in row " + std::to_string(at.y);
  }
  if (map_.in_hbm(layer, slot_a) != map_.in_hbm(layer, slot_b)) {
    const bool a_is = map_.in_hbm(layer, slot_a);
    return block_name(layer, a_is ? slot_a : slot_b) + " lies in HBM and " +
           block_name(layer, a_is ? slot_b : slot_a) + " in DDR4";
  }
  const std::vector<bool> out = sample_.left_out(layer);
  for (const std::uint32_t slot : {slot_a, slot_b})
    if (out[slot]) return block_name(layer, slot) + " is left out of the sample, and its load unknown";
  return {};
}

std::string SwapDecision::propose(int column, std::uint32_t layer, std::uint32_t a, std::uint32_t b) {
  if (!waits_for(column)) return "no decision on swaps is asked of the column (SWAPS_ASKED)";
  if (!knows(layer)) return "the run does not decode a layer " + std::to_string(layer);
  const auto number = static_cast<int>(layer);
  for (const std::uint32_t slot : {a, b}) {
    if (slot >= static_cast<std::uint32_t>(plan_.slots()))
      return "there is no " + block_name(number, slot) + "; a layer has " + std::to_string(plan_.slots());
  }
  if (a == b) return block_name(number, a) + " cannot swap with itself";
  const auto slot_a = static_cast<int>(a), slot_b = static_cast<int>(b);
  const NodeId home_a = home(number, slot_a), home_b = home(number, slot_b);
  const int owner = plan_.mesh().coord(home_a).x;
  if (owner != column)
    return "layer " + std::to_string(layer) + " has its homes in column " + std::to_string(owner);
  if (proposed(layer) >= most_swaps())
    return "layer " + std::to_string(layer) + " has its " + std::to_string(most_swaps()) +
           " swaps of the period (takv.swaps_per_period)";
  std::string why = problem(number, slot_a, slot_b);
  if (!why.empty()) return why;
  swaps_[number].push_back({number, slot_a, home_a, number, slot_b, home_b});
  moved_[{number, slot_a}] = home_b;
  moved_[{number, slot_b}] = home_a;
  return {};
}

std::string SwapDecision::decide(int column, Cycle now) {
  if (!waits_for(column)) return "no decision on swaps is asked of the column (SWAPS_ASKED)";
  decided_[static_cast<std::size_t>(column)] = true;
  last_ = std::max(last_, now);
  if (--missing_ == 0 && on_decided) on_decided(last_);
  return {};
}

}  // namespace meshkv::takv
