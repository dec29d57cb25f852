#pragma once

#include <array>
#include <functional>
#include <string>

#include "models/controller/devices/device.h"
#include "models/controller/registers/register_map.h"
#include "models/riscv/isa.h"

namespace meshkv::controller {

/// Gathers the column's interrupt sources into the hart's external interrupt. Edges, except for those set as
/// levels.
class InterruptController : public Device {
 public:
  using Line = std::function<void(riscv::Interrupt, bool)>;
  /// `line` hears of every change of the hart's external and software interrupts.
  explicit InterruptController(Line line) : line_(std::move(line)) {}

  void raise(Source source, Cycle now);
  /// The source is pending as long as the level is high.
  void set_level(Source source, bool high, Cycle now);

  bool write(std::uint32_t offset, std::uint32_t value, Cycle now) override;
  bool read(std::uint32_t offset, Cycle now, std::uint32_t& value) override;
  std::uint32_t peek(std::uint32_t offset, Cycle now) const override;
  bool constant(std::uint32_t offset) const override;

  /// "pending: ROOT (last raised in cycle 1200, not enabled)"; "nothing is pending; ..." otherwise.
  std::string describe() const;

 private:
  std::uint32_t active() const { return pending_ | levels_; }
  void update();

  Line line_;
  std::uint32_t pending_ = 0;
  std::uint32_t levels_ = 0;
  std::uint32_t enabled_ = 0;
  bool external_ = false;
  bool software_ = false;
  std::array<Cycle, 32> last_{};  ///< cycle of the last raise, by source
  std::array<std::uint64_t, 32> raised_{};
};

}  // namespace meshkv::controller
