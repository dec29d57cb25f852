// A fabric whose figures say themselves where they come from.
#pragma once

#include <vector>

#include "models/controller/devices/column_fabric.h"

namespace meshkv::test {

struct FakeFabric : controller::ColumnFabric {
  struct Sent {
    std::uint32_t row;
    controller::Descriptor descriptor;
    Cycle at;
  };
  controller::ColumnIdentity id;
  bool accepts = true;
  std::uint32_t segments_done = 2;  // of the tile in row 0
  std::uint32_t window = 3;
  std::vector<Sent> sent;

  FakeFabric() {
    id.column = 1;
    id.columns = 2;
    id.rows = 4;
  }
  controller::ColumnIdentity identity() const override { return id; }
  std::uint32_t steps() const override { return 1; }
  std::uint32_t layers() const override { return 2; }
  std::uint32_t layer_number(std::uint32_t position) const override { return 10 + position; }
  std::uint32_t layers_begun() const override { return 1; }
  std::uint32_t items(std::uint32_t row) const override { return 10 * row; }
  controller::ScheduledItem item(std::uint32_t row, std::uint32_t index) const override {
    return {100 * row + index, 16};
  }
  std::uint32_t parts(std::uint32_t row) const override { return row; }
  std::uint32_t slowest() const override { return window; }
  std::uint32_t prefetches() const override { return 3; }
  controller::ScheduledPrefetch prefetch(std::uint32_t index) const override {
    return {index, 100 + index, 16, 1};
  }
  std::string complete(Cycle) override { return "tile 1 is busy"; }
  controller::TileState tile(std::uint32_t row) const override {
    return {row, 100 * row + 1, 100 * row + segments_done, 100 * row + 3};
  }
  bool send(std::uint32_t row, const controller::Descriptor& descriptor, Cycle now) override {
    sent.push_back({row, descriptor, now});
    return accepts;
  }
  bool home(std::uint32_t layer, std::uint32_t segment, Coord& at) const override {
    at = {static_cast<int>(layer), static_cast<int>(segment)};
    return layer < 32;
  }
  controller::ColumnCounters counters() const override { return {1, 2, 3, 4, 5, 6}; }
  const takv::SwapDecision* swap_decision() const override { return nullptr; }
  std::string propose_swap(std::uint32_t, std::uint32_t, std::uint32_t) override {
    return "the hardware decides";
  }
  std::string decide_swaps(Cycle) override { return "the hardware decides"; }
};

}  // namespace meshkv::test
