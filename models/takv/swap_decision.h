// Swaps that firmware decides instead of SwapTable: each column for the layers whose homes it has. Keeps what
// columns propose, and refuses what could not be carried out. No SystemC.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "models/takv/swap_sample.h"

namespace meshkv::takv {

class SwapDecision {
 public:
  SwapDecision(const PlacementConfig& config, const workload::DecodePlan& plan, const memory::MemoryMap& map,
               const SwapSample& sample);

  /// A decision is asked for; the cycle. May be empty.
  std::function<void(Cycle)> on_asked;
  /// All columns have decided; the cycle of the last one. May be empty.
  std::function<void(Cycle)> on_decided;

  // ---- from the swap control
  void ask(Cycle now);
  bool waits() const { return missing_ != 0; }
  /// What was proposed for a layer, in order; of the last decision.
  const std::vector<Swap>& swaps(int layer) const;

  // ---- from the registers of a column
  std::uint32_t asked() const { return asked_; }  ///< decisions so far
  std::uint32_t most_swaps() const { return static_cast<std::uint32_t>(config_.swaps_per_period); }
  std::uint32_t period_steps() const { return static_cast<std::uint32_t>(config_.swap_period_steps); }
  /// Tokens that a home was asked for since the last decision, of a layer's blocks.
  std::uint64_t occupancy(int column, std::uint32_t layer, int row) const;
  /// Those with homes in the column; none while nothing is to be decided.
  const std::vector<BlockLoad>& candidates(int column, std::uint32_t layer, bool hbm) const;
  std::uint32_t proposed(std::uint32_t layer) const;
  /// Two blocks of a layer exchange their homes, after what was proposed before. "" or why they do not.
  std::string propose(int column, std::uint32_t layer, std::uint32_t a, std::uint32_t b);
  /// The column has proposed all. "" or why that is refused.
  std::string decide(int column, Cycle now);
  bool waits_for(int column) const { return waits() && !decided_[static_cast<std::size_t>(column)]; }

 private:
  bool knows(std::uint32_t layer) const;
  NodeId home(int layer, int slot) const;
  std::string problem(int layer, int a, int b) const;

  PlacementConfig config_;
  const workload::DecodePlan& plan_;
  const memory::MemoryMap& map_;
  const SwapSample& sample_;
  std::uint32_t asked_ = 0;
  std::vector<bool> decided_;  ///< by column
  int missing_ = 0;            ///< columns
  Cycle last_ = 0;             ///< that a column decided
  std::map<int, std::vector<Swap>> swaps_;
  std::map<std::pair<int, int>, NodeId> moved_;  ///< (layer, slot): home as proposed
  mutable std::map<std::pair<int, bool>, std::vector<BlockLoad>> candidates_;  ///< (layer, HBM)
};

}  // namespace meshkv::takv
