// `vp elf` as a user runs it, on programs made here.
#include <catch2/catch.hpp>

#include "tests/platform/support.h"
#include "tests/riscv/elf_builder.h"
#include "tests/riscv/encode.h"

using namespace meshkv;
using namespace meshkv::test;
using namespace meshkv::test::encode;
using Catch::Matchers::Contains;

namespace {

constexpr std::uint32_t kStart = 0x80000000, kTohost = 0x80001000;

/// Stores a number to tohost and spins, as riscv-tests do.
Program ending(std::uint32_t tohost) {
  Program p;
  p << li(a1, kTohost) << li(a0, tohost) << sw(a0, a1, 0) << sw(zero, a1, 4) << jal(zero, -8);
  return p;
}

ElfBuilder with_tohost(const Program& p) {
  ElfBuilder b;
  b.segments = {{kStart, p.bytes(), 0}, {kTohost, std::vector<std::uint8_t>(64), 0}};
  b.symbols = {{"_start", kStart, static_cast<std::uint32_t>(p.size()), 2},
               {"tohost", kTohost, 8, 1},
               {"fromhost", kTohost + 32, 8, 1}};
  return b;
}

std::string write_elf(const TemporaryFolder& folder, const ElfBuilder& b) {
  const std::vector<std::uint8_t> bytes = b.build();
  return folder.write("program.elf", std::string(bytes.begin(), bytes.end()));
}

}  // namespace

TEST_CASE("vp elf: the exit code is the program's", "[platform][elf]") {
  const TemporaryFolder folder;
  struct Case {
    std::uint32_t tohost;
    int code;
  };
  for (const Case& c :
       {Case{1, 0}, Case{3, 1}, Case{2 * 42 + 1, 42}, Case{1337, 1337 / 2 & 255}, Case{2 * 256 + 1, 255}}) {
    const ProgramResult r = run_program({"elf", write_elf(folder, with_tohost(ending(c.tohost)))});
    REQUIRE(r.exit_code == c.code);
    REQUIRE(r.out.empty());
    if (c.code == 0) REQUIRE(r.err.empty());
  }
}

TEST_CASE("vp elf: console output over the host interface", "[platform][elf]") {
  const TemporaryFolder folder;
  Program p;
  // A write of five bytes by system call, a character by device 1, then exit by system call with code 7.
  const std::uint32_t call = kTohost + 0x100, text = kTohost + 0x180;
  const auto wait = [&p] { p << lw(t0, a1, 32) << beq(t0, zero, -4) << sw(zero, a1, 32); };
  p << li(a1, kTohost) << li(a2, call) << li12(t0, 64) << sw(t0, a2, 0) << li12(t0, 1) << sw(t0, a2, 8)
    << li(t0, text) << sw(t0, a2, 16) << li12(t0, 5) << sw(t0, a2, 24) << sw(a2, a1, 0);
  wait();
  p << lw(a3, a2, 0) << li(t0, 0x01010000) << li12(t1, '!') << sw(t0, a1, 4) << sw(t1, a1, 0);
  wait();
  p << li12(t0, 93) << sw(t0, a2, 0) << addi(a3, a3, 2) << sw(a3, a2, 8) << sw(a2, a1, 0) << jal(zero, 0);
  ElfBuilder b = with_tohost(p);
  b.segments[1].bytes.resize(0x200);
  const std::string hello = "hello";
  std::copy(hello.begin(), hello.end(), b.segments[1].bytes.begin() + 0x180);
  const ProgramResult r = run_program({"elf", write_elf(folder, b)});
  REQUIRE(r.out == "hello!");
  REQUIRE(r.exit_code == 7);  // 5, the result of the write, and 2
}

