// Harts that poll a register which changes with notice: they sleep, and nothing else is different.
#include <catch2/catch.hpp>

#include "tests/riscv/module_bench.h"

using namespace meshkv;
using namespace meshkv::test;
using namespace meshkv::test::encode;
using riscv::Interrupt;

namespace {

constexpr std::uint32_t kStart = 0x80000000;

/// Waits until the first word is not 0, then stores it, mcycle and minstret, and stays.
Program waiting_loop() {
  Program p;
  p << li(a1, kWords) << lw(a0, a1, 0) << addi(a2, a0, 0) << beq(a2, zero, -8);
  p << csrrs(t1, 0xb00, zero) << csrrs(t2, 0xb02, zero) << sw(a0, a1, 4) << sw(t1, a1, 8) << sw(t2, a1, 12)
    << jal(zero, 0);
  return p;
}

struct End {
  std::uint32_t value, cycle, instructions;
  std::uint64_t accesses, activations;
  bool operator==(const End& b) const {
    return value == b.value && cycle == b.cycle && instructions == b.instructions && accesses == b.accesses;
  }
};

End wait_for(ModuleBench& bench, std::size_t hart) {
  const WordDevice& d = bench.device(hart);
  const auto s = bench.module(hart).statistics();
  return {d.words[1], d.words[2], d.words[3], s.accesses, s.activations};
}

/// The first word changes in cycles that lie differently to the rounds of the loop; harts in pairs, the
/// second of which gets no notice.
void alike(std::uint64_t quantum, int extra_cycles) {
  constexpr std::size_t kPairs = 12;
  ModuleBench bench(quantum, 2 * kPairs);
  for (std::size_t k = 0; k < 2 * kPairs; ++k) {
    bench.device(k).constant = k % 2 == 0;
    bench.device(k).extra_cycles = extra_cycles;
    bench.module(k).load(image_of(waiting_loop()));
    const std::uint64_t change = 5000 + k / 2;
    bench.at(change, [&bench, k] { bench.device(k).change(0, 7 + static_cast<std::uint32_t>(k / 2)); });
    // On the way there it changes and changes back, unseen or seen.
    bench.at(3001 + k / 2, [&bench, k] { bench.device(k).change(1, 5); });
  }
  bench.run(5100);
  int same = 0;
  for (std::size_t k = 0; k < 2 * kPairs; k += 2) {
    const End with = wait_for(bench, k), without = wait_for(bench, k + 1);
    INFO("quantum " << quantum << ", " << extra_cycles << " extra cycles, change in cycle " << 5000 + k / 2);
    REQUIRE(with.value == 7 + k / 2);
    REQUIRE(without.value == with.value);
    REQUIRE(with.cycle > 5000 + k / 2);
    REQUIRE(with.cycle <= 5000 + k / 2 + 2 * (3U + static_cast<unsigned>(extra_cycles)) + 2);
    // A read in the very cycle of the change may come before it or behind it.
    const bool equal = with == without;
    if (!equal) REQUIRE(without.cycle == with.cycle + 3 + static_cast<unsigned>(extra_cycles));
    same += equal ? 1 : 0;
    REQUIRE(with.activations < 200);
    REQUIRE((quantum > 10 || without.activations > 800));
  }
  REQUIRE(same >= static_cast<int>(kPairs) - static_cast<int>(kPairs) / 3 - 1);
}

/// Polls with interrupts on; the handler stores mepc, minstret and mcycle, and stays.
Program interrupted_loop() {
  Program p;
  p << li(a1, kWords) << li(t0, kStart + 0x200) << csrrw(zero, 0x305, t0) << li(t0, 0x888)
    << csrrw(zero, 0x304, t0) << csrrwi(zero, 0x300, 8);
  p << lw(a0, a1, 0) << addi(a2, a0, 0) << addi(a3, a2, 1) << beq(a2, zero, -12);
  p.at(0x200) << csrrs(t1, 0xb02, zero) << csrrs(t2, 0xb00, zero) << csrrs(t0, 0x341, zero) << sw(t0, a1, 4)
              << sw(t1, a1, 8) << sw(t2, a1, 12) << jal(zero, 0);
  return p;
}

}  // namespace

