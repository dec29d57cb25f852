// Machine code for tests: one function an instruction, registers by number, offsets in bytes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace meshkv::test::encode {

using Word = std::uint32_t;

enum : Word {
  zero = 0,
  ra = 1,
  sp = 2,
  t0 = 5,
  t1 = 6,
  t2 = 7,
  s0 = 8,
  s1 = 9,
  a0 = 10,
  a1 = 11,
  a2 = 12,
  a3 = 13,
  a4 = 14,
  a5 = 15,
  s2 = 18,
  s3 = 19,
  t3 = 28,
  t4 = 29
};

constexpr Word field(std::int32_t value, int high, int low) {
  return (static_cast<Word>(value) >> low) & ((2U << (high - low)) - 1U);
}
constexpr Word r_type(Word funct7, Word funct3, Word rd, Word rs1, Word rs2, Word opcode = 0x33) {
  return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr Word i_type(Word opcode, Word funct3, Word rd, Word rs1, std::int32_t immediate) {
  return field(immediate, 11, 0) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode;
}
constexpr Word s_type(Word funct3, Word rs2, Word rs1, std::int32_t immediate) {
  return field(immediate, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | field(immediate, 4, 0) << 7 |
         0x23;
}
constexpr Word b_type(Word funct3, Word rs1, Word rs2, std::int32_t offset) {
  return field(offset, 12, 12) << 31 | field(offset, 10, 5) << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 |
         field(offset, 4, 1) << 8 | field(offset, 11, 11) << 7 | 0x63;
}

constexpr Word lui(Word rd, Word upper20) {
  return upper20 << 12 | rd << 7 | 0x37;
}
constexpr Word auipc(Word rd, Word upper20) {
  return upper20 << 12 | rd << 7 | 0x17;
}
constexpr Word jal(Word rd, std::int32_t o) {
  return field(o, 20, 20) << 31 | field(o, 10, 1) << 21 | field(o, 11, 11) << 20 | field(o, 19, 12) << 12 |
         rd << 7 | 0x6f;
}
constexpr Word jalr(Word rd, Word rs1, std::int32_t o) {
  return i_type(0x67, 0, rd, rs1, o);
}
constexpr Word beq(Word a, Word b, std::int32_t o) {
  return b_type(0, a, b, o);
}
constexpr Word bne(Word a, Word b, std::int32_t o) {
  return b_type(1, a, b, o);
}
constexpr Word blt(Word a, Word b, std::int32_t o) {
  return b_type(4, a, b, o);
}
constexpr Word bge(Word a, Word b, std::int32_t o) {
  return b_type(5, a, b, o);
}
constexpr Word bltu(Word a, Word b, std::int32_t o) {
  return b_type(6, a, b, o);
}
constexpr Word bgeu(Word a, Word b, std::int32_t o) {
  return b_type(7, a, b, o);
}
constexpr Word lb(Word rd, Word rs1, std::int32_t o) {
  return i_type(0x03, 0, rd, rs1, o);
}
constexpr Word lh(Word rd, Word rs1, std::int32_t o) {
  return i_type(0x03, 1, rd, rs1, o);
}
constexpr Word lw(Word rd, Word rs1, std::int32_t o) {
  return i_type(0x03, 2, rd, rs1, o);
}
constexpr Word lbu(Word rd, Word rs1, std::int32_t o) {
  return i_type(0x03, 4, rd, rs1, o);
}
constexpr Word lhu(Word rd, Word rs1, std::int32_t o) {
  return i_type(0x03, 5, rd, rs1, o);
}
constexpr Word sb(Word rs2, Word rs1, std::int32_t o) {
  return s_type(0, rs2, rs1, o);
}
constexpr Word sh(Word rs2, Word rs1, std::int32_t o) {
  return s_type(1, rs2, rs1, o);
}
constexpr Word sw(Word rs2, Word rs1, std::int32_t o) {
  return s_type(2, rs2, rs1, o);
}
constexpr Word addi(Word rd, Word rs1, std::int32_t i) {
  return i_type(0x13, 0, rd, rs1, i);
}
constexpr Word slli(Word rd, Word rs1, std::int32_t i) {
  return i_type(0x13, 1, rd, rs1, i);
}
constexpr Word slti(Word rd, Word rs1, std::int32_t i) {
  return i_type(0x13, 2, rd, rs1, i);
}
constexpr Word sltiu(Word rd, Word rs1, std::int32_t i) {
  return i_type(0x13, 3, rd, rs1, i);
}
constexpr Word xori(Word rd, Word rs1, std::int32_t i) {
  return i_type(0x13, 4, rd, rs1, i);
}
constexpr Word srli(Word rd, Word rs1, std::int32_t i) {
  return i_type(0x13, 5, rd, rs1, i);
}
constexpr Word srai(Word rd, Word rs1, std::int32_t i) {
  return i_type(0x13, 5, rd, rs1, i | 0x400);
}
constexpr Word ori(Word rd, Word rs1, std::int32_t i) {
  return i_type(0x13, 6, rd, rs1, i);
}
constexpr Word andi(Word rd, Word rs1, std::int32_t i) {
  return i_type(0x13, 7, rd, rs1, i);
}
constexpr Word add(Word rd, Word a, Word b) {
  return r_type(0, 0, rd, a, b);
}
constexpr Word sub(Word rd, Word a, Word b) {
  return r_type(0x20, 0, rd, a, b);
}
constexpr Word mul(Word rd, Word a, Word b) {
  return r_type(1, 0, rd, a, b);
}
constexpr Word divu(Word rd, Word a, Word b) {
  return r_type(1, 5, rd, a, b);
}
constexpr Word li12(Word rd, std::int32_t i) {
  return addi(rd, zero, i);
}
constexpr Word csrrw(Word rd, Word csr, Word rs1) {
  return csr << 20 | rs1 << 15 | 1U << 12 | rd << 7 | 0x73;
}
constexpr Word csrrs(Word rd, Word csr, Word rs1) {
  return csr << 20 | rs1 << 15 | 2U << 12 | rd << 7 | 0x73;
}
constexpr Word csrrc(Word rd, Word csr, Word rs1) {
  return csr << 20 | rs1 << 15 | 3U << 12 | rd << 7 | 0x73;
}
constexpr Word csrrwi(Word rd, Word csr, Word i) {
  return csr << 20 | i << 15 | 5U << 12 | rd << 7 | 0x73;
}
constexpr Word csrrsi(Word rd, Word csr, Word i) {
  return csr << 20 | i << 15 | 6U << 12 | rd << 7 | 0x73;
}
constexpr Word csrrci(Word rd, Word csr, Word i) {
  return csr << 20 | i << 15 | 7U << 12 | rd << 7 | 0x73;
}
constexpr Word nop() {
  return addi(zero, zero, 0);
}
constexpr Word ecall() {
  return 0x00000073;
}
constexpr Word ebreak() {
  return 0x00100073;
}
constexpr Word mret() {
  return 0x30200073;
}
constexpr Word wfi() {
  return 0x10500073;
}
constexpr Word fence_i() {
  return 0x0000100f;
}
constexpr Word fence() {
  return 0x0ff0000f;
}

/// lui and addi that load any constant: always two instructions.
inline std::vector<Word> li(Word rd, Word value) {
  return {lui(rd, (value + 0x800U) >> 12), addi(rd, rd, static_cast<std::int32_t>(value << 20) >> 20)};
}

/// Instructions one after another; a Word whose two low bits are not 11 takes two bytes.
class Program {
 public:
  Program& operator<<(Word instruction) {
    const int bytes = (instruction & 3U) == 3U ? 4 : 2;
    for (int k = 0; k < bytes; ++k) bytes_.push_back(static_cast<std::uint8_t>(instruction >> (8 * k)));
    return *this;
  }
  Program& operator<<(const std::vector<Word>& instructions) {
    for (const Word i : instructions) *this << i;
    return *this;
  }
  /// Fills with zeros up to an offset.
  Program& at(std::size_t offset) {
    bytes_.resize(offset);
    return *this;
  }
  std::size_t size() const { return bytes_.size(); }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

}  // namespace meshkv::test::encode
