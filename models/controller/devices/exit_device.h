#pragma once

#include <functional>

#include "models/controller/devices/device.h"
#include "models/controller/registers/register_map.h"

namespace meshkv::controller {

/// The end of a program, by its own will or after an exception.
class ExitDevice : public Device {
 public:
  struct End {
    bool fault = false;
    std::uint32_t code = 0;  ///< exit code, or what was written to EXIT_FAULT
    Cycle at = 0;
  };
  explicit ExitDevice(std::function<void(const End&)> ended) : ended_(std::move(ended)) {}

  bool write(std::uint32_t offset, std::uint32_t value, Cycle now) override {
    ended_({offset == reg::kExitFault, value, now});
    return true;
  }
  std::uint32_t peek(std::uint32_t, Cycle) const override { return 0; }

 private:
  std::function<void(const End&)> ended_;
};

}  // namespace meshkv::controller
