// Recognises a hart that reads the same register for ever, so that the rounds in which it cannot change need
// not be executed. Plain C++.
//
// A hart about to read a register in the very state in which it read it the last time (same pc, same
// registers), with nothing in between but instructions that neither store nor touch a CSR, will do the same
// again until the register changes or an interrupt comes: a round is `cycles` long and retires
// `instructions`.
#pragma once

#include <array>
#include <cstdint>

#include "models/riscv/hart.h"

namespace meshkv::riscv {

class PollLoop {
 public:
  static constexpr std::uint64_t kLongest = 24;  ///< instructions of a round

  /// To be told of every access to the bus but the reads that repeats() is asked about.
  void forget() { known_ = false; }
  /// The hart is about to read `address`, which takes `latency` cycles beyond the instruction's own. True if
  /// it was in this state at the last such read; what lies in between is for harmless() to say.
  bool repeats(const Hart& hart, std::uint32_t address, std::uint64_t latency);
  /// The round is made of instructions that change registers only. To be asked when the hart has stopped
  /// before the read that repeats(): it remembers then where it came from.
  bool harmless(const Hart& hart);

  // Of the last round, when repeats() said so.
  std::uint64_t cycles() const { return cycles_; }
  std::uint64_t instructions() const { return instructions_; }
  std::uint32_t address() const { return address_; }

 private:
  bool same_state(const Hart& hart, std::uint32_t address) const;
  static bool only_changes_registers(const Hart& hart, std::uint64_t instructions);

  bool known_ = false;
  std::uint32_t pc_ = 0, address_ = 0;
  std::array<std::uint32_t, 32> registers_{};
  std::uint64_t at_cycle_ = 0, at_instruction_ = 0, traps_ = 0;
  std::uint64_t cycles_ = 0, instructions_ = 0;
  std::uint32_t refused_pc_ = 0;  ///< the last round that was not harmless
  std::uint64_t refused_ = 0;     ///< its instructions; 0: none
};

}  // namespace meshkv::riscv
