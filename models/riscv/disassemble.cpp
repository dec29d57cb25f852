#include <cstdio>

#include "models/riscv/instruction.h"

namespace meshkv::riscv {
namespace {

enum class Format { U, J, Jalr, B, Load, Store, I, R, None, Csr, CsrImmediate };
struct Description {
  const char* mnemonic;
  Format format;
};
constexpr Description kDescriptions[] = {
#define X(name, mnemonic, format) {mnemonic, Format::format},
#include "models/riscv/operations.inc"
#undef X
};

constexpr const char* kRegisters[32] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                        "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                        "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

}  // namespace

const char* register_name(unsigned number) {
  return number < 32 ? kRegisters[number] : "?";
}

std::string disassemble(const Instruction& i, std::uint32_t pc) {
  const Description& d = kDescriptions[static_cast<std::size_t>(i.operation)];
  const char* rd = register_name(i.rd);
  const char* rs1 = register_name(i.rs1);
  const char* rs2 = register_name(i.rs2);
  const auto immediate = static_cast<std::uint32_t>(i.immediate);
  char text[64];
  const auto print = [&text](const char* format, auto... values) {
    std::snprintf(text, sizeof text, format, values...);
  };
  switch (d.format) {
    case Format::U:
      print("%s %s, 0x%x", d.mnemonic, rd, immediate >> 12);
      break;
    case Format::J:
      print("%s %s, 0x%x", d.mnemonic, rd, pc + immediate);
      break;
    case Format::B:
      print("%s %s, %s, 0x%x", d.mnemonic, rs1, rs2, pc + immediate);
      break;
    case Format::Jalr:
    case Format::Load:
      print("%s %s, %d(%s)", d.mnemonic, rd, i.immediate, rs1);
      break;
    case Format::Store:
      print("%s %s, %d(%s)", d.mnemonic, rs2, i.immediate, rs1);
      break;
    case Format::I:
      print("%s %s, %s, %d", d.mnemonic, rd, rs1, i.immediate);
      break;
    case Format::R:
      print("%s %s, %s, %s", d.mnemonic, rd, rs1, rs2);
      break;
    case Format::Csr:
      print("%s %s, 0x%x, %s", d.mnemonic, rd, immediate, rs1);
      break;
    case Format::CsrImmediate:
      print("%s %s, 0x%x, %u", d.mnemonic, rd, immediate, unsigned{i.rs1});
      break;
    case Format::None:
      print("%s", d.mnemonic);
      break;
  }
  return text;
}

}  // namespace meshkv::riscv
