// Every instruction that harts execute, as text, one line each.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "models/riscv/hart_observer.h"
#include "models/riscv/instruction.h"
#include "models/riscv/symbol_table.h"

namespace meshkv::riscv {

/// Streams lines of one hart, so memory does not grow:
///   cycle  pc  symbol  instruction  result ("# a0=00000001")
/// After `most_lines` it says so and is silent.
class InstructionTrace : public HartObserver {
 public:
  InstructionTrace(std::ostream& out, const SymbolTable& symbols, std::string name, std::uint64_t most_lines);
  ~InstructionTrace() override;

  void instruction(const Hart& hart, std::uint64_t cycle) override;
  void trap(const Hart& hart, std::uint32_t cause, std::uint32_t from) override;

 private:
  void finish_line(const Hart& hart, bool retired);
  bool may_write();

  std::ostream& out_;
  const SymbolTable& symbols_;
  std::string name_;
  std::uint64_t lines_left_;
  std::string line_;      ///< of the instruction in progress, whose result is not known yet
  unsigned written_ = 0;  ///< its destination
  const Hart* hart_ = nullptr;
};

}  // namespace meshkv::riscv
