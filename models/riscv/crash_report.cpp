#include "models/riscv/crash_report.h"

#include <cstdio>

namespace meshkv::riscv {
namespace {

std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

/// What the fault's value and cause suggest; "" if nothing.
std::string hint(const Fault& fault, std::uint32_t sp) {
  const bool access = fault.cause == static_cast<std::uint32_t>(Cause::kLoadFault) ||
                      fault.cause == static_cast<std::uint32_t>(Cause::kStoreFault);
  constexpr std::uint32_t kNull = 0x1000;
  if (access && fault.value - sp + 2048 < 4096 && fault.value >= kNull)
    return "the address is near the stack pointer: the stack has left RAM";
  if (access && fault.value < kNull) return "an access through a null pointer";
  if (fault.cause == static_cast<std::uint32_t>(Cause::kFetchFault))
    return fault.value < kNull ? "a call through a null pointer" : "a jump to where there is no RAM";
  return {};
}

}  // namespace

std::string crash_report(const Hart& hart, const SymbolTable& symbols, const std::string& name) {
  const Fault& fault = hart.last_fault();
  Fault now;
  now.pc = hart.pc();
  for (unsigned k = 0; k < 32; ++k) now.registers[k] = hart.reg(k);
  now.trail = hart.trail();
  const Fault& shown = fault.valid ? fault : now;

  std::string text =
      name + ", hart " + std::to_string(hart.id()) + ", cycle " + std::to_string(hart.cycles()) + '\n';
  if (fault.valid) {
    text += "  cause    " + std::string(cause_name(fault.cause)) + ", mcause " + std::to_string(fault.cause) +
            ", mtval " + hex(fault.value) + '\n';
    const std::string why = hint(fault, fault.registers[2]);
    if (!why.empty()) text += "           " + why + '\n';
  }
  text += "  pc       " + address_text(shown.pc, symbols) + '\n';
  text += "  called   from " + address_text(shown.registers[1], symbols) + " (ra)\n";
  if (fault.valid && hart.pc() != fault.pc)
    text += "  stands   at " + address_text(hart.pc(), symbols) + '\n';
  for (unsigned k = 1; k < 32; ++k) {
    char cell[32];
    std::snprintf(cell, sizeof cell, "%-4s %08x", register_name(k), shown.registers[k]);
    text += (k % 4 == 1 ? "  " : "  ") + std::string(cell) + (k % 4 == 0 || k == 31 ? "\n" : "");
  }
  text += "  last instructions\n";
  for (const std::uint32_t pc : shown.trail) {
    std::uint32_t bits = 0;
    text += "    " + address_text(pc, symbols);
    if (hart.fetch(pc, bits)) text += "  " + disassemble(decode(bits), pc);
    text += '\n';
  }
  return text;
}

}  // namespace meshkv::riscv
