// Faulty firmware in a chip is found from our output alone.
#include <catch2/catch.hpp>

#include "tests/platform/support.h"

using namespace meshkv::test;
using Catch::Matchers::Contains;
using meshkv::platform::Json;

namespace {

struct Ended {
  std::string outcome, reason, err;
};

Ended run_faulty(const std::string& program, const std::string& kind,
                 const std::vector<std::string>& settings = {}) {
  const TemporaryFolder folder;
  const std::string binary = program_path();
  const std::string file = binary.substr(0, binary.rfind("/platform/")) + "/firmware/tests/" + program +
                           (kind == "rv32" ? ".elf" : ".so");
  std::vector<std::string> arguments{
      "run",   "scenarios/firmware/sequencer.json", "--out", folder.path("out"),
      "--set", "controllers.kind=" + kind,          "--set", "controllers.firmware=" + file};
  for (const std::string& s : settings) arguments.insert(arguments.end(), {"--set", s});
  const ProgramResult r = run_program(arguments);
  CAPTURE(r.err, r.out);
  REQUIRE(r.exit_code == 3);
  REQUIRE_THAT(r.err, !Contains("sc_stop"));
  const Json json = Json::parse(read_file(folder.path("out/results.json")));
  REQUIRE_THAT(r.out, Contains(json["reason"].get<std::string>().substr(0, 20)));  // the summary says it, too
  return {json["outcome"], json["reason"], r.err};
}

}  // namespace

TEST_CASE("Firmware faults: a null pointer, a full stack, a read-only register", "[firmware]") {
  struct Case {
    const char* program;
    std::vector<const char*> says;
  };
  for (const Case& c :
       {Case{"null_pointer", {"load access fault", "an access through a null pointer", "(use", "(main+0x"}},
        Case{"stack_overflow", {"store access fault", "the stack has left RAM", "(deeper"}},
        Case{"read_only",
             {"store access fault", "(rename_column",
              "write of 0x00000005 to 0x10000004 (IDENTITY_COLUMN): the register is read-only"}}}) {
    const Ended e = run_faulty(c.program, "rv32");
    CAPTURE(c.program, e.reason);
    REQUIRE(e.outcome == "firmware_fault");
    REQUIRE_THAT(e.reason, Contains("chip.dc_0: its program has crashed") && Contains("last instructions"));
    for (const char* part : c.says) REQUIRE_THAT(e.reason, Contains(part));
  }
#if !defined(__SANITIZE_ADDRESS__)  // which ends the simulation with its own report
  for (const Case& c :
       {Case{"null_pointer", {"an access through a null pointer, to address 0x10 (SIGSEGV)", "(use"}},
        Case{"stack_overflow", {"the stack is full (SIGSEGV)", "(deeper+"}}}) {
    const Ended e = run_faulty(c.program, "native");
    CAPTURE(c.program, e.reason);
    REQUIRE(e.outcome == "firmware_fault");
    REQUIRE_THAT(e.reason, Contains("chip.dc_0.native, ") && Contains("last accesses to registers"));
    for (const char* part : c.says) REQUIRE_THAT(e.reason, Contains(part));
  }
#endif
  const Ended native = run_faulty("read_only", "native");
  REQUIRE(native.outcome == "firmware_fault");
  REQUIRE_THAT(native.reason, Contains("last accesses to registers") &&
                                  Contains("write 0x10000004 0x00000005") && Contains("(rename_column") &&
                                  Contains("(IDENTITY_COLUMN): the register is read-only"));
}

TEST_CASE("Firmware faults: a barrier that one column never reaches", "[firmware]") {
  for (const char* kind : {"rv32", "native"}) {
    const Ended e = run_faulty("missing_barrier", kind);
    CAPTURE(kind, e.reason);
    REQUIRE(e.outcome == "deadlock");
    REQUIRE_THAT(e.reason, Contains("chip.dc_0: is at barrier 2 and waits for column 2\n") &&
                               Contains("chip.dc_1: is at barrier 2 and waits for column 0\n") &&
                               Contains("chip.dc_3: is at barrier 2 and waits for column 0\n"));
    REQUIRE_THAT(e.reason, Contains("chip.dc_2: waits for an interrupt since cycle") &&
                               !Contains("chip.dc_2: is at barrier"));
    if (std::string(kind) == "rv32") REQUIRE_THAT(e.reason, Contains("(sleep_for_ever"));
  }
}

TEST_CASE("Firmware faults: a lost interrupt", "[firmware]") {
  for (const char* kind : {"rv32", "native"}) {
    const Ended e = run_faulty("lost_interrupt", kind);
    CAPTURE(kind, e.reason);
    REQUIRE(e.outcome == "deadlock");
    REQUIRE_THAT(e.reason, Contains("chip.dc_3: waits for an interrupt since cycle") &&
                               Contains("chip.dc_3: LAYER raised 1 times, last in cycle") &&
                               Contains("has not been told to begin layer 0"));
    REQUIRE_THAT(e.reason, !Contains("pending"));
    if (std::string(kind) == "rv32")
      REQUIRE_THAT(e.reason, Contains("called from") && Contains("(wait_for_layer"));
  }
}

TEST_CASE("Firmware faults: a program that ends with a code ends the run", "[firmware]") {
  for (const char* kind : {"rv32", "native"}) {
    const Ended e = run_faulty("wrong_code", kind);
    CAPTURE(kind, e.reason);
    REQUIRE(e.outcome == "firmware_fault");
    REQUIRE_THAT(e.reason, Contains("chip.dc_1: its program ended with code 42 in cycle"));
    REQUIRE_THAT(e.err, Contains("dc_1| giving up\n"));  // a last line without its end
  }
}

TEST_CASE("Firmware faults: --max-cycles", "[firmware]") {
  const TemporaryFolder folder;
  const ProgramResult r = run_program(
      {"run", "scenarios/firmware/decode-rv32.json", "--max-cycles", "3000", "--out", folder.path("out")});
  REQUIRE(r.exit_code == 1);
  REQUIRE_THAT(r.out, Contains("max_cycles = 3000 reached"));
  REQUIRE(run_program({"run", "scenarios/firmware/decode-rv32.json", "--max-cycles", "0"}).exit_code == 2);
}
