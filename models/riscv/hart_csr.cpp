// Control and status registers.
#include "models/riscv/hart.h"
#include "models/riscv/hart_handlers.h"

namespace meshkv::riscv {
namespace {

constexpr std::uint32_t kInterruptMask = (1U << static_cast<unsigned>(Interrupt::kSoftware)) |
                                         (1U << static_cast<unsigned>(Interrupt::kTimer)) |
                                         (1U << static_cast<unsigned>(Interrupt::kExternal));
constexpr std::uint32_t kMisaValue =
    (1U << 30) | (1U << ('I' - 'A')) | (1U << ('M' - 'A')) | (1U << ('C' - 'A'));

bool between(std::uint32_t value, std::uint32_t from, std::uint32_t to) {
  return value >= from && value <= to;
}

/// Counters that always read 0: the architecture wants them there.
bool reads_zero(std::uint32_t number) {
  using namespace csr;
  return number == kMstatush || number == kMcountinhibit || between(number, kMhpmevent3, kMhpmevent31) ||
         between(number, kMhpmcounter3, kMhpmcounter31) ||
         between(number, kMhpmcounter3 + kHighHalf, kMhpmcounter31 + kHighHalf) ||
         between(number, kHpmcounter3, kHpmcounter31) ||
         between(number, kHpmcounter3 + kHighHalf, kHpmcounter31 + kHighHalf) ||
         between(number, kMvendorid, kMimpid) || number == kMconfigptr;
}

std::uint32_t low(std::uint64_t value) {
  return static_cast<std::uint32_t>(value);
}
std::uint32_t high(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32);
}

}  // namespace

bool Hart::read_csr(std::uint32_t number, std::uint32_t& value) const {
  using namespace csr;
  const std::uint64_t mcycle = cycles_ + mcycle_offset_;
  const std::uint64_t minstret = instructions() + minstret_offset_;
  switch (number) {
    case kMstatus:
      value = mstatus_;
      return true;
    case kMisa:
      value = kMisaValue;
      return true;
    case kMie:
      value = mie_;
      return true;
    case kMtvec:
      value = mtvec_;
      return true;
    case kMscratch:
      value = mscratch_;
      return true;
    case kMepc:
      value = mepc_;
      return true;
    case kMcause:
      value = mcause_;
      return true;
    case kMtval:
      value = mtval_;
      return true;
    case kMip:
      value = pending_;
      return true;
    case kMcycle:
    case kCycle:
      value = low(mcycle);
      return true;
    case kMcycle + kHighHalf:
    case kCycle + kHighHalf:
      value = high(mcycle);
      return true;
    case kMinstret:
    case kInstret:
      value = low(minstret);
      return true;
    case kMinstret + kHighHalf:
    case kInstret + kHighHalf:
      value = high(minstret);
      return true;
    case kTime:
      value = low(cycles_);
      return true;
    case kTime + kHighHalf:
      value = high(cycles_);
      return true;
    case kMhartid:
      value = config_.hart_id;
      return true;
    default:
      value = 0;
      return reads_zero(number);
  }
}

bool Hart::write_csr(std::uint32_t number, std::uint32_t value) {
  using namespace csr;
  std::uint32_t old = 0;
  if (!read_csr(number, old) || (number >> 10) == 3) return false;  // the two top bits: read-only
  // What is written to a counter is what the next instruction reads.
  const auto set_counter = [&](std::uint64_t& offset, std::uint64_t count, bool upper) {
    const std::uint64_t now = count + offset;
    const std::uint64_t wanted =
        upper ? (std::uint64_t{value} << 32) | low(now) : (now & 0xffffffff00000000U) | value;
    offset = wanted - (count + 1);
  };
  switch (number) {
    case kMstatus:
      mstatus_ = (value & (kMstatusMie | kMstatusMpie)) | kMstatusMpp;
      break;
    case kMie:
      mie_ = value & kInterruptMask;
      break;
    // A vectored table is as free in its alignment as a direct handler; bit 1 of the mode is reserved.
    case kMtvec:
      mtvec_ = value & ~2U;
      break;
    case kMscratch:
      mscratch_ = value;
      break;
    case kMepc:
      mepc_ = value & ~1U;
      break;
    case kMcause:
      mcause_ = value;
      break;
    case kMtval:
      mtval_ = value;
      break;
    case kMcycle:
      set_counter(mcycle_offset_, cycles_, false);
      break;
    case kMcycle + kHighHalf:
      set_counter(mcycle_offset_, cycles_, true);
      break;
    case kMinstret:
      set_counter(minstret_offset_, instructions(), false);
      break;
    case kMinstret + kHighHalf:
      set_counter(minstret_offset_, instructions(), true);
      break;
    default:
      break;  // misa, mip and the counters that read 0 take writes and keep their value
  }
  update_attention();
  return true;
}

bool Hart::execute_csr(const Entry& entry, unsigned code) {
  const Handler handler = handler_of(code);
  const auto number = static_cast<std::uint32_t>(entry.immediate);
  const bool with_register = handler >= Handler::kCsrrw && handler <= Handler::kCsrrc;
  const std::uint32_t operand = with_register ? x_[entry.rs1] : entry.rs1;
  const bool sets = handler == Handler::kCsrrs || handler == Handler::kCsrrsi;
  const bool clears = handler == Handler::kCsrrc || handler == Handler::kCsrrci;
  // Setting or clearing nothing, by x0 or a zero immediate, is no write and may be done to read-only ones.
  const bool writes = !(sets || clears) || entry.rs1 != 0;
  std::uint32_t old = 0;
  const auto illegal = [this] {
    std::uint32_t bits = 0;
    fetch(pc_, bits);
    return fail(Cause::kIllegalInstruction, bits);
  };
  if (!read_csr(number, old)) return illegal();
  const std::uint32_t value = sets ? old | operand : clears ? old & ~operand : operand;
  if (writes && !write_csr(number, value)) return illegal();
  x_[entry.rd] = old;
  return true;
}

}  // namespace meshkv::riscv
