#include <catch2/catch.hpp>

#include "tests/riscv/bench_hart.h"

using namespace meshkv;
using namespace meshkv::test;
using namespace meshkv::test::encode;
using riscv::StopReason;

namespace {

constexpr std::uint32_t kHandler = kRam + 0x200;

/// `instruction` at offset 8 behind two nops, a handler that does nothing at 0x200.
struct Trap {
  explicit Trap(Word instruction, riscv::HartConfig config = {}) : bench(program(instruction), config) {
    bench.hart.write_csr(riscv::csr::kMtvec, kHandler);
    bench.hart.write_csr(riscv::csr::kMstatus, riscv::kMstatusMie);
  }
  static Program program(Word instruction) {
    Program p;
    p << nop() << nop() << instruction << nop();
    p.at(0x200) << nop() << nop();
    return p;
  }
  void expect(std::uint32_t cause, std::uint32_t value) {
    const riscv::RunResult r = bench.hart.run(3);
    REQUIRE(r.reason == StopReason::kBudget);
    REQUIRE(r.cycles == 3);
    REQUIRE(r.instructions == 2);  // what traps does not retire
    REQUIRE(bench.hart.pc() == kHandler);
    REQUIRE(bench.csr(riscv::csr::kMcause) == cause);
    REQUIRE(bench.csr(riscv::csr::kMtval) == value);
    REQUIRE(bench.csr(riscv::csr::kMepc) == kRam + 8);
    REQUIRE(bench.csr(riscv::csr::kMstatus) == (riscv::kMstatusMpp | riscv::kMstatusMpie));
  }
  BenchHart bench;
};

}  // namespace

TEST_CASE("mtval of illegal instructions is the instruction", "[riscv][trap]") {
  Trap(0xffffffff).expect(2, 0xffffffff);
  Trap(0x02051513).expect(2, 0x02051513);  // slli by 32
  Trap(0x2000).expect(2, 0x2000);          // compressed: its halfword alone
  Trap(0).expect(2, 0);
  Trap(csrrw(a0, 0x7c0, a1)).expect(2, csrrw(a0, 0x7c0, a1));          // no such CSR
  Trap(csrrw(zero, 0xf14, zero)).expect(2, csrrw(zero, 0xf14, zero));  // read-only
  Trap(csrrsi(a0, 0xc00, 1)).expect(2, csrrsi(a0, 0xc00, 1));
  Trap(csrrs(a0, 0x180, zero)).expect(2, csrrs(a0, 0x180, zero));  // satp: no supervisor mode
}

TEST_CASE("mtval of environment calls and breakpoints", "[riscv][trap]") {
  Trap(ecall()).expect(11, 0);
  Trap(ebreak()).expect(3, kRam + 8);
  Trap(0x9002).expect(3, kRam + 8);  // c.ebreak
}

TEST_CASE("Bus errors trap with the address", "[riscv][trap]") {
  for (const std::int32_t offset : {0, 4, -4, 2044}) {
    Trap load(lw(a0, a1, offset));
    load.bench.hart.set_reg(a1, 0x20000000);
    load.bench.hart.set_reg(a0, 99);
    load.expect(5, 0x20000000U + static_cast<std::uint32_t>(offset));
    REQUIRE(load.bench.hart.reg(a0) == 99);
    Trap store(sw(a0, a1, offset));
    store.bench.hart.set_reg(a1, 0x20000000);
    store.expect(7, 0x20000000U + static_cast<std::uint32_t>(offset));
  }
  Trap null(lbu(a0, zero, 12));
  null.expect(5, 12);
  Trap behind(sb(a0, a1, 0));
  behind.bench.hart.set_reg(a1, kRam + 4096);
  behind.expect(7, kRam + 4096);
}

