// Decoding of RV32IMC, Zicsr and Zifencei (The RISC-V Instruction Set Manual, volumes I and II). Plain C++.
#pragma once

#include <cstdint>
#include <string>

namespace meshkv::riscv {

enum class Operation : std::uint8_t {
#define X(name, mnemonic, format) k##name,
#include "models/riscv/operations.inc"
#undef X
};

/// One instruction; a compressed one is given as the full one that it stands for.
struct Instruction {
  Operation operation = Operation::kIllegal;
  std::uint8_t rd = 0;
  std::uint8_t rs1 = 0;  ///< CSR instructions with an immediate: the immediate
  std::uint8_t rs2 = 0;
  std::int32_t immediate = 0;  ///< sign-extended; CSR instructions: the CSR's number; lui, auipc: shifted
  int length = 4;              ///< bytes, 2 or 4
};

/// Whether the halfword begins a 32-bit instruction.
constexpr bool is_full_length(std::uint32_t halfword) {
  return (halfword & 3U) == 3U;
}

/// Decodes the instruction that begins in the low bits; the high half of a compressed one is ignored. What is
/// not RV32IMC, Zicsr or Zifencei is kIllegal with the right length.
Instruction decode(std::uint32_t bits);

/// "addi sp, sp, -16". `pc` gives branches their targets.
std::string disassemble(const Instruction& instruction, std::uint32_t pc);

const char* register_name(unsigned number);  ///< ABI name: "zero", "ra", "sp", ...

}  // namespace meshkv::riscv
