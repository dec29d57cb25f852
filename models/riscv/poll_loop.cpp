#include "models/riscv/poll_loop.h"

#include "models/riscv/instruction.h"

namespace meshkv::riscv {
namespace {

/// Changes nothing but registers and pc. Loads may: those from the bus are told to PollLoop.
bool only_registers(Operation operation) {
  switch (operation) {
    case Operation::kSb:
    case Operation::kSh:
    case Operation::kSw:
    case Operation::kFenceI:
    case Operation::kEcall:
    case Operation::kEbreak:
    case Operation::kMret:
    case Operation::kWfi:
    case Operation::kCsrrw:
    case Operation::kCsrrs:
    case Operation::kCsrrc:
    case Operation::kCsrrwi:
    case Operation::kCsrrsi:
    case Operation::kCsrrci:
    case Operation::kIllegal:
      return false;
    default:
      return true;
  }
}

}  // namespace

bool PollLoop::same_state(const Hart& hart, std::uint32_t address) const {
  if (!known_ || hart.pc() != pc_ || address != address_ || hart.traps() != traps_) return false;
  for (unsigned k = 1; k < 32; ++k)
    if (hart.reg(k) != registers_[k]) return false;
  return true;
}

/// The last instructions, the oldest of which is the read itself.
bool PollLoop::only_changes_registers(const Hart& hart, std::uint64_t instructions) {
  const std::vector<std::uint32_t> trail = hart.trail(instructions);
  if (trail.size() != instructions || trail.front() != hart.pc()) return false;
  for (const std::uint32_t pc : trail) {
    std::uint32_t bits = 0;
    if (!hart.fetch(pc, bits) || !only_registers(decode(bits).operation)) return false;
  }
  return true;
}

bool PollLoop::harmless(const Hart& hart) {
  if (only_changes_registers(hart, instructions_)) return true;
  refused_pc_ = pc_;
  refused_ = instructions_;
  return false;
}

bool PollLoop::repeats(const Hart& hart, std::uint32_t address, std::uint64_t latency) {
  const bool same = same_state(hart, address);
  if (same && hart.cycles() == at_cycle_) return false;  // the same read, which was put off
  if (same) {
    cycles_ = hart.cycles() - at_cycle_;
    instructions_ = hart.instructions() - at_instruction_;
    const bool refused = refused_ == instructions_ && refused_pc_ == pc_;
    if (!refused && instructions_ <= kLongest && cycles_ == instructions_ + latency) return true;
  }
  known_ = true;
  pc_ = hart.pc();
  address_ = address;
  traps_ = hart.traps();
  at_cycle_ = hart.cycles();
  at_instruction_ = hart.instructions();
  for (unsigned k = 0; k < 32; ++k) registers_[k] = hart.reg(k);
  return false;
}

}  // namespace meshkv::riscv
