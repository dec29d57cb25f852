#include "models/riscv/instruction_trace.h"

#include <cstdio>

#include "models/riscv/hart.h"

namespace meshkv::riscv {

InstructionTrace::InstructionTrace(std::ostream& out, const SymbolTable& symbols, std::string name,
                                   std::uint64_t most_lines)
    : out_(out), symbols_(symbols), name_(std::move(name)), lines_left_(most_lines) {}

InstructionTrace::~InstructionTrace() {
  if (hart_ != nullptr) finish_line(*hart_, true);
}

bool InstructionTrace::may_write() {
  if (lines_left_ == 0) return false;
  if (--lines_left_ == 0) {
    out_ << name_ << " the trace ends here: its limit of lines is reached\n";
    return false;
  }
  return true;
}

void InstructionTrace::finish_line(const Hart& hart, bool retired) {
  if (line_.empty()) return;
  if (retired && written_ != 0) {
    char result[32];
    std::snprintf(result, sizeof result, "  # %s=%08x", register_name(written_), hart.reg(written_));
    line_ += result;
  }
  out_ << line_ << '\n';
  line_.clear();
}

void InstructionTrace::instruction(const Hart& hart, std::uint64_t cycle) {
  finish_line(hart, true);
  hart_ = &hart;
  std::uint32_t bits = 0;
  if (!hart.fetch(hart.pc(), bits) || !may_write()) return;
  const Instruction i = decode(bits);
  char head[64];
  std::snprintf(head, sizeof head, " %10llu %08x ", static_cast<unsigned long long>(cycle), hart.pc());
  const std::string symbol = symbols_.describe(hart.pc());
  line_ = name_ + head + symbol + std::string(symbol.size() < 24 ? 24 - symbol.size() : 0, ' ') + ' ' +
          disassemble(i, hart.pc());
  written_ = i.rd;
}

void InstructionTrace::trap(const Hart& hart, std::uint32_t cause, std::uint32_t from) {
  finish_line(hart, (cause & kInterruptFlag) != 0);
  if (!may_write()) return;
  out_ << name_ << " trap: " << cause_name(cause) << " at " << address_text(from, symbols_) << ", on to "
       << address_text(hart.pc(), symbols_) << '\n';
}

}  // namespace meshkv::riscv
