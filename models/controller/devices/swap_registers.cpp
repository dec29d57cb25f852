#include "models/controller/devices/swap_registers.h"

#include <algorithm>

#include "models/controller/registers/register_map.h"

namespace meshkv::controller {

const std::vector<takv::BlockLoad>& SwapRegisters::candidates() const {
  static const std::vector<takv::BlockLoad> none;
  const takv::SwapDecision* decision = fabric_.swap_decision();
  if (decision == nullptr) return none;
  const auto column = static_cast<int>(fabric_.identity().column);
  return decision->candidates(column, layer_, memory_ == reg::kSwapsMemoryHbm);
}

bool SwapRegisters::select(std::uint32_t offset, std::uint32_t value) {
  const std::uint32_t rows = fabric_.identity().rows;
  switch (offset) {
    case reg::kSwapsRow:
      if (value >= rows)
        return refuse("there is no row " + std::to_string(value) + " of " + std::to_string(rows));
      row_ = value;
      return true;
    case reg::kSwapsMemory:
      if (value > reg::kSwapsMemoryDdr4) return refuse("there is no such memory");
      memory_ = value;
      return true;
    default:
      std::uint32_t& selected = offset == reg::kSwapsLayer            ? layer_
                                : offset == reg::kSwapsCandidateIndex ? index_
                                                                      : segment_;
      selected = value;
      return true;
  }
}

bool SwapRegisters::write(std::uint32_t offset, std::uint32_t value, Cycle now) {
  if (offset != reg::kSwapsPropose && offset != reg::kSwapsDecided) return select(offset, value);
  const std::string why = offset == reg::kSwapsPropose ? fabric_.propose_swap(layer_, segment_, value)
                                                       : fabric_.decide_swaps(now);
  return why.empty() || refuse(why);
}

bool SwapRegisters::constant(std::uint32_t offset) const {
  switch (offset) {
    case reg::kSwapsOccupancyLow:
    case reg::kSwapsOccupancyHigh:
    case reg::kSwapsCandidates:
    case reg::kSwapsCandidateSegment:
    case reg::kSwapsCandidateRow:
    case reg::kSwapsCandidateLoad:
      return false;
    default:
      return true;
  }
}

bool SwapRegisters::read(std::uint32_t offset, Cycle now, std::uint32_t& value) {
  const bool of_candidate = offset == reg::kSwapsCandidateSegment || offset == reg::kSwapsCandidateRow ||
                            offset == reg::kSwapsCandidateLoad;
  const std::size_t count = of_candidate ? candidates().size() : 0;
  if (of_candidate && index_ >= count)
    return refuse("there is no candidate " + std::to_string(index_) + " of " + std::to_string(count));
  value = peek(offset, now);
  return true;
}

std::uint32_t SwapRegisters::peek_candidate(std::uint32_t offset) const {
  if (index_ >= candidates().size()) return 0;
  const takv::BlockLoad& block = candidates()[index_];
  constexpr double kMost = 0xffffffff;
  Coord home;
  switch (offset) {
    case reg::kSwapsCandidateSegment:
      return static_cast<std::uint32_t>(block.slot);
    case reg::kSwapsCandidateRow:
      fabric_.home(layer_, static_cast<std::uint32_t>(block.slot), home);
      return static_cast<std::uint32_t>(home.y);
    default:
      return static_cast<std::uint32_t>(std::min(block.load, kMost));
  }
}

std::uint32_t SwapRegisters::peek(std::uint32_t offset, Cycle) const {
  const takv::SwapDecision* decision = fabric_.swap_decision();
  const auto occupancy = [&] {
    return decision == nullptr ? 0
                               : decision->occupancy(static_cast<int>(fabric_.identity().column), layer_,
                                                     static_cast<int>(row_));
  };
  switch (offset) {
    case reg::kSwapsAsked:
      return decision == nullptr ? 0 : decision->asked();
    case reg::kSwapsPeriodSteps:
      return decision == nullptr ? 0 : decision->period_steps();
    case reg::kSwapsMost:
      return decision == nullptr ? 0 : decision->most_swaps();
    case reg::kSwapsLayer:
      return layer_;
    case reg::kSwapsRow:
      return row_;
    case reg::kSwapsOccupancyLow:
      return static_cast<std::uint32_t>(occupancy());
    case reg::kSwapsOccupancyHigh:
      return static_cast<std::uint32_t>(occupancy() >> 32);
    case reg::kSwapsMemory:
      return memory_;
    case reg::kSwapsCandidates:
      return static_cast<std::uint32_t>(candidates().size());
    case reg::kSwapsCandidateIndex:
      return index_;
    case reg::kSwapsSegment:
      return segment_;
    case reg::kSwapsProposed:
      return decision == nullptr ? 0 : decision->proposed(layer_);
    default:
      return peek_candidate(offset);
  }
}

}  // namespace meshkv::controller
