#include <catch2/catch.hpp>
#include <random>

#include "models/riscv/instruction.h"
#include "tests/riscv/bench_hart.h"

using namespace meshkv;
using namespace meshkv::test;
using namespace meshkv::test::encode;

namespace {

/// What one register-register instruction leaves in a0.
std::uint32_t result_of(Word instruction, std::uint32_t b, std::uint32_t c) {
  Program p;
  p << instruction;
  BenchHart bench(p);
  bench.hart.set_reg(a1, b);
  bench.hart.set_reg(a2, c);
  const riscv::RunResult r = bench.hart.run(1);
  REQUIRE(r.cycles == 1);
  REQUIRE(r.instructions == 1);
  REQUIRE(bench.hart.pc() == kRam + 4);
  return bench.hart.reg(a0);
}

struct Case {
  const char* name;
  Word instruction;
  std::function<std::uint32_t(std::uint32_t, std::uint32_t)> expected;
};

std::int32_t s(std::uint32_t v) {
  return static_cast<std::int32_t>(v);
}
std::uint32_t u(std::int64_t v) {
  return static_cast<std::uint32_t>(v);
}

}  // namespace

TEST_CASE("Register-register instructions on corner and random values", "[riscv][hart]") {
  const auto r = [](Word funct7, Word funct3) { return r_type(funct7, funct3, a0, a1, a2); };
  using W = std::uint32_t;
  const std::vector<Case> cases = {
      {"add", r(0, 0), [](W a, W b) { return a + b; }},
      {"sub", r(0x20, 0), [](W a, W b) { return a - b; }},
      {"sll", r(0, 1), [](W a, W b) { return a << (b % 32); }},
      {"slt", r(0, 2), [](W a, W b) { return W{s(a) < s(b)}; }},
      {"sltu", r(0, 3), [](W a, W b) { return W{a < b}; }},
      {"xor", r(0, 4), [](W a, W b) { return a ^ b; }},
      {"srl", r(0, 5), [](W a, W b) { return a >> (b % 32); }},
      {"sra", r(0x20, 5), [](W a, W b) { return u(s(a) >> (b % 32)); }},
      {"or", r(0, 6), [](W a, W b) { return a | b; }},
      {"and", r(0, 7), [](W a, W b) { return a & b; }},
      {"mul", r(1, 0), [](W a, W b) { return u(std::int64_t{s(a)} * s(b)); }},
      {"mulh", r(1, 1), [](W a, W b) { return u((std::int64_t{s(a)} * s(b)) >> 32); }},
      {"mulhsu", r(1, 2), [](W a, W b) { return u((std::int64_t{s(a)} * std::int64_t{b}) >> 32); }},
      {"mulhu", r(1, 3), [](W a, W b) { return W((std::uint64_t{a} * b) >> 32); }},
      {"div", r(1, 4), [](W a, W b) { return b == 0 ? ~0U : u(std::int64_t{s(a)} / s(b)); }},
      {"divu", r(1, 5), [](W a, W b) { return b == 0 ? ~0U : a / b; }},
      {"rem", r(1, 6), [](W a, W b) { return b == 0 ? a : u(std::int64_t{s(a)} % s(b)); }},
      {"remu", r(1, 7), [](W a, W b) { return b == 0 ? a : a % b; }},
  };
  std::vector<W> values = {0, 1, 2, 31, 32, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe};
  std::mt19937 random(7);
  for (int k = 0; k < 6; ++k) values.push_back(static_cast<W>(random()));
  for (const Case& c : cases) {
    for (const W a : values) {
      for (const W b : values) {
        INFO(c.name << " of " << a << " and " << b);
        REQUIRE(result_of(c.instruction, a, b) == c.expected(a, b));
      }
    }
  }
}

TEST_CASE("Immediate instructions", "[riscv][hart]") {
  for (const std::int32_t i : {-2048, -1, 0, 1, 17, 2047}) {
    for (const std::uint32_t v : {0U, 1U, 0x7fffffffU, 0x80000000U, 0xffffffffU, 0x12345678U}) {
      INFO("value " << v << ", immediate " << i);
      REQUIRE(result_of(addi(a0, a1, i), v, 0) == v + u(i));
      REQUIRE(result_of(slti(a0, a1, i), v, 0) == (s(v) < i ? 1 : 0));
      REQUIRE(result_of(sltiu(a0, a1, i), v, 0) == (v < u(i) ? 1 : 0));
      REQUIRE(result_of(xori(a0, a1, i), v, 0) == (v ^ u(i)));
      REQUIRE(result_of(ori(a0, a1, i), v, 0) == (v | u(i)));
      REQUIRE(result_of(andi(a0, a1, i), v, 0) == (v & u(i)));
    }
  }
  for (const std::int32_t shift : {0, 1, 15, 31}) {
    REQUIRE(result_of(slli(a0, a1, shift), 0x80000001, 0) == 0x80000001U << shift);
    REQUIRE(result_of(srli(a0, a1, shift), 0x80000001, 0) == 0x80000001U >> shift);
    REQUIRE(result_of(srai(a0, a1, shift), 0x80000001, 0) == u(s(0x80000001U) >> shift));
  }
  REQUIRE(result_of(lui(a0, 0xfffff), 0, 0) == 0xfffff000);
  REQUIRE(result_of(auipc(a0, 0x12345), 0, 0) == kRam + 0x12345000);
}

