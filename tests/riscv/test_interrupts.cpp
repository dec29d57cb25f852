#include <catch2/catch.hpp>

#include "tests/riscv/bench_hart.h"

using namespace meshkv;
using namespace meshkv::test;
using namespace meshkv::test::encode;
using riscv::Interrupt;
using riscv::StopReason;

namespace {

constexpr std::uint32_t kHandler = kRam + 0x200;
constexpr std::uint32_t kAll = 0x888;

/// `program` with a handler of nops, interrupts enabled as asked.
struct Bench : BenchHart {
  explicit Bench(const Program& p, std::uint32_t mie = kAll, std::uint32_t mtvec = kHandler) : BenchHart(p) {
    hart.write_csr(riscv::csr::kMtvec, mtvec);
    hart.write_csr(riscv::csr::kMie, mie);
    hart.write_csr(riscv::csr::kMstatus, riscv::kMstatusMie);
  }
};

Program nops() {
  Program p;
  for (int k = 0; k < 128; ++k) p << nop();
  for (int k = 0; k < 32; ++k) p << nop();
  p << mret();
  return p;
}

}  // namespace

TEST_CASE("External before software before timer, each only if enabled", "[riscv][interrupt]") {
  struct Case {
    std::uint32_t lines, mie, expected;
  };
  for (const Case& c :
       {Case{0x888, 0x888, 11}, Case{0x088, 0x888, 3}, Case{0x080, 0x888, 7}, Case{0x888, 0x088, 3},
        Case{0x888, 0x080, 7}, Case{0x808, 0x888, 11}, Case{0x880, 0x880, 11}}) {
    Bench bench(nops(), c.mie);
    for (const Interrupt line : {Interrupt::kSoftware, Interrupt::kTimer, Interrupt::kExternal})
      bench.hart.set_interrupt(line, (c.lines >> static_cast<unsigned>(line)) & 1U);
    bench.hart.run(1);
    REQUIRE(bench.csr(riscv::csr::kMcause) == (0x80000000U | c.expected));
    REQUIRE(bench.csr(riscv::csr::kMtval) == 0);
    REQUIRE(bench.csr(riscv::csr::kMepc) == kRam);
    REQUIRE(bench.csr(riscv::csr::kMip) == c.lines);
    REQUIRE(bench.hart.pc() == kHandler + 4);
  }
}

TEST_CASE("Disabled interrupts wait, by mie or by mstatus", "[riscv][interrupt]") {
  Bench masked(nops(), 0x008);
  masked.hart.set_interrupt(Interrupt::kTimer, true);
  masked.hart.run(50);
  REQUIRE(masked.hart.pc() == kRam + 200);
  Bench disabled(nops());
  disabled.hart.write_csr(riscv::csr::kMstatus, 0);
  disabled.hart.set_interrupt(Interrupt::kTimer, true);
  disabled.hart.run(50);
  REQUIRE(disabled.hart.pc() == kRam + 200);
  disabled.hart.set_interrupt(Interrupt::kTimer, false);  // and is gone when the line falls
  disabled.hart.write_csr(riscv::csr::kMstatus, riscv::kMstatusMie);
  disabled.hart.run(1);
  REQUIRE(disabled.hart.pc() == kRam + 204);
}

TEST_CASE("Vectored: interrupts to their slots, exceptions to the base", "[riscv][interrupt]") {
  for (const Interrupt line : {Interrupt::kSoftware, Interrupt::kTimer, Interrupt::kExternal}) {
    Bench bench(nops(), kAll, kHandler | 1);
    bench.hart.set_interrupt(line, true);
    bench.hart.run(1);
    REQUIRE(bench.hart.pc() == kHandler + 4 * static_cast<std::uint32_t>(line) + 4);
  }
  Program p;
  p << ecall();
  p.at(0x200) << nop();
  Bench bench(p, kAll, kHandler | 1);
  bench.hart.run(1);
  REQUIRE(bench.hart.pc() == kHandler);
}

TEST_CASE("mret restores one level of enable; nested handlers save theirs", "[riscv][interrupt]") {
  Program p = nops();
  Bench bench(p);
  bench.hart.set_interrupt(Interrupt::kTimer, true);
  bench.hart.run(5);
  REQUIRE(bench.csr(riscv::csr::kMstatus) == (riscv::kMstatusMpp | riscv::kMstatusMpie));
  // A higher one does not interrupt the handler until it enables interrupts itself.
  bench.hart.set_interrupt(Interrupt::kExternal, true);
  bench.hart.run(5);
  REQUIRE(bench.hart.pc() == kHandler + 40);
  bench.hart.write_csr(riscv::csr::kMstatus, riscv::kMstatusMpie | riscv::kMstatusMie);
  bench.hart.run(1);
  REQUIRE(bench.csr(riscv::csr::kMcause) == 0x8000000b);
  REQUIRE(bench.csr(riscv::csr::kMepc) == kHandler + 40);
  bench.hart.set_interrupt(Interrupt::kExternal, false);
  bench.hart.set_interrupt(Interrupt::kTimer, false);
  bench.hart.run(32);  // 31 nops and mret
  REQUIRE(bench.hart.pc() == kHandler + 40);
  REQUIRE(bench.csr(riscv::csr::kMstatus) == (riscv::kMstatusMpp | riscv::kMstatusMpie | riscv::kMstatusMie));
  bench.hart.write_csr(riscv::csr::kMepc, kRam + 12);
  bench.hart.run(23);  // the rest of the outer handler
  REQUIRE(bench.hart.pc() == kRam + 12);
}

