// What debuggers, loaders and reports use of a hart.
#include <catch2/catch.hpp>

#include "tests/riscv/bench_hart.h"

using namespace meshkv;
using namespace meshkv::test;
using namespace meshkv::test::encode;
using riscv::StopReason;

namespace {

Program counting_loop() {
  Program p;
  p << addi(a0, a0, 1) << addi(a1, a1, 2) << 0x0605U /* c.addi a2, 1 */ << jal(zero, -10);
  return p;
}

}  // namespace

TEST_CASE("Breakpoints stop before the instruction, every time, at every quantum", "[riscv][debug]") {
  for (const std::uint64_t quantum : {1, 2, 3, 7, 10, 1000}) {
    for (const std::uint32_t offset : {0U, 4U, 8U, 10U}) {
      BenchHart bench(counting_loop());
      bench.run(9, quantum);  // decoded and in the middle of things
      bench.hart.add_breakpoint(kRam + offset);
      for (int hit = 0; hit < 3; ++hit) {
        REQUIRE(bench.run(100, quantum) == StopReason::kBreakpoint);
        REQUIRE(bench.hart.pc() == kRam + offset);
        REQUIRE(bench.hart.run(quantum).reason == StopReason::kBreakpoint);  // not passed: it stays
        const std::uint64_t before = bench.hart.instructions();
        bench.hart.pass_breakpoint();
        REQUIRE(bench.hart.run(1).instructions == 1);
        REQUIRE(bench.hart.pc() != kRam + offset);
        REQUIRE(bench.hart.instructions() == before + 1);
      }
      bench.hart.remove_breakpoint(kRam + offset);
      REQUIRE(bench.run(100, quantum) == StopReason::kBudget);
    }
  }
}

TEST_CASE("Breakpoints on loads, stores, CSR instructions and jumps are passed rightly", "[riscv][debug]") {
  Program p;
  p << lb(a0, a1, 0) << sh(a2, a1, 4) << csrrw(a3, 0x340, a2) << jalr(ra, a4, 0);
  BenchHart bench(p);
  bench.hart.set_reg(a1, kDevice);
  bench.hart.set_reg(a2, 0x12345678);
  bench.hart.set_reg(a4, kRam + 64);
  bench.bus.words[0] = 0x80;
  for (std::uint32_t k = 0; k < 4; ++k) bench.hart.add_breakpoint(kRam + 4 * k);
  for (std::uint32_t k = 0; k < 4; ++k) {
    REQUIRE(bench.hart.run(10).reason == StopReason::kBreakpoint);
    REQUIRE(bench.hart.pc() == kRam + 4 * k);
    bench.hart.pass_breakpoint();
    REQUIRE(bench.hart.run(1).instructions == 1);
  }
  REQUIRE(bench.hart.reg(a0) == 0xffffff80);
  REQUIRE(bench.bus.accesses.back().bytes == 2);
  REQUIRE(bench.bus.accesses.back().value == 0x5678);
  REQUIRE(bench.csr(0x340) == 0x12345678);
  REQUIRE(bench.hart.pc() == kRam + 64);
}

TEST_CASE("Watchpoints on RAM and on devices stop before the access", "[riscv][debug]") {
  Program p;
  p << lw(a0, a1, 0) << sw(a2, a1, 0) << lw(a0, a3, 4) << sw(a2, a3, 4) << sb(a2, a1, 7) << nop()
    << jal(zero, -24);
  struct Case {
    riscv::Watchpoint watch;
    std::vector<std::uint32_t> stops;  ///< offsets of pc
    std::uint32_t hit;
  };
  const std::uint32_t data = kRam + 0x100;
  for (const Case& c :
       {Case{{data, 4, false, true}, {4}, data}, Case{{data, 4, true, false}, {0}, data},
        Case{{data, 4, true, true}, {0, 4}, data}, Case{{data + 3, 1, false, true}, {4}, data + 3},
        Case{{data + 4, 4, false, true}, {16}, data + 7},
        Case{{kDevice + 4, 4, true, false}, {8}, kDevice + 4},
        Case{{kDevice + 4, 4, false, true}, {12}, kDevice + 4}, Case{{data + 8, 4, true, true}, {}, 0}}) {
    BenchHart bench(p);
    bench.hart.set_reg(a1, data);
    bench.hart.set_reg(a3, kDevice);
    bench.hart.run(7);
    bench.hart.add_watchpoint(c.watch);
    for (int round = 0; round < 2; ++round) {
      for (const std::uint32_t stop : c.stops) {
        REQUIRE(bench.run(100, 13) == StopReason::kWatchpoint);
        REQUIRE(bench.hart.pc() == kRam + stop);
        REQUIRE(bench.hart.watch_hit().address == c.hit);
        REQUIRE(bench.hart.watch_hit().watchpoint == c.watch);
        REQUIRE(bench.run(100, 13) == StopReason::kWatchpoint);  // not passed: it stays
        bench.hart.pass_breakpoint();
        REQUIRE(bench.hart.run(1).instructions == 1);
        REQUIRE(bench.hart.pc() == kRam + stop + 4);
      }
    }
    bench.hart.remove_watchpoint(c.watch);
    REQUIRE(bench.run(100, 13) == StopReason::kBudget);
  }
}

