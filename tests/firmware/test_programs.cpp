// The firmware's programs on one hart (`vp elf`), and what is found of those that are broken.
#include <catch2/catch.hpp>

#include "tests/platform/support.h"

using namespace meshkv::test;
using Catch::Matchers::Contains;

namespace {

std::string program(const std::string& name) {
  const std::string path = program_path();
  return path.substr(0, path.rfind("/platform/")) + "/firmware/" + name + ".elf";
}

}  // namespace

TEST_CASE("Firmware: hello says where it is", "[firmware]") {
  const ProgramResult r = run_program({"elf", program("hello")});
  REQUIRE(r.exit_code == 0);
  REQUIRE(r.out == "hello from column 0 of 1, 8 rows, 300000 kHz\n");
  REQUIRE(r.err.empty());
}

TEST_CASE("Firmware: the selftest passes at any quantum", "[firmware]") {
  for (const char* quantum : {"1", "10", "1000"}) {
    const ProgramResult r = run_program({"elf", program("selftest"), "--quantum", quantum});
    CAPTURE(quantum, r.out, r.err);
    REQUIRE(r.exit_code == 0);
    REQUIRE_THAT(r.out, Contains("registers: passed\nbus errors: passed\nRAM: passed\ntimer: passed\n"
                                 "interrupts: passed\nmailboxes: passed\nselftest passed\n"));
  }
}

TEST_CASE("Firmware: a null pointer is found from the report alone", "[firmware]") {
  const ProgramResult r = run_program({"elf", program("tests/null_pointer")});
  REQUIRE(r.exit_code == 3);
  REQUIRE_THAT(r.out, Contains("exception: mcause 5"));
  for (const char* part :
       {"hart 0, cycle", "load access fault, mcause 5, mtval 0x00000010", "an access through a null pointer",
        "(use", "called   from", "(main+0x", "last instructions", "read of 0x00000010: nothing is there"})
    REQUIRE_THAT(r.err, Contains(part));
}

TEST_CASE("Firmware: a stack overflow is found from the report alone", "[firmware]") {
  const ProgramResult r = run_program({"elf", program("tests/stack_overflow")});
  REQUIRE(r.exit_code == 3);
  REQUIRE_THAT(r.out, Contains("exception: mcause 7"));  // handled on the trap stack
  for (const char* part :
       {"store access fault, mcause 7, mtval 0x7fffff", "the stack has left RAM", "(deeper"})
    REQUIRE_THAT(r.err, Contains(part));
}

TEST_CASE("Firmware: a write to a read-only register is found from the report alone", "[firmware]") {
  const ProgramResult r = run_program({"elf", program("tests/read_only")});
  REQUIRE(r.exit_code == 3);
  for (const char* part : {"store access fault, mcause 7, mtval 0x10000004",
                           "write of 0x00000005 to 0x10000004 (IDENTITY_COLUMN): the register is read-only"})
    REQUIRE_THAT(r.err, Contains(part));
}
