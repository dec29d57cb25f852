#include "models/riscv/hart.h"

#include <algorithm>
#include <cstring>

#include "models/riscv/hart_handlers.h"

namespace meshkv::riscv {

const char* cause_name(std::uint32_t mcause) {
  switch (mcause) {
    case 0:
      return "misaligned instruction address";
    case static_cast<std::uint32_t>(Cause::kFetchFault):
      return "instruction access fault";
    case static_cast<std::uint32_t>(Cause::kIllegalInstruction):
      return "illegal instruction";
    case static_cast<std::uint32_t>(Cause::kBreakpoint):
      return "breakpoint";
    case static_cast<std::uint32_t>(Cause::kMisalignedLoad):
      return "misaligned load";
    case static_cast<std::uint32_t>(Cause::kLoadFault):
      return "load access fault";
    case static_cast<std::uint32_t>(Cause::kMisalignedStore):
      return "misaligned store";
    case static_cast<std::uint32_t>(Cause::kStoreFault):
      return "store access fault";
    case static_cast<std::uint32_t>(Cause::kMachineCall):
      return "environment call";
    case kInterruptFlag + static_cast<std::uint32_t>(Interrupt::kSoftware):
      return "software interrupt";
    case kInterruptFlag + static_cast<std::uint32_t>(Interrupt::kTimer):
      return "timer interrupt";
    case kInterruptFlag + static_cast<std::uint32_t>(Interrupt::kExternal):
      return "external interrupt";
    default:
      return "unknown cause";
  }
}

const char* stop_reason_name(StopReason reason) {
  switch (reason) {
    case StopReason::kBudget:
      return "budget used up";
    case StopReason::kWaiting:
      return "waiting for an interrupt";
    case StopReason::kBusLater:
      return "bus access to come";
    case StopReason::kBreakpoint:
      return "breakpoint";
    case StopReason::kWatchpoint:
      return "watchpoint";
    case StopReason::kRequested:
      return "stop requested";
    default:
      return "locked up";
  }
}

Hart::Hart(const HartConfig& config, Bus& bus) : config_(config), bus_(bus) {
  set_ram(nullptr, 0, 0);
  reset();
}

void Hart::reset() {
  x_.fill(0);
  pc_ = config_.reset_pc & ~1U;
  mstatus_ = kMstatusMpp;
  mie_ = mtvec_ = mscratch_ = mepc_ = mcause_ = mtval_ = 0;
  waiting_ = lockup_ = watch_stop_ = pass_breakpoint_ = bus_later_ = false;
  repeats_ = 0;
  repeated_cause_ = ~0U;
  last_fault_ = Fault{};
  update_attention();
}

void Hart::update_attention() {
  attention_ = stop_requested_ || waiting_ || ((mstatus_ & kMstatusMie) != 0 && (pending_ & mie_) != 0);
}

void Hart::set_interrupt(Interrupt line, bool level) {
  const std::uint32_t bit = 1U << static_cast<unsigned>(line);
  pending_ = level ? pending_ | bit : pending_ & ~bit;
  update_attention();
}

void Hart::request_stop() {
  stop_requested_ = true;
  update_attention();
}

void Hart::idle(std::uint64_t cycles) {
  cycles_ += cycles;
  lost_cycles_ += cycles;
}

std::uint64_t Hart::take_stall() {
  const std::uint64_t cycles = stall_;
  stall_ = 0;
  cycles_ += cycles;
  lost_cycles_ += cycles;
  left_ -= static_cast<std::int64_t>(cycles);
  return cycles;
}

void Hart::set_pc(std::uint32_t pc) {
  pc_ = pc & ~1U;
  lockup_ = false;
  waiting_ = false;
  repeated_cause_ = ~0U;
  update_attention();
}

void Hart::set_reg(unsigned number, std::uint32_t value) {
  if (number > 0 && number < 32) x_[number] = value;
}

// Traps.

void Hart::take_interrupt() {
  const std::uint32_t ready = pending_ & mie_;
  if ((mstatus_ & kMstatusMie) == 0 || ready == 0) return;
  // External before software before timer (volume II, section on mip and mie).
  Interrupt line = Interrupt::kTimer;
  if (ready & (1U << static_cast<unsigned>(Interrupt::kSoftware))) line = Interrupt::kSoftware;
  if (ready & (1U << static_cast<unsigned>(Interrupt::kExternal))) line = Interrupt::kExternal;
  const auto code = static_cast<std::uint32_t>(line);
  ++interrupts_;
  const std::uint32_t base = mtvec_ & ~3U;
  enter_trap(kInterruptFlag | code, 0, (mtvec_ & 1U) ? base + 4 * code : base);
}

void Hart::enter_trap(std::uint32_t cause, std::uint32_t value, std::uint32_t target) {
  const std::uint32_t from = pc_;
  observed_ = false;
  mepc_ = pc_;
  mcause_ = cause;
  mtval_ = value;
  const std::uint32_t mpie = (mstatus_ & kMstatusMie) ? kMstatusMpie : 0;
  mstatus_ = (mstatus_ & ~(kMstatusMie | kMstatusMpie)) | mpie;
  pc_ = target;
  update_attention();
  if (observer_ != nullptr) observer_->trap(*this, cause, from);
}

void Hart::return_from_trap() {
  const std::uint32_t mie = (mstatus_ & kMstatusMpie) ? kMstatusMie : 0;
  mstatus_ = (mstatus_ & ~kMstatusMie) | mie | kMstatusMpie;
  pc_ = mepc_;
  repeated_cause_ = ~0U;
  update_attention();
}

void Hart::raise(std::uint32_t cause, std::uint32_t value) {
  // A handler whose own instruction traps can only do so again: at once if it is the first, else for ever
  // unless something from outside interferes, which a thousand times in a row are taken to exclude.
  constexpr unsigned kForEver = 1000;
  const std::uint32_t handler = mtvec_ & ~3U;
  repeats_ = pc_ == repeated_pc_ && cause == repeated_cause_ ? repeats_ + 1 : 0;
  repeated_pc_ = pc_;
  repeated_cause_ = cause;
  lockup_ = pc_ == handler || repeats_ >= kForEver;
  ++exceptions_;
  if (!lockup_ || !last_fault_.valid) note_fault(cause, value);
  if (!lockup_) enter_trap(cause, value, handler);
}

void Hart::note_fault(std::uint32_t cause, std::uint32_t value) {
  if (cause == static_cast<std::uint32_t>(Cause::kMachineCall)) return;
  if (repeats_ > 0 && last_fault_.valid) return;  // the first of a series is what matters
  last_fault_.valid = true;
  last_fault_.pc = pc_;
  last_fault_.cause = cause;
  last_fault_.value = value;
  std::copy_n(x_.begin(), 32, last_fault_.registers.begin());
  last_fault_.trail = trail();
}

// Accesses that are not plain ones to RAM.

namespace {

struct Access {
  unsigned bytes;
  bool is_signed;
};

Access access_of(Handler handler) {
  switch (handler) {
    case Handler::kLb:
      return {1, true};
    case Handler::kLbu:
    case Handler::kSb:
      return {1, false};
    case Handler::kLh:
    case Handler::kAlignedLh:
      return {2, true};
    case Handler::kLhu:
    case Handler::kAlignedLhu:
    case Handler::kSh:
    case Handler::kAlignedSh:
      return {2, false};
    default:
      return {4, false};
  }
}

}  // namespace

bool Hart::bus_done(BusStatus status, Cause fault, std::uint32_t address) {
  bus_later_ = status == BusStatus::kLater;
  if (status == BusStatus::kError) fail(fault, address);
  return status == BusStatus::kOk;
}

bool Hart::load(std::uint32_t address, unsigned code, std::uint32_t& value) {
  const Access access = access_of(handler_of(code));
  const bool misaligned = address % access.bytes != 0;
  const std::uint32_t offset = address - ram_base_;
  const bool in_ram = offset < ram_bytes_ && access.bytes <= ram_bytes_ - offset;
  if (misaligned && (!in_ram || config_.trap_misaligned)) return fail(Cause::kMisalignedLoad, address);
  if (watched(address, access.bytes, false)) return false;
  std::uint32_t raw = 0;
  if (in_ram) {
    std::memcpy(&raw, ram_ + offset, access.bytes);
  } else if (!bus_done(bus_.read(address, access.bytes, raw), Cause::kLoadFault, address)) {
    return false;
  }
  const unsigned shift = 32 - 8 * access.bytes;
  value = access.is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(raw << shift) >> shift)
                           : raw << shift >> shift;
  return true;
}