TEST_CASE("A hart that polls with notice counts as one without: quantum 1", "[riscv][poll]") {
  alike(1, 0);
}
TEST_CASE("A hart that polls with notice counts as one without: quantum 7", "[riscv][poll]") {
  alike(7, 2);
}
TEST_CASE("A hart that polls with notice counts as one without: quantum 1000", "[riscv][poll]") {
  alike(1000, 2);
}
TEST_CASE("A hart that polls with notice counts as one without: slow register", "[riscv][poll]") {
  alike(100, 9);
}

TEST_CASE("An interrupt finds a sleeping poller at the instruction where it would be", "[riscv][poll]") {
  constexpr std::uint64_t kSetup = 9;  // instructions before the loop
  constexpr std::size_t kHarts = 10;
  ModuleBench bench(1000, kHarts);
  for (std::size_t k = 0; k < kHarts; ++k) {
    bench.device(k).constant = true;
    bench.device(k).extra_cycles = 2;
    bench.module(k).load(image_of(interrupted_loop()));
    bench.at(7000 + k, [&bench, k] { bench.module(k).set_interrupt(Interrupt::kTimer, true); });
  }
  bench.run(20000);
  for (std::size_t k = 0; k < kHarts; ++k) {
    INFO("interrupt in cycle " << 7000 + k);
    // A round is four instructions and six cycles, of which the read takes three.
    const std::uint64_t in_loop = 7000 + k - kSetup, phase = in_loop % 6;
    // The instruction in progress ends first.
    const std::uint64_t done = phase == 0 ? 0 : phase <= 3 ? 1 : phase - 2;
    const std::uint64_t cycle = kSetup + in_loop / 6 * 6 + (done == 0 ? 0 : done + 2);
    CHECK(bench.device(k).words[1] == kStart + 4 * (kSetup + done % 4));
    CHECK(bench.device(k).words[2] == kSetup + in_loop / 6 * 4 + done);
    CHECK(bench.device(k).words[3] == cycle + 1);
    CHECK(bench.module(k).statistics().activations < 40);
  }
}

TEST_CASE("A loop that also writes to RAM is executed", "[riscv][poll]") {
  ModuleBench bench(100);
  Program p;
  p << li(a1, kWords) << li(a4, kStart + 0x400) << lw(a0, a1, 0) << lw(a3, a4, 0) << addi(a3, a3, 1)
    << sw(a3, a4, 0) << addi(a3, zero, 0) << beq(a0, zero, -20) << lw(a3, a4, 0) << sw(a3, a1, 4)
    << jal(zero, 0);
  bench.device().constant = true;
  bench.module().load(image_of(p));
  bench.at(6000, [&] { bench.device().change(0, 1); });
  bench.run(7000);
  CHECK_FALSE(bench.module().polling());
  // Two instructions, then rounds of six.
  CHECK(bench.device().words[1] >= 5998 / 6);
  CHECK(bench.device().words[1] <= 5998 / 6 + 2);
}

TEST_CASE("Limits stop a sleeping poller where they would have stopped it", "[riscv][poll]") {
  ModuleBench bench(1000, 2);
  for (std::size_t k = 0; k < 2; ++k) {
    bench.device(k).constant = true;
    bench.module(k).load(image_of(waiting_loop()));
  }
  bench.module(0).limit_instructions(1'000'000);
  bench.module(1).limit_cycles(700'001);
  bench.run(2'000'000);
  CHECK(bench.module(0).stopped());
  CHECK(bench.module(0).statistics().instructions == 1'000'000);
  CHECK(bench.module(0).statistics().accesses == (1'000'000 - 1 + 2) / 3);
  CHECK(bench.module(1).stopped());
  CHECK(bench.module(1).statistics().cycles == 700'001);
  CHECK(bench.module(0).statistics().activations < 40);
}

TEST_CASE("A poller whose register never changes lets the kernel end and says what it polls",
          "[riscv][poll]") {
  ModuleBench bench(1000);
  bench.device().constant = true;
  bench.module().load(image_of(waiting_loop(), {{"wait_for_work", kStart, 16, 2}}));
  sc_core::sc_start();
  CHECK(bench.module().polling());
  CHECK_THAT(bench.module().describe(), Catch::Matchers::Contains("polls 0x10000000 since cycle ") &&
                                            Catch::Matchers::Contains("wait_for_work+0x8"));
}