TEST_CASE("Code that was written is executed after fence.i, and after a loader says so", "[riscv][debug]") {
  Program p;
  p << jal(ra, 64) << sw(a1, a2, 0) << jal(ra, 56) << fence_i() << jal(ra, 48) << jal(zero, 0);
  p.at(64) << addi(a0, a0, 1) << jalr(zero, ra, 0);
  BenchHart bench(p);
  bench.hart.set_reg(a1, addi(a0, a0, 100));
  bench.hart.set_reg(a2, kRam + 64);
  bench.hart.run(4);
  REQUIRE(bench.hart.reg(a0) == 1);
  bench.hart.run(3);
  REQUIRE(bench.hart.reg(a0) == 2);  // the old one: nobody has asked for the new one yet
  bench.hart.run(4);
  REQUIRE(bench.hart.reg(a0) == 102);
  bench.ram[66] = 0x15;  // addi a0, a0, 1 again ...
  bench.ram[67] = 0x00;
  bench.hart.invalidate_code();
  bench.hart.set_pc(kRam + 64);
  bench.hart.run(1);
  REQUIRE(bench.hart.reg(a0) == 103);
}

TEST_CASE("ebreak stops for a debugger and traps without", "[riscv][debug]") {
  Program p;
  p << nop() << ebreak() << nop();
  BenchHart bench(p);
  bench.hart.stop_at_ebreak(true);
  const riscv::RunResult r = bench.hart.run(10);
  REQUIRE(r.reason == StopReason::kBreakpoint);
  REQUIRE(r.instructions == 1);
  REQUIRE(bench.hart.pc() == kRam + 4);
  bench.hart.stop_at_ebreak(false);
  bench.hart.write_csr(riscv::csr::kMtvec, kRam + 0x100);
  bench.hart.run(1);
  REQUIRE(bench.hart.pc() == kRam + 0x100);
}

TEST_CASE("A stop that a device asks for takes effect behind the store", "[riscv][debug]") {
  for (const std::uint64_t quantum : {1, 2, 3, 1000}) {
    Program p;
    p << nop() << sw(zero, a1, 0) << addi(a0, a0, 1) << jal(zero, -4);
    BenchHart bench(p);
    bench.hart.set_reg(a1, kDevice);
    bench.bus.on_access = [&](const DeviceBus::Access&) { bench.hart.request_stop(); };
    REQUIRE(bench.run(100, quantum) == StopReason::kRequested);
    REQUIRE(bench.hart.pc() == kRam + 8);
    REQUIRE(bench.hart.instructions() == 2);
    REQUIRE(bench.run(3, quantum) == StopReason::kBudget);
    REQUIRE(bench.hart.reg(a0) == 2);
  }
}

TEST_CASE("The trail names the last instructions, whichever loop executed them", "[riscv][debug]") {
  for (const std::uint64_t quantum : {1, 2, 3, 7, 10, 1000}) {
    BenchHart bench(counting_loop());
    bench.run(41, quantum);
    REQUIRE(bench.hart.trail(6) ==
            std::vector<std::uint32_t>{kRam + 10, kRam, kRam + 4, kRam + 8, kRam + 10, kRam});
  }
  // A trap in the middle of a block, and what comes behind it.
  Program p;
  p << nop() << lw(a0, zero, 0) << nop() << nop();
  p.at(0x100) << nop() << jal(zero, 0);
  BenchHart bench(p);
  bench.hart.write_csr(riscv::csr::kMtvec, kRam + 0x100);
  bench.hart.run(50);
  bench.hart.run(0);
  const std::vector<std::uint32_t> trail = bench.hart.last_fault().trail;
  REQUIRE(trail == std::vector<std::uint32_t>{kRam, kRam + 4});
}

TEST_CASE("Reset gives the registers of the beginning", "[riscv][debug]") {
  BenchHart bench(counting_loop());
  bench.hart.write_csr(riscv::csr::kMtvec, kRam + 0x100);
  bench.hart.run(10);
  bench.hart.reset();
  REQUIRE(bench.hart.pc() == kRam);
  REQUIRE(bench.hart.reg(a0) == 0);
  REQUIRE(bench.csr(riscv::csr::kMtvec) == 0);
  REQUIRE(bench.csr(riscv::csr::kMstatus) == riscv::kMstatusMpp);
}
