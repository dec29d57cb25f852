#pragma once

#include <cstdint>

namespace meshkv::riscv {

class Hart;

/// Follows what a hart executes: traces and profiles. A hart with an observer runs several times slower.
class HartObserver {
 public:
  virtual ~HartObserver() = default;
  /// The instruction at hart.pc() is about to be executed; `cycle` is hart.cycles() at its beginning.
  virtual void instruction(const Hart& hart, std::uint64_t cycle) = 0;
  /// A trap has been taken: hart.pc() is the handler's first instruction.
  virtual void trap(const Hart& hart, std::uint32_t cause, std::uint32_t from) = 0;
};

}  // namespace meshkv::riscv
