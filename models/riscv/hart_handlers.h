// Numbers of the handlers in Hart::execute: one for every operation and some that only the decoder makes,
// each for 16-bit and for 32-bit instructions. Used by the hart's own sources only.
#pragma once

#include <cstdint>

namespace meshkv::riscv {

enum class Handler : std::uint8_t {
  kUndecoded,  // 0, so that cleared memory means it
#define X(name, mnemonic, format) k##name,
#include "models/riscv/operations.inc"
#undef X
  kConstant,   ///< lui, auipc, li
  kJump,       ///< jal that keeps no return address
  kAlignedLh,  ///< as Lh..., misaligned addresses trap
  kAlignedLw,
  kAlignedLhu,
  kAlignedSh,
  kAlignedSw,
  kFar,         ///< a direct branch to where there is no RAM
  kFetchFault,  ///< the instruction does not lie in RAM as a whole
  kBreakpoint,
  kAlone,  ///< end of a block that is longer than an entry can count: executed by the exact loop
};

/// Index into the table of labels.
constexpr unsigned handler_code(Handler handler, int length) {
  return 2U * static_cast<unsigned>(handler) + (length == 4 ? 1U : 0U);
}
constexpr Handler handler_of(unsigned code) {
  return static_cast<Handler>(code / 2U);
}
constexpr int length_of(unsigned code) {
  return code % 2U ? 4 : 2;
}
constexpr Handler handler_of(Operation operation) {
  return static_cast<Handler>(static_cast<unsigned>(operation) + 1U);
}

}  // namespace meshkv::riscv