TEST_CASE("Misaligned accesses to devices trap before they reach the bus", "[riscv][trap]") {
  struct Case {
    Word instruction;
    std::uint32_t offset, cause;
  };
  for (const Case& c : {Case{lw(a0, a1, 0), 1, 4}, Case{lw(a0, a1, 0), 2, 4}, Case{lh(a0, a1, 0), 3, 4},
                        Case{lhu(a0, a1, 0), 1, 4}, Case{sw(a0, a1, 0), 2, 6}, Case{sh(a0, a1, 0), 1, 6}}) {
    Trap trap(c.instruction);
    trap.bench.hart.set_reg(a1, kDevice + c.offset);
    trap.expect(c.cause, kDevice + c.offset);
    REQUIRE(trap.bench.bus.accesses.empty());
  }
}

TEST_CASE("Misaligned accesses to RAM trap if the hart is told so", "[riscv][trap]") {
  riscv::HartConfig config;
  config.trap_misaligned = true;
  struct Case {
    Word instruction;
    std::uint32_t offset, cause;
  };
  for (const Case& c : {Case{lw(a0, a1, 0), 1, 4}, Case{lw(a0, a1, 0), 2, 4}, Case{lh(a0, a1, 0), 3, 4},
                        Case{lhu(a0, a1, 0), 1, 4}, Case{sw(a0, a1, 0), 2, 6}, Case{sh(a0, a1, 0), 1, 6}}) {
    Trap trap(c.instruction, config);
    trap.bench.hart.set_reg(a1, kRam + 0x100 + c.offset);
    trap.bench.hart.set_reg(a0, 0xffffffff);
    trap.expect(c.cause, kRam + 0x100 + c.offset);
    REQUIRE(trap.bench.word(kRam + 0x100) == 0);
    REQUIRE(trap.bench.hart.reg(a0) == 0xffffffff);
  }
  Program p;
  p << lw(a0, a1, 0) << lh(a0, a1, 2) << sh(a2, a1, 2) << lbu(a0, a1, 3);
  BenchHart aligned(p, config);
  aligned.hart.set_reg(a1, kRam + 0x100);
  REQUIRE(aligned.hart.run(4).instructions == 4);
}

TEST_CASE("An access at the edge of RAM", "[riscv][trap]") {
  Trap inside(lw(a0, a1, 0));
  inside.bench.hart.set_reg(a1, kRam + 4092);
  REQUIRE(inside.bench.hart.run(3).instructions == 3);
  // Half in RAM: neither RAM nor a device holds all of it, and misaligned it is.
  Trap across(lw(a0, a1, 0));
  across.bench.hart.set_reg(a1, kRam + 4094);
  across.expect(4, kRam + 4094);
}

