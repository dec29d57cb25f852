// gdb-multiarch itself on firmware that runs under `vp elf --gdb`.
#include <catch2/catch.hpp>

#include "tests/platform/support.h"
#include "tests/support/gdb_multiarch.h"

using namespace meshkv::test;
using Catch::Matchers::Contains;

namespace {

std::string debug_session() {
  const std::string path = program_path();
  return path.substr(0, path.rfind("/platform/")) + "/firmware/tests/debug_session.elf";
}

/// `vp elf` on that program, waiting for a debugger on a port that is free.
struct Debugged {
  Debugged() : vp({program_path(), "elf", debug_session(), "--gdb", "0"}), gdb(debug_session()) {
    vp.read_until("gdb: waiting on 127.0.0.1:");
    const std::string port = vp.read_until(" ");
    connected = gdb.connect(std::stoi(port));
    vp.read_until("\n");
  }
  ChildProcess vp;
  GdbMultiarch gdb;
  std::string connected;
};

}  // namespace

TEST_CASE("gdb-multiarch: handler, registers, steps, a fabric register, Ctrl-C out of WFI, the end",
          "[firmware][gdb]") {
  Debugged d;
  GdbMultiarch& gdb = d.gdb;
  REQUIRE_THAT(d.connected, Contains("_start ()"));

  // Over a call.
  REQUIRE_THAT(gdb.ask("break main"), Contains("Breakpoint 1 at 0x8"));
  REQUIRE_THAT(gdb.ask("continue"), Contains("Breakpoint 1, main ()"));
  REQUIRE_THAT(gdb.ask("next"), Contains("hal_set_timer(500);"));
  gdb.ask("delete 1");

  // In a handler.
  REQUIRE_THAT(gdb.ask("break on_tick"), Contains("Breakpoint 2 at 0x8"));
  REQUIRE_THAT(gdb.ask("continue"), Contains("Breakpoint 2, ") && Contains("on_tick ()"));
  REQUIRE_THAT(gdb.ask("p/x $mcause"), Contains("= 0x80000007"));
  REQUIRE_THAT(gdb.ask("p $mepc"), Contains("<hal_wait+"));
  REQUIRE_THAT(gdb.ask("info registers sp pc"), Contains("sp ") && Contains("pc ") && Contains("<on_tick"));
  REQUIRE_THAT(gdb.ask("p ticks"), Contains("= 0"));
  REQUIRE_THAT(gdb.ask("backtrace"), Contains("#0  on_tick () at") && Contains("<signal handler called>") &&
                                         Contains("in hal_wait () at") && Contains("in main () at"));
  REQUIRE_THAT(gdb.ask("continue"), Contains("on_tick ()"));
  REQUIRE_THAT(gdb.ask("p ticks"), Contains("= 1"));
  gdb.ask("delete 2");

  // Into a function and out of it, up to a register of the fabric.
  REQUIRE_THAT(gdb.ask("break twice"), Contains("Breakpoint 3"));
  REQUIRE_THAT(gdb.ask("continue"), Contains("Breakpoint 3, twice (n=21)"));
  REQUIRE_THAT(gdb.ask("finish"),
               Contains("main () at") && Contains("Value returned is") && Contains("= 42"));
  gdb.ask("delete 3");
  REQUIRE_THAT(gdb.ask("watch *(unsigned int *)0x10007018"), Contains("Hardware watchpoint 4"));
  REQUIRE_THAT(gdb.ask("continue"), Contains("Old value = 0\nNew value = 42\n") && Contains("main () at"));
  gdb.ask("delete 4");
  REQUIRE_THAT(gdb.ask("set var *(unsigned int *)0x10007018 = 43"), !Contains("Cannot"));

  // Out of a sleep that only the debugger ends.
  gdb.tell("continue");
  REQUIRE(d.vp.read_until("\n") == "asleep after 3 ticks\n");
  gdb.interrupt();
  REQUIRE_THAT(gdb.answer(), Contains("Program received signal SIGINT") && Contains("hal_wait ()"));
  REQUIRE_THAT(gdb.ask("monitor harts"), Contains("waits for an interrupt since cycle"));
  REQUIRE_THAT(gdb.ask("call release()"), !Contains("The program being debugged"));
  REQUIRE_THAT(gdb.ask("continue"), Contains("exited with code 053"));  // octal
  gdb.quit();
  std::string rest;
  REQUIRE(d.vp.wait(&rest) == 43);
  REQUIRE_THAT(rest, Contains("released\n"));
}

TEST_CASE("gdb-multiarch: what it detaches from runs on", "[firmware][gdb]") {
  Debugged d;
  d.gdb.ask("break on_tick");
  REQUIRE_THAT(d.gdb.ask("continue"), Contains("on_tick ()"));
  REQUIRE_THAT(d.gdb.ask("set var released = 1"), !Contains("Cannot"));
  REQUIRE_THAT(d.gdb.ask("detach"), Contains("detached"));
  std::string rest;
  REQUIRE(d.vp.wait(&rest) == 42);
  REQUIRE_THAT(rest, Contains("asleep after 3 ticks\nreleased\n") &&
                         Contains("/debug_session.elf: the program ended with code 42\n"));
  REQUIRE_THAT(d.gdb.ask("info inferiors"), Contains("<null>"));
}

TEST_CASE("gdb-multiarch: when it is killed, the program runs on to its end", "[firmware][gdb]") {
  Debugged d;
  d.gdb.ask("break on_tick");
  REQUIRE_THAT(d.gdb.ask("continue"), Contains("on_tick ()"));
  REQUIRE_THAT(d.gdb.ask("set var released = 1"), !Contains("Cannot"));
  SECTION("while it stands") {
    d.gdb.kill();
  }
  SECTION("while it steps") {
    d.gdb.tell("while 1\nstepi\nend");
    REQUIRE_THAT(d.gdb.read_until("hal_set_timer ("), !Contains("exited"));
    d.gdb.kill();
  }
  std::string rest;
  REQUIRE(d.vp.wait(&rest) == 42);
  REQUIRE_THAT(rest, Contains("asleep after 3 ticks\nreleased\n"));
}

TEST_CASE("gdb-multiarch: killed while the program sleeps", "[firmware][gdb]") {
  Debugged d;
  d.gdb.tell("continue");
  REQUIRE(d.vp.read_until("\n") == "asleep after 3 ticks\n");
  d.gdb.kill();
  std::string rest;
  REQUIRE(d.vp.wait(&rest) == 3);  // nobody is left to release it
  REQUIRE_THAT(rest, Contains("waits for an interrupt that nothing will raise"));
}
