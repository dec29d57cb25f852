// What a column's registers reach of the chip: the tiles of the column and the work that the host has
// planned.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/types.h"
#include "models/controller/descriptor.h"
#include "models/takv/swap_decision.h"

namespace meshkv::controller {

struct ColumnIdentity {
  std::uint32_t column = 0;
  std::uint32_t columns = 1;
  std::uint32_t rows = 8;
  std::uint32_t clock_khz = 300000;
  std::uint32_t max_lead = 3;
  std::uint32_t timeout_cycles = 0;
};

struct ScheduledItem {
  std::uint32_t segment = 0;
  std::uint32_t tokens = 0;
};

struct ScheduledPrefetch {
  std::uint32_t sequence = 0;
  std::uint32_t segment = 0;
  std::uint32_t tokens = 0;
  std::uint32_t row = 0;
};

struct TileState {
  std::uint32_t layer = ~std::uint32_t{0};
  std::uint32_t accepted = 0;
  std::uint32_t segments_done = 0;
  std::uint32_t parts_missing = 0;
};

struct ColumnCounters {
  std::uint64_t descriptors = 0;
  std::uint64_t fetches = 0;
  std::uint64_t segments = 0;
  std::uint64_t lines = 0;
  std::uint64_t credit_stalls = 0;
  std::uint64_t parts = 0;
};

/// Rows, indices and positions that do not exist give zeros.
class ColumnFabric {
 public:
  virtual ~ColumnFabric() = default;
  virtual ColumnIdentity identity() const = 0;

  virtual std::uint32_t steps() const = 0;
  virtual std::uint32_t layers() const = 0;
  virtual std::uint32_t layer_number(std::uint32_t position) const = 0;
  virtual std::uint32_t layers_begun() const = 0;
  virtual std::uint32_t items(std::uint32_t row) const = 0;
  virtual ScheduledItem item(std::uint32_t row, std::uint32_t index) const = 0;
  virtual std::uint32_t parts(std::uint32_t row) const = 0;
  virtual std::uint32_t slowest() const = 0;
  virtual std::uint32_t prefetches() const = 0;
  virtual ScheduledPrefetch prefetch(std::uint32_t index) const = 0;
  /// "" or why the column is not done with its layer.
  virtual std::string complete(Cycle now) = 0;

  virtual TileState tile(std::uint32_t row) const = 0;
  /// False: refused by the tile, or the fabric has not begun that layer.
  virtual bool send(std::uint32_t row, const Descriptor& descriptor, Cycle now) = 0;
  /// False: there is no such block.
  virtual bool home(std::uint32_t layer, std::uint32_t segment, Coord& at) const = 0;
  virtual ColumnCounters counters() const = 0;

  /// Where the firmware decides on swaps; null: it has no say.
  virtual const takv::SwapDecision* swap_decision() const = 0;
  /// "" or why it is refused.
  virtual std::string propose_swap(std::uint32_t layer, std::uint32_t a, std::uint32_t b) = 0;
  virtual std::string decide_swaps(Cycle now) = 0;
};

}  // namespace meshkv::controller
