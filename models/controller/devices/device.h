// A block of registers. Plain C++: the bus has checked that the register exists and may be accessed so.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "models/common/types.h"

namespace meshkv::controller {

class Device {
 public:
  virtual ~Device() = default;
  /// `offset`: from the base of the block's first instance. False: refused, which is a bus error.
  virtual bool read(std::uint32_t offset, Cycle now, std::uint32_t& value) {
    value = peek(offset, now);
    return true;
  }
  virtual bool write(std::uint32_t offset, std::uint32_t value, Cycle now) = 0;
  /// What a read would give, without its effects.
  virtual std::uint32_t peek(std::uint32_t offset, Cycle now) const = 0;
  /// The register reads the same, and a read has no other effect, until the device is written to or says
  /// about_to_change().
  virtual bool constant(std::uint32_t offset) const {
    static_cast<void>(offset);
    return false;
  }
  /// To be called before a constant register changes otherwise than by a write.
  void about_to_change() {
    if (observer_) observer_();
  }
  /// Who wants to hear of about_to_change().
  void set_observer(std::function<void()> observer) { observer_ = std::move(observer); }
  /// Why the last access was refused.
  const std::string& refusal() const { return refusal_; }

 protected:
  bool refuse(std::string why) {
    refusal_ = std::move(why);
    return false;
  }

 private:
  std::string refusal_;
  std::function<void()> observer_;
};

}  // namespace meshkv::controller