TEST_CASE("An interrupt that is still pending at mret is taken before the next instruction",
          "[riscv][interrupt]") {
  for (const std::uint64_t quantum : {1, 2, 3, 7, 1000}) {
    Program p;
    p << nop() << addi(a0, a0, 1) << jal(zero, -4);
    p.at(0x200) << addi(a1, a1, 1) << mret();
    Bench bench(p);
    bench.hart.set_interrupt(Interrupt::kTimer, true);
    bench.run(100, quantum);
    REQUIRE(bench.hart.reg(a0) == 0);
    REQUIRE(bench.hart.reg(a1) == 50);
    REQUIRE(bench.hart.interrupts() == 50);
  }
}

TEST_CASE("Enabling by a CSR instruction takes effect before the next one, at every quantum",
          "[riscv][interrupt]") {
  for (const std::uint64_t quantum : {1, 2, 3, 7, 10, 1000}) {
    Program p;
    p << csrrwi(zero, 0x300, 0) << addi(a0, a0, 1) << addi(a0, a0, 1) << csrrwi(zero, 0x300, 8)
      << addi(a0, a0, 1);
    p.at(0x200) << wfi() << jal(zero, -4);
    Bench bench(p);
    bench.hart.run(1);
    bench.hart.set_interrupt(Interrupt::kSoftware, true);
    bench.run(4, quantum);
    REQUIRE(bench.hart.reg(a0) == 2);
    REQUIRE(bench.csr(riscv::csr::kMepc) == kRam + 16);
  }
}

TEST_CASE("An interrupt that a store raises is taken right behind it, at every quantum",
          "[riscv][interrupt]") {
  for (const std::uint64_t quantum : {1, 2, 3, 7, 10, 1000}) {
    Program p;
    p << nop() << sw(zero, a1, 0) << addi(a0, a0, 1) << addi(a0, a0, 1);
    p.at(0x200) << csrrs(a2, 0xb02, zero) << jal(zero, 0);
    Bench bench(p);
    bench.hart.set_reg(a1, kDevice);
    bench.bus.on_access = [&](const DeviceBus::Access&) {
      bench.hart.set_interrupt(Interrupt::kExternal, true);
    };
    bench.run(20, quantum);
    REQUIRE(bench.hart.reg(a0) == 0);
    REQUIRE(bench.csr(riscv::csr::kMepc) == kRam + 8);
    REQUIRE(bench.hart.reg(a2) == 2);
  }
}

TEST_CASE("At a quantum of one cycle an interrupt is taken at the exact instruction", "[riscv][interrupt]") {
  for (std::uint64_t at = 0; at < 40; ++at) {
    Program p;
    p << 0x0505U /* c.addi a0, 1 */ << addi(a0, a0, 1) << 0x0505U << jal(zero, -8);
    p.at(0x200) << jal(zero, 0);
    Bench bench(p);
    for (std::uint64_t cycle = 0; cycle < 60; ++cycle) {
      if (cycle == at) bench.hart.set_interrupt(Interrupt::kTimer, true);
      bench.hart.run(1);
    }
    const std::uint32_t offsets[] = {0, 2, 6, 8};
    REQUIRE(bench.csr(riscv::csr::kMepc) == kRam + offsets[at % 4]);
    REQUIRE(bench.hart.reg(a0) == 3 * (at / 4) + at % 4);
  }
}

TEST_CASE("WFI sleeps until an enabled interrupt is pending, whether it is taken or not",
          "[riscv][interrupt]") {
  Program p;
  p << addi(a0, zero, 1) << wfi() << addi(a0, zero, 2) << jal(zero, 0);
  p.at(0x200) << addi(a1, zero, 3) << jal(zero, 0);
  SECTION("taken: mepc is behind it") {
    Bench bench(p);
    riscv::RunResult r = bench.hart.run(100);
    REQUIRE(r.reason == StopReason::kWaiting);
    REQUIRE(r.cycles == 2);
    REQUIRE(r.instructions == 2);  // it retires when it begins to wait
    REQUIRE(bench.hart.waiting());
    r = bench.hart.run(100);
    REQUIRE(r.reason == StopReason::kWaiting);
    REQUIRE(r.cycles == 0);
    bench.hart.idle(40);
    bench.hart.set_interrupt(Interrupt::kExternal, true);
    REQUIRE_FALSE(bench.hart.waiting());
    bench.hart.run(1);
    REQUIRE(bench.csr(riscv::csr::kMepc) == kRam + 8);
    REQUIRE(bench.hart.reg(a1) == 3);
    REQUIRE(bench.hart.cycles() == 43);
    REQUIRE(bench.hart.instructions() == 3);
  }
  SECTION("interrupts disabled: it goes on") {
    Bench bench(p);
    bench.hart.write_csr(riscv::csr::kMstatus, 0);
    REQUIRE(bench.hart.run(100).reason == StopReason::kWaiting);
    bench.hart.set_interrupt(Interrupt::kSoftware, true);
    bench.hart.run(1);
    REQUIRE(bench.hart.reg(a0) == 2);
  }
  SECTION("an interrupt that mie masks does not wake it") {
    Bench bench(p, 0x008);
    REQUIRE(bench.hart.run(100).reason == StopReason::kWaiting);
    bench.hart.set_interrupt(Interrupt::kTimer, true);
    REQUIRE(bench.hart.run(100).reason == StopReason::kWaiting);
    bench.hart.set_interrupt(Interrupt::kSoftware, true);
    REQUIRE(bench.hart.run(100).reason == StopReason::kBudget);
  }
  SECTION("already pending: it does not sleep at all") {
    Bench bench(p);
    bench.hart.write_csr(riscv::csr::kMstatus, 0);
    bench.hart.set_interrupt(Interrupt::kTimer, true);
    const riscv::RunResult r = bench.hart.run(3);
    REQUIRE(r.reason == StopReason::kBudget);
    REQUIRE(bench.hart.reg(a0) == 2);
  }
}
