// A hart that polls a register which changes with notice: it sleeps, and lives the rounds afterwards.
#include <algorithm>
#include <cstring>

#include "models/riscv/hart_module.h"

namespace meshkv::riscv {

const HartModule::Constant* HartModule::constant_at(std::uint32_t address, unsigned bytes) const {
  for (const Constant& c : constants_)
    if (address == c.address && bytes == c.bytes) return &c;
  return nullptr;
}

void HartModule::ask_for_constant(std::uint32_t address, unsigned bytes) {
  tlm::tlm_dmi dmi;
  payload_.set_command(tlm::TLM_READ_COMMAND);
  payload_.set_address(address);
  if (!bus->get_direct_mem_ptr(payload_, dmi) || !dmi.is_read_allowed()) return;
  const std::uint64_t first = dmi.get_start_address(), last = dmi.get_end_address();
  if (address < first || std::uint64_t{address} + bytes - 1 > last) return;
  Constant c{address, bytes, 0, (dmi.get_read_latency().value() + period_ - 1) / period_};
  // A copy: rounds that are lived later see what was there then.
  std::memcpy(&c.value, dmi.get_dmi_ptr() + (address - first), bytes);
  constants_.push_back(c);
}

/// Reads before now see what was there until now.
void HartModule::invalidate_constant(sc_dt::uint64 first, sc_dt::uint64 last) {
  const auto hit = [&](const Constant& c) { return c.address <= last && c.address + (c.bytes - 1) >= first; };
  if (std::none_of(constants_.begin(), constants_.end(), hit)) return;
  if (polling_ && poll_.address() <= last && poll_.address() + 3 >= first) live_until(cycle_now());
  constants_.erase(std::remove_if(constants_.begin(), constants_.end(), hit), constants_.end());
  poll_.forget();
}

BusStatus HartModule::catch_up_read(std::uint32_t address, unsigned bytes, std::uint32_t& value) {
  const Constant* c = constant_at(address, bytes);
  if (c == nullptr) return BusStatus::kLater;
  value = c->value;
  hart_.stall(c->latency);
  ++accesses_;
  return BusStatus::kOk;
}

/// The read in progress repeats one that cannot have another result. Who steps through or watches the hart
/// wants to see each instruction.
bool HartModule::polls(std::uint32_t address, unsigned bytes) {
  const Constant* c = constant_at(address, bytes);
  poll_found_ = c != nullptr && debugger_ == nullptr && !step_ && !hart_.inspected() &&
                poll_.repeats(hart_, address, c->latency);
  return poll_found_;
}

/// False: the hart has to go on.
bool HartModule::fall_asleep_polling() {
  poll_found_ = false;
  if (!poll_.harmless(hart_)) return false;
  // Rounds that end before a limit; the rest is executed.
  std::uint64_t rounds =
      (instruction_limit_ - std::min(instruction_limit_, hart_.instructions())) / poll_.instructions();
  rounds = std::min(rounds, (cycle_limit_ - std::min(cycle_limit_, hart_.cycles())) / poll_.cycles());
  if (rounds == 0) {
    poll_.forget();
    return false;
  }
  polling_ = asleep_ = true;
  const std::uint64_t furthest = (sc_core::sc_max_time().value() / period_ - hart_.cycles()) / poll_.cycles();
  const bool limited = instruction_limit_ != ~std::uint64_t{0} || cycle_limit_ != kNever;
  if (limited && rounds < furthest)
    next_trigger(until(hart_.cycles() + rounds * poll_.cycles()), wake_event_);
  else
    next_trigger(wake_event_);
  return true;
}

/// Rounds whose read lies before `cycle`.
std::uint64_t HartModule::rounds_until(Cycle cycle) const {
  if (cycle <= hart_.cycles()) return 0;
  return (cycle - hart_.cycles() + poll_.cycles() - 1) / poll_.cycles();
}

void HartModule::skip_rounds(std::uint64_t rounds) {
  hart_.skip(rounds * poll_.cycles(), rounds * poll_.instructions());
  accesses_ += rounds;
  poll_.forget();
}

void HartModule::ram_written() {
  if (polling_) live_until(cycle_now());
  poll_.forget();
}

/// Something happens to the hart at `cycle`, before which it executes what it would have, though not less
/// than whole instructions.
void HartModule::live_until(Cycle cycle) {
  if (cycle > hart_.cycles()) {
    const std::uint64_t whole = (cycle - hart_.cycles()) / poll_.cycles();
    skip_rounds(whole);
    catching_up_ = true;
    hart_.run(cycle - hart_.cycles());
    catching_up_ = false;
  }
  polling_ = false;
  wake_event_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace meshkv::riscv