bool Hart::store(std::uint32_t address, unsigned code, std::uint32_t value) {
  const Access access = access_of(handler_of(code));
  const bool misaligned = address % access.bytes != 0;
  const std::uint32_t offset = address - ram_base_;
  const bool in_ram = offset < ram_bytes_ && access.bytes <= ram_bytes_ - offset;
  if (misaligned && (!in_ram || config_.trap_misaligned)) return fail(Cause::kMisalignedStore, address);
  if (watched(address, access.bytes, true)) return false;
  const unsigned shift = 32 - 8 * access.bytes;
  const std::uint32_t raw = value << shift >> shift;
  if (in_ram) {
    std::memcpy(ram_ + offset, &raw, access.bytes);
  } else if (!bus_done(bus_.write(address, access.bytes, raw), Cause::kStoreFault, address)) {
    return false;
  }
  return true;
}

void Hart::far_target() {
  std::uint32_t bits = 0;
  fetch(pc_, bits);
  const Instruction i = decode(bits);
  const std::uint32_t a = x_[i.rs1];
  const std::uint32_t b = x_[i.rs2];
  const auto sa = static_cast<std::int32_t>(a);
  const auto sb = static_cast<std::int32_t>(b);
  const std::uint32_t next = pc_ + static_cast<std::uint32_t>(i.length);
  bool taken = false;
  switch (i.operation) {
    case Operation::kBeq:
      taken = a == b;
      break;
    case Operation::kBne:
      taken = a != b;
      break;
    case Operation::kBlt:
      taken = sa < sb;
      break;
    case Operation::kBge:
      taken = sa >= sb;
      break;
    case Operation::kBltu:
      taken = a < b;
      break;
    case Operation::kBgeu:
      taken = a >= b;
      break;
    default:
      taken = true;
      set_reg(i.rd, next);
      break;
  }
  pc_ = taken ? pc_ + static_cast<std::uint32_t>(i.immediate) : next;
}

// Debugging.

void Hart::add_breakpoint(std::uint32_t pc) {
  breakpoints_.insert(pc);
  flush();
}

void Hart::remove_breakpoint(std::uint32_t pc) {
  breakpoints_.erase(pc);
  flush();
}

void Hart::add_watchpoint(const Watchpoint& watchpoint) {
  watchpoints_.push_back(watchpoint);
}

void Hart::remove_watchpoint(const Watchpoint& watchpoint) {
  const auto it = std::find(watchpoints_.begin(), watchpoints_.end(), watchpoint);
  if (it != watchpoints_.end()) watchpoints_.erase(it);
}

bool Hart::watched(std::uint32_t address, unsigned bytes, bool write) {
  if (pass_breakpoint_) return false;
  for (const Watchpoint& w : watchpoints_) {
    if (!(write ? w.writes : w.reads)) continue;
    // Differences wrap, so ranges at the top of the address space are right too.
    if (address - w.address >= w.bytes && w.address - address >= bytes) continue;
    watch_hit_ = {address - w.address < w.bytes ? address : w.address, w};
    watch_stop_ = true;
    return true;
  }
  return false;
}

}  // namespace meshkv::riscv
