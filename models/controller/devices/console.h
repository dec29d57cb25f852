#pragma once

#include <functional>
#include <string>

#include "models/controller/devices/device.h"

namespace meshkv::controller {

/// Characters become lines.
class Console : public Device {
 public:
  /// `line` gets each line without its end.
  explicit Console(std::function<void(const std::string&)> line) : line_(std::move(line)) {}
  /// What stands there without an end of line.
  void flush();

  bool write(std::uint32_t offset, std::uint32_t value, Cycle now) override;
  std::uint32_t peek(std::uint32_t, Cycle) const override { return 0; }

 private:
  std::function<void(const std::string&)> line_;
  std::string text_;
};

}  // namespace meshkv::controller