TEST_CASE("vp elf: limits, crashes and programs that wait for ever", "[platform][elf]") {
  const TemporaryFolder folder;
  Program loop;
  loop << addi(a0, a0, 1) << jal(zero, -4);
  ElfBuilder b;
  b.segments = {{kStart, loop.bytes(), 0}};
  b.symbols = {{"spin", kStart, 8, 2}};
  for (const char* limit : {"--max-instructions", "--max-cycles"}) {
    const ProgramResult r = run_program({"elf", write_elf(folder, b), limit, "12345"});
    REQUIRE(r.exit_code == 1);
    REQUIRE_THAT(r.err, Contains("stopped by its limit after 12345 instructions, stopped"));
    REQUIRE_THAT(r.err, Contains("(spin+0x4)"));
  }
  Program crash;
  crash << addi(s0, zero, 16) << sw(s0, s0, 4);
  b.segments = {{kStart, crash.bytes(), 0}};
  b.symbols = {{"broken", kStart, 8, 2}};
  ProgramResult r = run_program({"elf", write_elf(folder, b)});
  REQUIRE(r.exit_code == 3);
  for (const char* part :
       {"the program has crashed", "store access fault, mcause 7, mtval 0x00000014", "null pointer",
        "0x80000004 (broken+0x4)", "s0   00000010", "addi s0, zero, 16", "sw s0, 4(s0)"})
    REQUIRE_THAT(r.err, Contains(part));
  Program sleep;
  sleep << csrrwi(zero, 0x304, 8) << wfi();
  b.segments = {{kStart, sleep.bytes(), 0}};
  b.symbols.clear();
  r = run_program({"elf", write_elf(folder, b)});
  REQUIRE(r.exit_code == 3);
  REQUIRE_THAT(r.err, Contains("waits for an interrupt that nothing will raise"));
  r = run_program({"elf", write_elf(folder, b), "--max-cycles", "5000"});
  REQUIRE(r.exit_code == 3);  // the limit changes nothing about that
}

TEST_CASE("vp elf: a register that is polled for ever is named", "[platform][elf]") {
  const TemporaryFolder folder;
  Program p;
  p << lui(a1, 0x10007) << lw(a0, a1, 12) << beq(a0, zero, -4);
  ElfBuilder b;
  b.segments = {{kStart, p.bytes(), 0}};
  const ProgramResult r = run_program({"elf", write_elf(folder, b)});
  REQUIRE(r.exit_code == 3);
  REQUIRE_THAT(r.err, Contains("polls a register that nothing will change") && Contains("polls 0x1000700c"));
  REQUIRE_THAT(run_program({"elf", write_elf(folder, b), "--max-instructions", "1000001"}).err,
               Contains("stopped by its limit after 1000001 instructions"));
}

TEST_CASE("vp elf: the host's answer reaches a loop that also polls a register", "[platform][elf]") {
  const TemporaryFolder folder;
  Program p;
  p << li(a1, kTohost) << lui(a2, 0x10007) << li(t0, 0x01010000) << li12(t1, '!') << sw(t0, a1, 4)
    << sw(t1, a1, 0);
  p << lw(a0, a2, 12) << lw(t0, a1, 32) << beq(t0, zero, -8) << li12(t0, 7) << sw(zero, a1, 4)
    << sw(t0, a1, 0) << jal(zero, 0);
  const ProgramResult r =
      run_program({"elf", write_elf(folder, with_tohost(p)), "--max-instructions", "100000"});
  REQUIRE(r.out == "!");
  REQUIRE(r.exit_code == 3);
}

