// gdb-multiarch on the harts of a whole chip (`vp run --gdb`).
#include <catch2/catch.hpp>

#include "tests/platform/support.h"
#include "tests/support/gdb_multiarch.h"

using namespace meshkv::test;
using Catch::Matchers::Contains;

namespace {

std::string decode_program() {
  const std::string path = program_path();
  return path.substr(0, path.rfind("/platform/")) + "/firmware/decode.elf";
}

struct DebuggedChip {
  DebuggedChip()
      : vp({program_path(), "run", source_dir() + "/scenarios/firmware/decode-rv32.json", "--set",
            "checks=null", "--out", folder.path("out"), "--gdb", "0"}),
        gdb(decode_program()) {
    vp.read_until("gdb: waiting on 127.0.0.1:");
    connected = gdb.connect(std::stoi(vp.read_until(" ")));
    vp.read_until("\n");
  }
  TemporaryFolder folder;
  ChildProcess vp;
  GdbMultiarch gdb;
  std::string connected;
};

}  // namespace

TEST_CASE("gdb-multiarch: the harts of a chip that decodes", "[firmware][gdb]") {
  DebuggedChip d;
  GdbMultiarch& gdb = d.gdb;
  REQUIRE_THAT(d.connected, Contains("_start ()"));
  REQUIRE_THAT(gdb.ask("info threads"), Contains("dc_0.hart") && Contains("dc_3.hart"));
  REQUIRE_THAT(gdb.ask("break on_window"), Contains("Breakpoint 1 at 0x8"));
  REQUIRE_THAT(gdb.ask("continue"), Contains("on_window"));
  REQUIRE_THAT(gdb.ask("p/x $mcause"), Contains("= 0x8000000b"));
  REQUIRE_THAT(gdb.ask("p rows"), Contains("= 4"));
  // A register of the fabric: layers begun, and the tile of a row.
  REQUIRE_THAT(gdb.ask("p *(unsigned int *)0x10002010"), Contains("= 1"));
  REQUIRE_THAT(gdb.ask("p *(unsigned int *)0x10010008 > 0"), Contains("= 1"));
  gdb.ask("delete 1");
  REQUIRE_THAT(gdb.ask("watch *(unsigned int *)0x10002010"), Contains("Hardware watchpoint 2"));
  REQUIRE_THAT(gdb.ask("continue"), Contains("Old value = 1\nNew value = 2\n"));
  gdb.ask("delete 2");
  REQUIRE_THAT(gdb.ask("detach"), Contains("detached"));
  std::string rest;
  REQUIRE(d.vp.wait(&rest) == 0);
  REQUIRE_THAT(rest, Contains("results: "));
}

TEST_CASE("gdb-multiarch: a chip that is killed has no result that passes", "[firmware][gdb]") {
  DebuggedChip d;
  d.gdb.ask("break run_layer");
  REQUIRE_THAT(d.gdb.ask("continue"), Contains("run_layer"));
  d.gdb.ask("kill");
  std::string rest;
  REQUIRE(d.vp.wait(&rest) == 3);
  REQUIRE_THAT(rest, Contains("killed by the debugger"));
}

TEST_CASE("Firmware: --gdb is refused where there is nothing to debug", "[firmware][gdb]") {
  for (const std::string& setting :
       {std::string("controllers.kind=sequencer"), std::string("controllers.kind=native"),
        std::string("compare=[\"cent\",\"meshkv\"]")}) {
    const ProgramResult r = run_program({"run", "scenarios/firmware/decode-rv32.json", "--gdb", "0", "--set",
                                         "checks=null", "--set", setting});
    CAPTURE(setting, r.err);
    REQUIRE(r.exit_code == 2);
    REQUIRE_THAT(r.err, Contains("--gdb"));
  }
}
