#include "models/controller/devices/interrupt_controller.h"

namespace meshkv::controller {
namespace {

std::uint32_t bit(Source source) {
  return 1U << static_cast<unsigned>(source);
}

std::uint32_t known_sources() {
  std::uint32_t mask = 0;
  for (const NamedNumber& source : interrupt_sources()) mask |= 1U << source.value;
  return mask;
}

}  // namespace

void InterruptController::raise(Source source, Cycle now) {
  about_to_change();
  pending_ |= bit(source);
  last_[static_cast<unsigned>(source)] = now;
  ++raised_[static_cast<unsigned>(source)];
  update();
}

void InterruptController::set_level(Source source, bool high, Cycle now) {
  const bool was = (levels_ & bit(source)) != 0;
  if (high && !was) {
    last_[static_cast<unsigned>(source)] = now;
    ++raised_[static_cast<unsigned>(source)];
  }
  if (high != was) about_to_change();
  levels_ = high ? levels_ | bit(source) : levels_ & ~bit(source);
  update();
}

void InterruptController::update() {
  const bool external = (active() & enabled_) != 0;
  if (external == external_) return;
  external_ = external;
  line_(riscv::Interrupt::kExternal, external);
}

bool InterruptController::read(std::uint32_t offset, Cycle now, std::uint32_t& value) {
  value = peek(offset, now);
  if (offset == reg::kInterruptsClaim && value != reg::kInterruptNone) {
    about_to_change();
    pending_ &= ~(1U << value);
    update();
  }
  return true;
}

bool InterruptController::constant(std::uint32_t offset) const {
  return offset != reg::kInterruptsClaim || (active() & enabled_) == 0;
}

std::uint32_t InterruptController::peek(std::uint32_t offset, Cycle) const {
  const std::uint32_t ready = active() & enabled_;
  switch (offset) {
    case reg::kInterruptsPending:
      return active();
    case reg::kInterruptsEnable:
      return enabled_;
    case reg::kInterruptsClaim:
      return ready == 0 ? reg::kInterruptNone : static_cast<std::uint32_t>(__builtin_ctz(ready));
    default:
      return software_ ? 1 : 0;
  }
}

bool InterruptController::write(std::uint32_t offset, std::uint32_t value, Cycle now) {
  if (offset != reg::kInterruptsSoftware && (value & ~known_sources()) != 0)
    return refuse("there are no such interrupt sources");
  switch (offset) {
    case reg::kInterruptsEnable:
      enabled_ = value;
      break;
    case reg::kInterruptsClear:
      pending_ &= ~value;
      break;
    case reg::kInterruptsRaise:
      for (const NamedNumber& source : interrupt_sources())
        if ((value >> source.value & 1U) != 0) raise(static_cast<Source>(source.value), now);
      break;
    default:
      software_ = (value & 1U) != 0;
      line_(riscv::Interrupt::kSoftware, software_);
      break;
  }
  update();
  return true;
}

std::string InterruptController::describe() const {
  std::string text;
  for (const NamedNumber& source : interrupt_sources()) {
    const std::uint32_t mask = 1U << source.value;
    if (raised_[source.value] == 0 && (active() & mask) == 0) continue;
    text += (text.empty() ? "" : "; ") + upper_case(source.name) + " raised " +
            std::to_string(raised_[source.value]) + " times, last in cycle " +
            std::to_string(last_[source.value]);
    if ((active() & mask) != 0) text += (enabled_ & mask) != 0 ? ", pending" : ", pending but not enabled";
  }
  return text.empty() ? "no interrupt was raised" : text;
}

}  // namespace meshkv::controller
