#include "models/controller/layer_coordinator.h"

#include <algorithm>

namespace meshkv::controller {

LayerCoordinator::LayerCoordinator(int columns, std::vector<int> layers, int steps, int barrier_cycles)
    : columns_(columns),
      layers_(std::move(layers)),
      steps_(steps),
      barrier_cycles_(static_cast<Cycle>(barrier_cycles)),
      arrived_(static_cast<std::size_t>(columns), false),
      missing_(columns) {}

void LayerCoordinator::start(Cycle now) {
  times_.push_back({0, layers_.front(), now, now});
  callbacks_.begin(0, layers_.front(), now);
}

void LayerCoordinator::set_work(const std::vector<std::uint32_t>& segments_by_tile) {
  work_ = segments_by_tile;
  done_.assign(work_.size(), 0);
  const std::uint32_t most = work_.empty() ? 0 : *std::max_element(work_.begin(), work_.end());
  tiles_at_.assign(most + 1, 0);
  for (std::uint32_t w : work_) tiles_at_[0] += w != 0 ? 1 : 0;
  slowest_ = 0;
}

void LayerCoordinator::tile_progress(NodeId tile, std::uint32_t done, Cycle now) {
  --tiles_at_[done_[tile]];
  done_[tile] = done;
  if (done < work_[tile]) ++tiles_at_[done];
  const std::uint32_t before = slowest_;
  while (slowest_ + 1 < tiles_at_.size() && tiles_at_[slowest_] == 0) ++slowest_;
  if (slowest_ != before) callbacks_.progress(now);
}

void LayerCoordinator::column_done(int column, Cycle now) {
  if (arrived_[static_cast<std::size_t>(column)]) return;
  arrived_[static_cast<std::size_t>(column)] = true;
  times_.back().end = std::max(times_.back().end, now);
  if (callbacks_.column_done) callbacks_.column_done(column, now);
  if (--missing_ != 0) return;
  arrived_.assign(static_cast<std::size_t>(columns_), false);
  missing_ = columns_;
  if (++position_ == layers_.size()) {
    position_ = 0;
    ++step_;
  }
  if (step_ == steps_) {
    finished_ = true;
    callbacks_.finished(now);
    return;
  }
  const Cycle begin = now + barrier_cycles_;
  times_.push_back({step_, layers_[position_], begin, begin});
  callbacks_.begin(step_, layers_[position_], begin);
}

}  // namespace meshkv::controller
