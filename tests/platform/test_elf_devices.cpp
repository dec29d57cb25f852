// `vp elf` with a column's devices: console, exit, timer, bus errors.
#include <catch2/catch.hpp>

#include "models/controller/registers/register_map.h"
#include "tests/platform/support.h"
#include "tests/riscv/elf_builder.h"
#include "tests/riscv/encode.h"

using namespace meshkv;
using namespace meshkv::test;
using namespace meshkv::test::encode;
using Catch::Matchers::Contains;
namespace reg = meshkv::controller::reg;

namespace {

constexpr std::uint32_t kStart = 0x80000000;

std::uint32_t base(const char* block) {
  return controller::block_info(block).base;
}

ProgramResult run_elf(const Program& p, std::vector<std::string> options = {}) {
  const TemporaryFolder folder;
  ElfBuilder b;
  b.segments = {{kStart, p.bytes(), 0}};
  b.symbols = {{"_start", kStart, static_cast<std::uint32_t>(p.size()), 2}};
  const std::vector<std::uint8_t> bytes = b.build();
  options.insert(options.begin(), {"elf", folder.write("p.elf", std::string(bytes.begin(), bytes.end()))});
  return run_program(options);
}

}  // namespace

TEST_CASE("vp elf: console lines and the exit register", "[platform][elf]") {
  Program p;
  p << li(a1, base("Console"));
  for (const char c : std::string("Hi\nthere")) p << li12(a0, c) << sw(a0, a1, reg::kConsoleData);
  p << li(a1, base("Exit")) << li12(a0, 9) << sw(a0, a1, reg::kExitCode) << jal(zero, 0);
  const ProgramResult r = run_elf(p);
  REQUIRE(r.out == "Hi\nthere\n");
  REQUIRE(r.exit_code == 9);
}

TEST_CASE("vp elf: a timer interrupt ends a WFI in its cycle", "[platform][elf]") {
  // Exits with the cycle in which WFI went on, less the one that was asked for: the WFI itself and the read.
  Program p;
  p << li(a1, base("Timer")) << sw(zero, a1, reg::kTimerCompareHigh) << li12(a0, 1000)
    << sw(a0, a1, reg::kTimerCompareLow) << li12(t0, 0x80) << csrrw(zero, 0x304, t0) << wfi()
    << lw(a2, a1, reg::kTimerTimeLow) << addi(a2, a2, -1000) << li(a1, base("Exit"))
    << sw(a2, a1, reg::kExitCode) << jal(zero, 0);
  for (const char* quantum : {"1", "17", "1000"}) {
    const ProgramResult r = run_elf(p, {"--quantum", quantum});
    CAPTURE(quantum, r.err);
    REQUIRE(r.exit_code == 0);
  }
}

TEST_CASE("vp elf: the report names the register that refused an access", "[platform][elf]") {
  Program p;
  p << li(a1, base("Identity")) << li12(a0, 3) << sw(a0, a1, reg::kIdentityColumn);
  ProgramResult r = run_elf(p);
  REQUIRE(r.exit_code == 3);
  REQUIRE_THAT(r.err, Contains("store access fault, mcause 7, mtval 0x10000004"));
  REQUIRE_THAT(r.err, Contains("write of 0x00000003 to 0x10000004 (IDENTITY_COLUMN): the register is "
                               "read-only"));
  Program q;
  q << li(a1, base("Mailbox")) << lbu(a0, a1, 0);
  r = run_elf(q);
  REQUIRE(r.exit_code == 3);
  REQUIRE_THAT(r.err, Contains("load access fault, mcause 5"));
  REQUIRE_THAT(r.err, Contains("registers are accessed as words"));
  // A handler that gives up says so to the exit register.
  Program handler;
  handler << auipc(t0, 0) << addi(t0, t0, 20) << csrrw(zero, 0x305, t0) << lw(a0, zero, 16) << jal(zero, 0)
          << li(a1, base("Exit")) << sw(t0, a1, reg::kExitFault) << jal(zero, 0);
  r = run_elf(handler);
  REQUIRE(r.exit_code == 3);
  REQUIRE_THAT(r.err, Contains("the program has crashed"));
  REQUIRE_THAT(r.err, Contains("mtval 0x00000010"));
  REQUIRE_THAT(r.err, Contains("null pointer"));
}

TEST_CASE("vp elf: a program that waits for ever is told what its interrupts do", "[platform][elf]") {
  Program p;
  p << li(a1, base("Interrupts")) << li12(a0, 2) << sw(a0, a1, reg::kInterruptsRaise) << li(t0, 0x800)
    << csrrw(zero, 0x304, t0) << wfi();
  const ProgramResult r = run_elf(p);
  REQUIRE(r.exit_code == 3);
  REQUIRE_THAT(r.err, Contains("waits for an interrupt that nothing will raise"));
  REQUIRE_THAT(r.err, Contains("ROOT raised 1 times"));
  REQUIRE_THAT(r.err, Contains("pending but not enabled"));
}
