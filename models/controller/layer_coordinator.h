// The wires between the columns' descriptor controllers: how far the slowest tile is (lock-step limit), and
// the barrier at the end of a layer. Plain C++.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "models/common/types.h"

namespace meshkv::controller {

class LayerCoordinator {
 public:
  struct Callbacks {
    std::function<void(Cycle)> progress;          ///< the slowest tile has advanced
    std::function<void(int, int, Cycle)> begin;   ///< (step, layer, cycle): all columns may begin the layer
    std::function<void(Cycle)> finished;          ///< the last layer of the last step is complete
    std::function<void(int, Cycle)> column_done;  ///< may be empty: (column, cycle), it is at the barrier
  };

  /// `layers`: those of a step, in order.
  LayerCoordinator(int columns, std::vector<int> layers, int steps, int barrier_cycles);
  void set_callbacks(Callbacks callbacks) { callbacks_ = std::move(callbacks); }

  /// Starts the first layer.
  void start(Cycle now);
  /// Work of the layer that begins: segments by tile.
  void set_work(const std::vector<std::uint32_t>& segments_by_tile);
  void tile_progress(NodeId tile, std::uint32_t done, Cycle now);
  /// Segments that the slowest tile that still has work has computed.
  std::uint32_t slowest() const { return slowest_; }
  /// All tiles and reduce roots of the column are done. Begins the next layer `barrier_cycles` after the last
  /// column.
  void column_done(int column, Cycle now);

  struct LayerTime {
    int step, layer;
    Cycle begin, end;  ///< end: the last column's arrival at the barrier
  };
  const std::vector<LayerTime>& layer_times() const { return times_; }
  bool finished() const { return finished_; }
  int layers_done() const { return static_cast<int>(times_.size()) - (finished_ || times_.empty() ? 0 : 1); }
  int layers_total() const { return static_cast<int>(layers_.size()) * steps_; }

 private:
  int columns_;
  std::vector<int> layers_;
  int steps_;
  Cycle barrier_cycles_;
  Callbacks callbacks_;
  int step_ = 0;
  std::size_t position_ = 0;
  std::vector<bool> arrived_;
  int missing_ = 0;
  std::vector<std::uint32_t> work_;
  std::vector<std::uint32_t> done_;
  std::vector<std::uint32_t> tiles_at_;  ///< unfinished tiles by segments done
  std::uint32_t slowest_ = 0;
  std::vector<LayerTime> times_;
  bool finished_ = false;
};

}  // namespace meshkv::controller
