#pragma once

#include "models/controller/devices/column_fabric.h"

namespace meshkv::controller {

/// A chip of one column that has nothing to do: no layers, tiles that take no descriptors.
class IdleFabric : public ColumnFabric {
 public:
  explicit IdleFabric(const ColumnIdentity& identity) : identity_(identity) {}

  ColumnIdentity identity() const override { return identity_; }
  std::uint32_t steps() const override { return 0; }
  std::uint32_t layers() const override { return 0; }
  std::uint32_t layer_number(std::uint32_t) const override { return 0; }
  std::uint32_t layers_begun() const override { return 0; }
  std::uint32_t items(std::uint32_t) const override { return 0; }
  ScheduledItem item(std::uint32_t, std::uint32_t) const override { return {}; }
  std::uint32_t parts(std::uint32_t) const override { return 0; }
  std::uint32_t slowest() const override { return 0; }
  std::uint32_t prefetches() const override { return 0; }
  ScheduledPrefetch prefetch(std::uint32_t) const override { return {}; }
  std::string complete(Cycle) override { return "the fabric has not begun a layer"; }
  TileState tile(std::uint32_t) const override { return {}; }
  bool send(std::uint32_t, const Descriptor&, Cycle) override { return false; }
  bool home(std::uint32_t, std::uint32_t, Coord&) const override { return false; }
  ColumnCounters counters() const override { return {}; }
  const takv::SwapDecision* swap_decision() const override { return nullptr; }
  std::string propose_swap(std::uint32_t, std::uint32_t, std::uint32_t) override {
    return "the hardware decides";
  }
  std::string decide_swaps(Cycle) override { return "the hardware decides"; }

 private:
  ColumnIdentity identity_;
};

}  // namespace meshkv::controller
