#pragma once

#include "models/controller/devices/column_fabric.h"
#include "models/controller/devices/device.h"

namespace meshkv::controller {

/// Block SWAPS: what a decision on occupancy swaps is made from, and what firmware decides.
class SwapRegisters : public Device {
 public:
  explicit SwapRegisters(ColumnFabric& fabric) : fabric_(fabric) {}
  bool write(std::uint32_t offset, std::uint32_t value, Cycle now) override;
  bool read(std::uint32_t offset, Cycle now, std::uint32_t& value) override;
  std::uint32_t peek(std::uint32_t offset, Cycle now) const override;
  /// All but loads, which grow with every request.
  bool constant(std::uint32_t offset) const override;

 private:
  const std::vector<takv::BlockLoad>& candidates() const;
  std::uint32_t peek_candidate(std::uint32_t offset) const;
  bool select(std::uint32_t offset, std::uint32_t value);

  ColumnFabric& fabric_;
  std::uint32_t layer_ = 0;
  std::uint32_t row_ = 0;
  std::uint32_t memory_ = 0;
  std::uint32_t index_ = 0;
  std::uint32_t segment_ = 0;
};

}  // namespace meshkv::controller
