#include "models/controller/registers/register_documents.h"

#include <cstdio>

#include "models/controller/registers/register_map.h"

namespace meshkv::controller {
namespace {

std::string hex(std::uint32_t value, int digits) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%0*x", digits, value);
  return text;
}

/// 1, not 0x00000001, where the number is one to count with.
std::string number(std::uint32_t value) {
  return value < 1024 ? std::to_string(value) : hex(value, 8);
}

std::string define(const std::string& name, const std::string& value, const std::string& meaning) {
  return "/* " + meaning + " */\n#define " + name + " " + value + "\n";
}

std::string block_header(const BlockInfo& block) {
  const std::string name = upper_case(block.name);
  std::string text = "\n/* ---- " + name + ": " + block.meaning + " */\n";
  for (const RegisterInfo& r : block.registers) {
    const std::string address = hex(block.base + r.offset, 8) + "u";
    const std::string meaning = std::string(access_name(r.access)) + ": " + r.meaning;
    if (block.count == 1)
      text += define(register_name(block, r), address, meaning);
    else
      text += define(register_name(block, r) + "(n)",
                     "(" + address + " + " + hex(block.stride, 0) + "u * (n))", meaning);
  }
  return text;
}

}  // namespace

std::string register_c_header() {
  std::string text =
      "/* Made by `./vp registers --c-header` from models/controller/registers/registers.inc: do not edit. "
      "*/\n/* clang-format off */\n"
      "#ifndef MESHKV_REGISTERS_H\n#define MESHKV_REGISTERS_H\n";
  for (const BlockInfo& block : register_map()) text += block_header(block);
  text += "\n/* ---- Interrupt sources: bit numbers in INTERRUPTS_PENDING, _ENABLE, _CLEAR and _RAISE */\n";
  for (const NamedNumber& source : interrupt_sources())
    text += define("INTERRUPT_" + upper_case(source.name), number(source.value) + "u", source.meaning);
  text += "\n/* ---- Constants */\n";
  for (const NamedNumber& constant : register_constants())
    text += define(upper_case(constant.name), number(constant.value) + "u", constant.meaning);
  return text + "\n#endif\n";
}

std::string register_markdown() {
  std::string text =
      "# Registers of a column's controller\n\n"
      "Made by `./vp registers` from `models/controller/registers/registers.inc`; firmware includes the same "
      "as\n"
      "`firmware/include/meshkv_registers.h`. All registers are 32-bit words. A bus error (the hart's access "
      "fault,\n"
      "mcause 5 or 7) answers every access to another address, of another size, a write to what is "
      "read-only, a read\n"
      "of what is write-only, and what a register refuses; the crash report says which it was.\n";
  for (const BlockInfo& block : register_map()) {
    text += "\n## " + upper_case(block.name) + "\n\n" + block.meaning + "\n";
    if (block.count > 1)
      text += "Instance n of up to " + std::to_string(block.count) + " at address + n * " +
              hex(block.stride, 0) + ".\n";
    text += "\n| address | register | access | meaning |\n|---|---|---|---|\n";
    for (const RegisterInfo& r : block.registers)
      text += "| " + hex(block.base + r.offset, 8) + " | `" + register_name(block, r) + "` | " +
              access_name(r.access) + " | " + r.meaning + " |\n";
  }
  text += "\n## Interrupt sources\n\n| bit | source | raised when |\n|---|---|---|\n";
  for (const NamedNumber& source : interrupt_sources())
    text += "| " + number(source.value) + " | `INTERRUPT_" + upper_case(source.name) + "` | " +
            source.meaning + " |\n";
  text += "\n## Constants\n\n| name | value | meaning |\n|---|---|---|\n";
  for (const NamedNumber& constant : register_constants())
    text += "| `" + upper_case(constant.name) + "` | " + number(constant.value) + " | " + constant.meaning +
            " |\n";
  return text;
}

}  // namespace meshkv::controller