TEST_CASE("x0 stays zero whatever is written to it", "[riscv][hart]") {
  Program p;
  p << addi(zero, zero, 5) << lui(zero, 1) << lw(zero, a1, 0) << jal(zero, 4) << add(zero, a1, a1)
    << csrrs(zero, 0xf14, zero) << add(a0, zero, zero);
  BenchHart bench(p);
  bench.hart.set_reg(a1, kRam);
  bench.hart.set_reg(a0, 77);
  bench.hart.run(7);
  REQUIRE(bench.hart.reg(0) == 0);
  REQUIRE(bench.hart.reg(a0) == 0);
}

TEST_CASE("Branches are taken or not, forwards and backwards", "[riscv][hart]") {
  struct Branch {
    Word (*make)(Word, Word, std::int32_t);
    bool (*taken)(std::uint32_t, std::uint32_t);
  };
  using W = std::uint32_t;
  const Branch branches[] = {
      {beq, [](W a, W b) { return a == b; }},      {bne, [](W a, W b) { return a != b; }},
      {blt, [](W a, W b) { return s(a) < s(b); }}, {bge, [](W a, W b) { return s(a) >= s(b); }},
      {bltu, [](W a, W b) { return a < b; }},      {bgeu, [](W a, W b) { return a >= b; }}};
  const W values[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
  for (const Branch& branch : branches) {
    for (const std::int32_t offset : {8, -8, 1024, -1024, 4, 2046}) {
      for (const W a : values) {
        for (const W b : values) {
          Program p;
          p.at(1024) << branch.make(a1, a2, offset);
          riscv::HartConfig config;
          config.reset_pc = kRam + 1024;
          BenchHart bench(p, config);
          bench.hart.set_reg(a1, a);
          bench.hart.set_reg(a2, b);
          REQUIRE(bench.hart.run(1).instructions == 1);
          REQUIRE(bench.hart.pc() ==
                  (branch.taken(a, b) ? config.reset_pc + u(offset) : config.reset_pc + 4));
        }
      }
    }
  }
}

TEST_CASE("Jumps link, and jalr clears the lowest bit and reads before it writes", "[riscv][hart]") {
  Program p;
  p << jal(ra, 12) << nop() << nop() << jalr(a1, a1, 5);
  BenchHart bench(p);
  bench.hart.set_reg(a1, kRam + 0x100);
  bench.hart.run(1);
  REQUIRE(bench.hart.pc() == kRam + 12);
  REQUIRE(bench.hart.reg(ra) == kRam + 4);
  bench.hart.run(1);
  REQUIRE(bench.hart.pc() == kRam + 0x104);
  REQUIRE(bench.hart.reg(a1) == kRam + 16);
}

TEST_CASE("Loads extend, stores touch their bytes alone, RAM takes any alignment", "[riscv][hart]") {
  const auto loaded = [](Word instruction, std::uint32_t address) {
    Program p;
    p << instruction;
    BenchHart bench(p);
    for (unsigned k = 0; k < 8; ++k) bench.ram[64 + k] = static_cast<std::uint8_t>(0x80 + k);
    bench.hart.set_reg(a1, address);
    REQUIRE(bench.hart.run(1).instructions == 1);
    return bench.hart.reg(a0);
  };
  for (std::uint32_t k = 0; k < 4; ++k) {
    const std::uint32_t at = kRam + 64 + k;
    const std::uint32_t b = 0x80 + k;
    REQUIRE(loaded(lb(a0, a1, 0), at) == (0xffffff00U | b));
    REQUIRE(loaded(lbu(a0, a1, 0), at) == b);
    REQUIRE(loaded(lh(a0, a1, 0), at) == (0xffff0000U | (b + 1) << 8 | b));
    REQUIRE(loaded(lhu(a0, a1, 0), at) == ((b + 1) << 8 | b));
    REQUIRE(loaded(lw(a0, a1, -4), at + 4) == ((b + 3) << 24 | (b + 2) << 16 | (b + 1) << 8 | b));
  }
  for (std::uint32_t k = 0; k < 4; ++k) {
    Program p;
    p << sb(a0, a1, 16) << sh(a0, a1, 24) << sw(a0, a1, 32);
    BenchHart bench(p);
    bench.hart.set_reg(a0, 0x11223344);
    bench.hart.set_reg(a1, kRam + 128 + k);
    bench.hart.run(3);
    REQUIRE(bench.ram[128 + 16 + k - 1] == 0);
    REQUIRE(bench.ram[128 + 16 + k] == 0x44);
    REQUIRE(bench.ram[128 + 16 + k + 1] == 0);
    REQUIRE(
        (bench.ram[128 + 24 + k] == 0x44 && bench.ram[128 + 25 + k] == 0x33 && bench.ram[128 + 26 + k] == 0));
    REQUIRE(bench.word(kRam + 128 + 32 + k) == 0x11223344);
  }
}

TEST_CASE("Compressed instructions stand for the full ones", "[riscv][decode]") {
  // Bytes and texts as binutils 2.40 shows them with -M no-aliases, expanded.
  const std::vector<std::pair<std::uint32_t, std::string>> listing = {
      {0x0808, "addi a0, sp, 16"},      {0x1ffc, "addi a5, sp, 1020"},
      {0x41c8, "lw a0, 4(a1)"},         {0x5ffc, "lw a5, 124(a5)"},
      {0xc1c8, "sw a0, 4(a1)"},         {0x0001, "addi zero, zero, 0"},
      {0x157d, "addi a0, a0, -1"},      {0x2001, "jal ra, 0x1000"},
      {0x557d, "addi a0, zero, -1"},    {0x7139, "addi sp, sp, -64"},
      {0x617d, "addi sp, sp, 496"},     {0x657d, "lui a0, 0x1f"},
      {0x7501, "lui a0, 0xfffe0"},      {0x8105, "srli a0, a0, 1"},
      {0x8505, "srai a0, a0, 1"},       {0x9901, "andi a0, a0, -32"},
      {0x8d0d, "sub a0, a0, a1"},       {0x8d2d, "xor a0, a0, a1"},
      {0x8d4d, "or a0, a0, a1"},        {0x8d6d, "and a0, a0, a1"},
      {0xa001, "jal zero, 0x1000"},     {0xbffd, "jal zero, 0xffe"},
      {0xc101, "beq a0, zero, 0x1000"}, {0xfd7d, "bne a0, zero, 0xffe"},
      {0x0506, "slli a0, a0, 1"},       {0x4502, "lw a0, 0(sp)"},
      {0x557e, "lw a0, 252(sp)"},       {0x8082, "jalr zero, 0(ra)"},
      {0x852e, "add a0, zero, a1"},     {0x9502, "jalr ra, 0(a0)"},
      {0x952e, "add a0, a0, a1"},       {0xc02a, "sw a0, 0(sp)"},
      {0xdfaa, "sw a0, 252(sp)"},       {0x9002, "ebreak"}};
  for (const auto& [bits, text] : listing) {
    const riscv::Instruction i = riscv::decode(bits | 0xabcd0000U);
    INFO(std::hex << bits);
    REQUIRE(i.length == 2);
    REQUIRE(riscv::disassemble(i, 0x1000) == text);
  }
}

TEST_CASE("What is not RV32IMC is illegal and has its right length", "[riscv][decode]") {
  const auto illegal = [](std::uint32_t bits, int length) {
    const riscv::Instruction i = riscv::decode(bits);
    INFO(std::hex << bits);
    REQUIRE(i.operation == riscv::Operation::kIllegal);
    REQUIRE(i.length == length);
  };
  for (const std::uint32_t bits : {0x0000U, 0x2000U, 0x6000U, 0xa000U, 0xe000U,  // floating point, reserved
                                   0x9105U, 0x9505U, 0x9d0dU, 0x1506U,  // shifts by 32 and more, RV64
                                   0x6101U, 0x6501U, 0x4002U, 0x8002U})
    illegal(bits, 2);
  for (const std::uint32_t bits : {0xffffffffU, 0x02051513U, 0x0000100bU, 0x00003003U, 0x00003023U,
                                   0x00002063U, 0x30200173U, 0x10200073U, 0x00200073U, 0x00004073U,
                                   0x40001033U, 0x04000033U, 0x00001067U, 0x0000200fU, 0x12000073U})
    illegal(bits, 4);
}
