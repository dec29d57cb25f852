// The same program, cut into budgets of any size, gives the same state, counters and bus accesses.
#include <catch2/catch.hpp>
#include <random>

#include "tests/riscv/bench_hart.h"

using namespace meshkv;
using namespace meshkv::test;
using namespace meshkv::test::encode;
using riscv::StopReason;

namespace {

struct End {
  std::array<std::uint32_t, 32> registers{};
  std::uint32_t pc = 0;
  std::uint64_t cycles = 0, instructions = 0, traps = 0;
  std::vector<std::uint8_t> ram;
  std::vector<std::uint64_t> access_cycles;
  bool operator==(const End& o) const {
    return registers == o.registers && pc == o.pc && cycles == o.cycles && instructions == o.instructions &&
           traps == o.traps && ram == o.ram && access_cycles == o.access_cycles;
  }
};

End end_of(BenchHart& bench) {
  End e;
  for (unsigned k = 0; k < 32; ++k) e.registers[k] = bench.hart.reg(k);
  e.pc = bench.hart.pc();
  e.cycles = bench.hart.cycles();
  e.instructions = bench.hart.instructions();
  e.traps = bench.hart.traps();
  e.ram = bench.ram;
  for (const auto& a : bench.bus.accesses) e.access_cycles.push_back(a.cycle);
  return e;
}

/// Instructions that may be anything, in a program that traps often: illegal ones, wild addresses, device
/// accesses. The handler steps over what trapped.
Program random_program(std::mt19937& random) {
  const auto pick = [&](std::uint32_t n) { return static_cast<Word>(random() % n); };
  const auto small = [&] { return static_cast<std::int32_t>(pick(4096)) - 2048; };
  const auto reg = [&] { return 8 + pick(8); };
  Program p;
  while (p.size() < 0x600) {
    switch (pick(16)) {
      case 0:
        p << addi(reg(), reg(), small());
        break;
      case 1:
        p << r_type(pick(2), pick(8), reg(), reg(), reg());
        break;
      case 2:
        p << lw(reg(), s2, small() & ~3);
        break;
      case 3:
        p << sw(reg(), s2, small() & ~3);
        break;
      case 4:
        p << b_type(std::array<Word, 6>{0, 1, 4, 5, 6, 7}[pick(6)], reg(), reg(),
                    static_cast<std::int32_t>(4 * pick(16)) + 4);
        break;
      case 5:
        p << lw(reg(), s3, static_cast<std::int32_t>(4 * pick(8)));
        break;  // half of them bus errors
      case 6:
        p << sb(reg(), s3, static_cast<std::int32_t>(pick(32)));
        break;
      case 7:
        p << Word{0x0505U + 0x80U * pick(4)};
        break;  // c.addi
      case 8:
        p << Word{0x8d0dU + 0x20U * pick(4)};
        break;  // c.sub, c.xor, c.or, c.and
      case 9:
        p << csrrs(reg(), pick(2) ? 0xb00 : 0xb02, zero);
        break;
      case 10:
        p << lh(reg(), s2, small());
        break;
      case 11:
        p << (pick(4) ? nop() : static_cast<Word>(random()) | 3U);
        break;
      case 12:
        p << jal(pick(2), static_cast<std::int32_t>(2 * pick(16)) + 4);
        break;
      case 13:
        p << (pick(3) ? r_type(1, 4 + pick(4), reg(), reg(), reg()) : ecall());
        break;
      case 14:
        p << (pick(4) ? lui(reg(), pick(1U << 20)) : fence_i());
        break;
      default:
        p << csrrw(reg(), 0x340, reg());
        break;
    }
  }
  p << jal(zero, -0x600);
  // mepc may point anywhere after a wild jump: steps over a halfword until something is legal.
  p.at(0x700) << csrrw(t0, 0x340, t0) << csrrs(t0, 0x341, zero) << addi(t0, t0, 2) << csrrw(zero, 0x341, t0)
              << csrrw(t0, 0x340, t0) << mret();
  return p;
}

End run_random(unsigned seed, std::uint64_t quantum, bool with_observer = false) {
  std::mt19937 random(seed);
  const Program p = random_program(random);
  BenchHart bench(p, {}, 16384);
  bench.bus.stall = seed % 5;
  bench.hart.write_csr(riscv::csr::kMtvec, kRam + 0x700);
  bench.hart.set_reg(s2, kRam + 0x2000);
  bench.hart.set_reg(s3, kDevice);
  struct Nobody : riscv::HartObserver {
    void instruction(const riscv::Hart&, std::uint64_t) override {}
    void trap(const riscv::Hart&, std::uint32_t, std::uint32_t) override {}
  } nobody;
  if (with_observer) bench.hart.set_observer(&nobody);
  // Budgets are met exactly unless the last access took longer: the same total for everybody is a cycle
  // that all of them stop at, so single steps up to the first one at or behind it.
  bench.run(20000, quantum);
  while (bench.hart.cycles() < 20010 && bench.hart.run(1).reason == StopReason::kBudget) {
  }
  return end_of(bench);
}

}  // namespace