TEST_CASE("vp elf: instruction trace and profile", "[platform][elf]") {
  const TemporaryFolder folder;
  Program whole;
  whole << li12(a2, 10) << jal(ra, 16) << addi(a2, a2, -1) << bne(a2, zero, -8) << jal(zero, 12)
        << addi(a0, a0, 1) << jalr(zero, ra, 0);
  whole << li(a1, kTohost) << li12(a0, 1) << sw(a0, a1, 0) << jal(zero, 0);
  ElfBuilder b = with_tohost(whole);
  b.symbols[0].bytes = 20;
  b.symbols.push_back({"leaf", kStart + 20, 8, 2});
  b.symbols.push_back({"finish", kStart + 28, 24, 2});
  const std::string trace = folder.path("trace.txt");
  ProgramResult r = run_program(
      {"elf", write_elf(folder, b), "--trace", trace, "--profile", "--statistics", "--quantum", "50"});
  REQUIRE(r.exit_code == 0);
  const std::string text = read_file(trace);
  REQUIRE_THAT(
      text, Contains("hart          0 80000000 _start                   addi a2, zero, 10  # a2=0000000a\n"));
  REQUIRE_THAT(
      text,
      Contains("hart          1 80000004 _start+0x4               jal ra, 0x80000014  # ra=80000008\n"));
  REQUIRE_THAT(text, Contains("leaf                     addi a0, a0, 1  # a0=0000000a\n"));
  REQUIRE_THAT(r.err, Contains("          20  leaf\n"));
  REQUIRE_THAT(r.err, Contains("          32  _start\n"));
  r = run_program({"elf", write_elf(folder, b), "--trace", trace, "--trace-lines", "5"});
  const std::string cut = read_file(trace);
  REQUIRE(std::count(cut.begin(), cut.end(), '\n') == 5);
  REQUIRE_THAT(cut, Contains("the trace ends here"));
}

TEST_CASE("vp elf: files and options that cannot be", "[platform][elf]") {
  const TemporaryFolder folder;
  const auto error_of = [](const std::vector<std::string>& arguments) {
    const ProgramResult r = run_program(arguments);
    REQUIRE(r.exit_code == 2);
    return r.err;
  };
  REQUIRE_THAT(error_of({"elf"}), Contains("no ELF file is named"));
  REQUIRE_THAT(error_of({"elf", "nowhere.elf"}), Contains("nowhere.elf: cannot be read: No such file"));
  REQUIRE_THAT(error_of({"elf", "scenarios/quickstart.json"}), Contains("not an ELF file"));
  REQUIRE_THAT(error_of({"elf", program_path()}), Contains("another architecture: x86-64; wanted: RV32"));
  REQUIRE_THAT(error_of({"elf", "/dev/zero"}), Contains("not an ELF file"));
  ElfBuilder b = with_tohost(ending(1));
  const std::string endless = write_elf(folder, b);
  REQUIRE_THAT(error_of({"elf", endless, "--trace", "/dev/full"}), Contains("writing /dev/full has failed"));
  std::filesystem::resize_file(endless, std::uintmax_t{1} << 32);  // takes no room
  REQUIRE_THAT(error_of({"elf", endless}), Contains("too large: a file of more than 256 MiB"));
  b.segments[1].memory_bytes = 2 << 20;
  const std::string large = write_elf(folder, b);
  REQUIRE_THAT(error_of({"elf", large}),
               Contains("too large: 0x80001000 to 0x80200fff; RAM is 0x80000000 to 0x800fffff"));
  REQUIRE(run_program({"elf", large, "--ram-kib", "4096"}).exit_code == 0);
  REQUIRE_THAT(error_of({"elf", large, "--ram-kib", "0"}),
               Contains("--ram-kib: found \"0\"; allowed: 1 to 65536"));
  REQUIRE_THAT(error_of({"elf", large, "--max-instructions", "-1"}), Contains("--max-instructions"));
  REQUIRE_THAT(error_of({"elf", large, "--quantum", "1x"}), Contains("--quantum"));
  REQUIRE_THAT(error_of({"elf", large, "--gdb", ""}), Contains("--gdb: found \"\"; allowed: 0 to 65535"));
  REQUIRE_THAT(error_of({"elf", large, "--gdb", "65536"}), Contains("--gdb: found \"65536\""));
  b = with_tohost(ending(1));
  REQUIRE_THAT(error_of({"elf", write_elf(folder, b), "--trace", folder.path("no/such/folder")}),
               Contains("cannot write"));
}