TEST_CASE("Fetching outside RAM", "[riscv][trap]") {
  SECTION("a jump by register") {
    Program p;
    p << jalr(ra, a1, 0);
    p.at(0x200) << nop();
    BenchHart bench(p);
    bench.hart.write_csr(riscv::csr::kMtvec, kHandler);
    bench.hart.set_reg(a1, 0x100);
    const riscv::RunResult r = bench.hart.run(2);
    REQUIRE(r.instructions == 1);
    REQUIRE(bench.hart.reg(ra) == kRam + 4);
    REQUIRE(bench.csr(riscv::csr::kMcause) == 1);
    REQUIRE(bench.csr(riscv::csr::kMepc) == 0x100);
    REQUIRE(bench.csr(riscv::csr::kMtval) == 0x100);
    REQUIRE(bench.hart.pc() == kHandler);
  }
  SECTION("direct jumps and branches") {
    for (const Word instruction : {jal(ra, -4096), beq(zero, zero, -8), 0xbfe5U /* c.j -8 */}) {
      Program p;
      p << instruction;
      p.at(0x200) << nop();
      BenchHart bench(p);
      bench.hart.write_csr(riscv::csr::kMtvec, kHandler);
      REQUIRE(bench.hart.run(1).instructions == 1);
      const std::uint32_t target = instruction == jal(ra, -4096) ? kRam - 4096 : kRam - 8;
      REQUIRE(bench.hart.pc() == target);
      REQUIRE(bench.hart.run(1).instructions == 0);
      REQUIRE(bench.csr(riscv::csr::kMtval) == target);
    }
    Program p;
    p << bne(zero, zero, -8) << blt(zero, zero, -8) << bgeu(a1, zero, -8);
    BenchHart bench(p);
    REQUIRE(bench.hart.run(2).instructions == 2);
    REQUIRE(bench.hart.pc() == kRam + 8);
    bench.hart.run(1);
    REQUIRE(bench.hart.pc() == kRam);
  }
  SECTION("running off the end of RAM") {
    Program p;
    p.at(4088) << nop() << nop();
    riscv::HartConfig config;
    config.reset_pc = kRam + 4088;
    BenchHart bench(p, config);
    bench.hart.write_csr(riscv::csr::kMtvec, kHandler);
    REQUIRE(bench.hart.run(3).instructions == 2);
    REQUIRE(bench.csr(riscv::csr::kMepc) == kRam + 4096);
    REQUIRE(bench.csr(riscv::csr::kMtval) == kRam + 4096);
  }
  SECTION("the second half of an instruction lies outside") {
    Program p;
    p.at(4094) << 0x00000093U;
    riscv::HartConfig config;
    config.reset_pc = kRam + 4094;
    encode::Program cut;
    BenchHart bench(cut, config);
    bench.ram[4094] = 0x93;
    bench.hart.write_csr(riscv::csr::kMtvec, kHandler);
    REQUIRE(bench.hart.run(1).instructions == 0);
    REQUIRE(bench.csr(riscv::csr::kMepc) == kRam + 4094);
    REQUIRE(bench.csr(riscv::csr::kMtval) == kRam + 4096);  // the part that could not be fetched
  }
}

TEST_CASE("A handler that can only trap again is a lockup that names the first fault", "[riscv][trap]") {
  SECTION("no handler at all") {
    Program p;
    p << li12(a1, 12) << lw(a0, a1, 0);
    BenchHart bench(p);
    const riscv::RunResult r = bench.hart.run(1000);
    REQUIRE(r.reason == StopReason::kLockup);
    const riscv::Fault& fault = bench.hart.last_fault();
    REQUIRE(fault.valid);
    REQUIRE(fault.pc == kRam + 4);
    REQUIRE(fault.cause == 5);
    REQUIRE(fault.value == 12);
    REQUIRE(fault.registers[a1] == 12);
    REQUIRE(fault.trail == std::vector<std::uint32_t>{kRam, kRam + 4});
    REQUIRE(bench.hart.run(1000).reason == StopReason::kLockup);  // and it stays so
  }
  SECTION("a handler that needs a stack that is not there") {
    Program p;
    p << sw(ra, sp, 0);
    p.at(0x200) << addi(sp, sp, -16) << sw(ra, sp, 0) << mret();
    BenchHart bench(p);
    bench.hart.write_csr(riscv::csr::kMtvec, kHandler);
    bench.hart.set_reg(sp, 0x70000000);
    REQUIRE(bench.run(100000, 1000) == StopReason::kLockup);
    REQUIRE(bench.hart.last_fault().pc == kRam + 0x204);
  }
  SECTION("a handler that returns is none, however often") {
    Program p;
    p << lw(a0, zero, 0) << jal(zero, -4);
    p.at(0x200) << csrrs(t0, 0x341, zero) << addi(t0, t0, 4) << csrrw(zero, 0x341, t0) << mret();
    BenchHart bench(p);
    bench.hart.write_csr(riscv::csr::kMtvec, kHandler);
    REQUIRE(bench.run(100000, 1000) == StopReason::kBudget);
  }
}