TEST_CASE("Random programs end alike at every quantum", "[riscv][quantum]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const End expected = run_random(seed, 1);
    REQUIRE(expected.traps > 10);
    for (const std::uint64_t quantum : {2, 3, 7, 10, 100, 1000, 20000}) {
      INFO("seed " << seed << ", quantum " << quantum);
      REQUIRE(run_random(seed, quantum) == expected);
    }
    INFO("seed " << seed << ", observed");
    REQUIRE(run_random(seed, 1000, true) == expected);
  }
}

TEST_CASE("A straight line longer than a block, entered anywhere", "[riscv][quantum]") {
  Program p;
  for (int k = 0; k < 3000; ++k) p << (k % 3 == 0 ? addi(a0, a0, 1) : Word{0x0505U});
  p << jal(zero, 0);
  for (const std::uint64_t quantum : {1, 7, 253, 254, 255, 1000, 10000}) {
    BenchHart bench(p, {}, 16384);
    bench.run(3000, quantum);
    REQUIRE(bench.hart.reg(a0) == 3000);
    REQUIRE(bench.hart.instructions() == 3000);
    REQUIRE(bench.hart.cycles() == 3000);
    // Again, from places that are no starts of blocks, with what has been decoded.
    for (const std::uint32_t at : {8U, 800U, 808U, 16U, 0U}) {
      bench.hart.set_pc(kRam + at);
      const std::uint32_t before = bench.hart.reg(a0);
      bench.run(2000, quantum);
      REQUIRE(bench.hart.reg(a0) - before == 2000);
    }
  }
}

TEST_CASE("Stalls of the bus count in cycles, not in instructions, and end a budget", "[riscv][quantum]") {
  Program p;
  p << lw(a0, a1, 0) << addi(a2, a2, 1) << addi(a2, a2, 1) << jal(zero, -12);
  BenchHart bench(p);
  bench.hart.set_reg(a1, kDevice);
  bench.bus.stall = 10;
  const riscv::RunResult r = bench.hart.run(5);
  REQUIRE(r.cycles == 11);
  REQUIRE(r.instructions == 1);
  REQUIRE(bench.hart.pc() == kRam + 4);
  REQUIRE(bench.hart.run(2).instructions == 2);
  bench.hart.run(2);
  REQUIRE(bench.bus.accesses.back().cycle == 14);
}

TEST_CASE("An access that is put off is executed once, when run again", "[riscv][quantum]") {
  Program p;
  p << nop() << lw(a0, a1, 0) << sw(a1, a1, 4) << jal(zero, 0);
  for (const std::uint64_t quantum : {1, 2, 100}) {
    BenchHart bench(p);
    bench.hart.set_reg(a1, kDevice);
    bench.bus.words[0] = 42;
    bench.bus.later = 2;
    REQUIRE(bench.run(100, quantum) == StopReason::kBusLater);
    REQUIRE(bench.hart.pc() == kRam + 4);
    REQUIRE(bench.hart.cycles() == 1);
    REQUIRE(bench.run(100, quantum) == StopReason::kBusLater);
    REQUIRE(bench.hart.cycles() == 1);
    REQUIRE(bench.run(2, quantum) == StopReason::kBudget);
    REQUIRE(bench.hart.reg(a0) == 42);
    REQUIRE(bench.bus.accesses.size() == 2);
    REQUIRE(bench.hart.instructions() == 3);
    REQUIRE(bench.hart.trail() == std::vector<std::uint32_t>{kRam, kRam + 4, kRam + 8});
  }
}
