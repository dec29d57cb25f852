// The blocks through which firmware sees the fabric.
#pragma once

#include <vector>

#include "models/controller/devices/column_fabric.h"
#include "models/controller/devices/device.h"
#include "models/controller/devices/interrupt_controller.h"

namespace meshkv::controller {

class Identity : public Device {
 public:
  explicit Identity(const ColumnFabric& fabric) : fabric_(fabric) {}
  bool write(std::uint32_t, std::uint32_t, Cycle) override { return refuse("read-only"); }
  std::uint32_t peek(std::uint32_t offset, Cycle now) const override;
  bool constant(std::uint32_t) const override { return true; }

 private:
  const ColumnFabric& fabric_;
};

class DescriptorQueue : public Device {
 public:
  DescriptorQueue(ColumnFabric& fabric, InterruptController& interrupts)
      : fabric_(fabric), interrupts_(interrupts) {}
  bool write(std::uint32_t offset, std::uint32_t value, Cycle now) override;
  std::uint32_t peek(std::uint32_t offset, Cycle now) const override;
  bool constant(std::uint32_t) const override { return true; }  // changes by writes only
  std::uint64_t refused() const { return refused_; }

 private:
  struct Kept {
    std::uint32_t row;
    Descriptor descriptor;
  };
  bool accept(Operation operation, std::uint32_t row, Cycle now);
  void send(const Kept& kept, Cycle now);
  void release(Cycle now);

  ColumnFabric& fabric_;
  InterruptController& interrupts_;
  Descriptor descriptor_;
  bool hold_ = false;
  std::vector<Kept> kept_;
  bool last_refused_ = false;
  std::uint32_t refused_ = 0;
};

class Schedule : public Device {
 public:
  explicit Schedule(ColumnFabric& fabric) : fabric_(fabric) {}
  bool write(std::uint32_t offset, std::uint32_t value, Cycle now) override;
  std::uint32_t peek(std::uint32_t offset, Cycle now) const override;
  bool constant(std::uint32_t) const override {
    return true;
  }  // the column says when a layer or the window moves

 private:
  std::uint32_t peek_lists(std::uint32_t offset) const;

  ColumnFabric& fabric_;
  std::uint32_t position_ = 0;
  std::uint32_t row_ = 0;
  std::uint32_t index_ = 0;
  std::uint32_t prefetch_ = 0;
};

class TileStatus : public Device {
 public:
  explicit TileStatus(const ColumnFabric& fabric) : fabric_(fabric) {}
  bool write(std::uint32_t, std::uint32_t, Cycle) override { return refuse("read-only"); }
  std::uint32_t peek(std::uint32_t offset, Cycle now) const override;
  bool constant(std::uint32_t) const override { return true; }  // the column says what its tiles do

 private:
  const ColumnFabric& fabric_;
};

class HomeResolver : public Device {
 public:
  explicit HomeResolver(const ColumnFabric& fabric) : fabric_(fabric) {}
  bool write(std::uint32_t offset, std::uint32_t value, Cycle now) override;
  bool read(std::uint32_t offset, Cycle now, std::uint32_t& value) override;
  std::uint32_t peek(std::uint32_t offset, Cycle now) const override;
  bool constant(std::uint32_t offset) const override { return reads(offset); }  // swaps give notice

 private:
  bool reads(std::uint32_t offset) const;

  const ColumnFabric& fabric_;
  std::uint32_t layer_ = 0;
  std::uint32_t segment_ = 0;
};

class PerformanceCounters : public Device {
 public:
  explicit PerformanceCounters(const ColumnFabric& fabric) : fabric_(fabric) {}
  bool write(std::uint32_t, std::uint32_t, Cycle) override { return refuse("read-only"); }
  std::uint32_t peek(std::uint32_t offset, Cycle now) const override;
  /// What counts descriptors and segments; the column says when there is one more.
  bool constant(std::uint32_t offset) const override;

 private:
  const ColumnFabric& fabric_;
};

}  // namespace meshkv::controller