TEST_CASE("CSRs: what each keeps of what is written", "[riscv][csr]") {
  BenchHart bench;
  const auto written = [&](std::uint32_t number, std::uint32_t value) {
    REQUIRE(bench.hart.write_csr(number, value));
    return bench.csr(number);
  };
  using namespace riscv::csr;
  REQUIRE(written(kMstatus, 0xffffffff) == 0x1888);
  REQUIRE(written(kMstatus, 0) == 0x1800);
  REQUIRE(written(kMie, 0xffffffff) == 0x888);
  REQUIRE(written(kMip, 0xffffffff) == 0);
  REQUIRE(written(kMtvec, 0x80000003) == 0x80000001);
  REQUIRE(written(kMepc, 0x80000003) == 0x80000002);
  REQUIRE(written(kMscratch, 0xdeadbeef) == 0xdeadbeef);
  REQUIRE(written(kMcause, 0x80000007) == 0x80000007);
  REQUIRE(written(kMtval, 0x12345678) == 0x12345678);
  REQUIRE(written(kMisa, 0) == 0x40001104);
  REQUIRE(written(kMcountinhibit, 7) == 0);
  REQUIRE(written(kMhpmcounter3, 7) == 0);
  for (const std::uint32_t number :
       {0x001U, 0x100U, 0x180U, 0x302U, 0x303U, 0x306U, 0x30aU, 0x3a0U, 0x7a0U, 0xb01U, 0xfffU}) {
    std::uint32_t value = 0;
    REQUIRE_FALSE(bench.hart.read_csr(number, value));
    REQUIRE_FALSE(bench.hart.write_csr(number, 0));
  }
}

TEST_CASE("CSR instructions: set, clear, immediate, and no write by x0", "[riscv][csr]") {
  Program p;
  p << csrrwi(zero, 0x340, 0x15) << csrrsi(a0, 0x340, 0x0a) << csrrci(a1, 0x340, 0x11)
    << csrrs(a2, 0x340, zero) << csrrc(a3, 0x340, a2) << csrrw(a4, 0x340, a0) << csrrs(a5, 0x340, a1)
    << csrrw(a5, 0x340, a5);
  BenchHart bench(p);
  REQUIRE(bench.hart.run(8).instructions == 8);
  REQUIRE(bench.hart.reg(a0) == 0x15);
  REQUIRE(bench.hart.reg(a1) == 0x1f);
  REQUIRE(bench.hart.reg(a2) == 0x0e);
  REQUIRE(bench.hart.reg(a3) == 0x0e);
  REQUIRE(bench.hart.reg(a4) == 0);
  REQUIRE(bench.hart.reg(a5) == (0x15 | 0x1f));
  REQUIRE(bench.csr(0x340) == 0x15);
}

TEST_CASE("Counters count exactly, and what is written is what the next instruction reads", "[riscv][csr]") {
  for (const std::uint64_t quantum : {1, 2, 3, 7, 100}) {
    Program p;
    p << nop() << csrrs(a0, 0xb02, zero) << ecall() << nop() << csrrs(a1, 0xb00, zero)
      << csrrs(a2, 0xb02, zero) << csrrwi(zero, 0xb02, 5) << csrrs(a3, 0xb02, zero) << nop()
      << csrrs(a4, 0xc02, zero) << csrrs(a5, 0xc01, zero);
    BenchHart bench(p);
    bench.hart.write_csr(riscv::csr::kMtvec, kRam + 12);
    bench.run(11, quantum);
    INFO("quantum " << quantum);
    REQUIRE(bench.hart.reg(a0) == 1);
    REQUIRE(bench.hart.reg(a1) == 4);  // cycles: the call that trapped took one
    REQUIRE(bench.hart.reg(a2) == 4);  // and did not retire
    REQUIRE(bench.hart.reg(a3) == 5);
    REQUIRE(bench.hart.reg(a4) == 7);
    REQUIRE(bench.hart.reg(a5) == 10);
    REQUIRE(bench.hart.cycles() == 11);
    REQUIRE(bench.hart.instructions() == 10);
  }
  Program p;
  p << csrrs(a0, 0xb82, zero) << csrrs(a1, 0xb02, zero);
  BenchHart bench(p);
  bench.hart.write_csr(0xb02, 0xffffffff);
  bench.hart.write_csr(0xb82, 0x12);
  bench.hart.run(2);
  REQUIRE(bench.hart.reg(a0) == 0x12);
}
