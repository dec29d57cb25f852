// The debugger's port of a simulation of two harts, driven by a client in a thread. What the client hears is
// compared when it is done.
#include <atomic>
#include <catch2/catch.hpp>

#include "tests/riscv/debugged_bench.h"

using namespace meshkv;
using namespace meshkv::test;
using namespace meshkv::test::encode;
using riscv::Interrupt;

TEST_CASE("The golden session: handler, two harts, steps, a fabric register, Ctrl-C out of WFI",
          "[riscv][gdb]") {
  DebuggedBench bench;
  bench.at(500, [&] { bench.module(1).set_interrupt(Interrupt::kTimer, true); });
  bench.at(3000, [&] { bench.device(0).words[5] = 0x1234; });
  const Heard heard = bench.debug([](GdbClient& gdb, Heard& h) {
    h.push_back(gdb.ask("?"));
    h.push_back(gdb.ask("Z0,80000200,4"));
    h.push_back(gdb.ask("Z2,10000000,4"));
    h.push_back(gdb.ask("vCont;c"));  // hart 0 is about to write the device
    h.push_back(gdb.ask("p20"));
    h.push_back(gdb.ask("m10000000,4"));
    h.push_back(gdb.ask("vCont;s:1"));  // over the write, hart 1 held
    h.push_back(gdb.ask("m10000000,4"));
    h.push_back(gdb.ask("pa"));
    h.push_back(gdb.ask("z2,10000000,4"));
    h.push_back(gdb.ask("vCont;c"));  // the breakpoint in the handler, hart 1
    h.push_back(gdb.ask("p20"));
    h.push_back(gdb.ask("Hg1"));
    h.push_back(gdb.ask("p20"));  // hart 0 behind its WFI
    h.push_back(gdb.ask("z0,80000200,4"));
    h.push_back(gdb.ask("Z2,10000014,4"));
    h.push_back(gdb.ask("vCont;c"));  // a register that the fabric changes
    h.push_back(gdb.ask("m10000014,4"));
    h.push_back(gdb.ask("z2,10000014,4"));
    gdb.send("vCont;c");  // both sleep, and nothing is left to happen
    gdb.raw("\x03");
    h.push_back(gdb.next());
    h.push_back(gdb.ask("Hg2"));
    h.push_back(gdb.ask("p8"));  // its handler has run once
    h.push_back(gdb.ask("D"));
  });
  REQUIRE(heard == Heard{"T05thread:1;",
                         "OK",
                         "OK",
                         "T05watch:10000000;thread:1;",
                         "84000080",
                         "00000000",
                         "T05thread:1;",
                         "05000000",
                         "05000000",
                         "OK",
                         "T05thread:2;",
                         "00020080",
                         "OK",
                         "2c000080",
                         "OK",
                         "OK",
                         "T05watch:10000014;thread:1;",
                         "34120000",
                         "OK",
                         "T02thread:1;",
                         "OK",
                         "01000000",
                         "OK"});
  REQUIRE_THAT(bench.log.str(), Catch::Matchers::Contains("waiting on 127.0.0.1:"));
}

TEST_CASE("The end of the program reaches the debugger", "[riscv][gdb]") {
  DebuggedBench bench;
  for (std::size_t k = 0; k < 2; ++k)
    bench.device(k).on_access = [&bench, k](const WordDevice::Access&) { bench.module(k).request_stop(); };
  const Heard heard = bench.debug([](GdbClient& gdb, Heard& h) {
    h.push_back(gdb.ask("vCont;c"));
    h.push_back(gdb.next());
  });
  REQUIRE(heard == Heard{"W07", "(closed)"});
}

TEST_CASE("A debugger that vanishes while everything stands leaves it running", "[riscv][gdb]") {
  DebuggedBench bench;
  const Heard heard = bench.debug([](GdbClient& gdb, Heard& h) {
    h.push_back(gdb.ask("Z0,80000080,4"));
    h.push_back(gdb.ask("vCont;c"));
    gdb.raw("$p2");  // in the middle of a packet
    gdb.close();
  });
  REQUIRE(heard == Heard{"OK", "T05thread:1;"});
  REQUIRE(bench.device(0).words[0] == 5);
  REQUIRE(bench.device(1).words[0] == 5);
  REQUIRE(bench.module(0).waiting());
  REQUIRE(bench.module(1).waiting());
}

TEST_CASE("A debugger that vanishes while it runs, and one that comes back", "[riscv][gdb]") {
  DebuggedBench bench;
  // Without a debugger and with nothing to do the simulation would end before the second one comes.
  std::atomic<bool> seen{false};
  struct Beat : sc_core::sc_module {
    Beat(sc_core::sc_module_name name, const std::atomic<bool>& stop) : sc_module(name), stop_(stop) {
      SC_HAS_PROCESS(Beat);
      SC_METHOD(act);
    }
    void act() {
      if (!stop_) next_trigger(1, sc_core::SC_US);
    }
    const std::atomic<bool>& stop_;
  } keep("beat", seen);
  const Heard heard = bench.debug([&](GdbClient& gdb, Heard& h) {
    gdb.send("vCont;c");
    gdb.close();
    GdbClient again(bench.server->port());
    h.push_back(again.ask("?"));
    seen = true;  // the simulation stands while this is written
    h.push_back(again.ask("D"));
  });
  REQUIRE(heard == Heard{"T05thread:1;", "OK"});
  REQUIRE(bench.device(0).words[0] == 5);
  REQUIRE(bench.device(1).words[0] == 5);
}

TEST_CASE("A killed program ends", "[riscv][gdb]") {
  DebuggedBench bench;
  const Heard heard = bench.debug([](GdbClient& gdb, Heard& h) {
    gdb.send("k");
    h.push_back(gdb.next());
  });
  REQUIRE(heard == Heard{"(closed)"});
  REQUIRE(bench.server->killed());
  REQUIRE(bench.module(0).stopped());
  REQUIRE(bench.module(1).stopped());
  REQUIRE(bench.device(0).words[0] == 0);
}

TEST_CASE("Ctrl-C stops harts that compute, at any quantum", "[riscv][gdb]") {
  DebuggedBench bench(1000);
  Program p;
  p << addi(a0, a0, 1) << jal(zero, -4);
  bench.module(0).load(image_of(p));
  const Heard heard = bench.debug([](GdbClient& gdb, Heard& h) {
    for (int round = 0; round < 3; ++round) {
      gdb.send("vCont;c");
      gdb.raw("\x03");
      h.push_back(gdb.next());
    }
    h.push_back(gdb.ask("Z0,80000004,4"));
    h.push_back(gdb.ask("vCont;c"));
    h.push_back(gdb.ask("p20"));
    gdb.send("k");
    h.push_back(gdb.next());
  });
  REQUIRE(heard == Heard{"T02thread:1;", "T02thread:1;", "T02thread:1;", "OK", "T05thread:1;", "04000080",
                         "(closed)"});
}

TEST_CASE("A port that is taken is an error that names it", "[riscv][gdb]") {
  riscv::gdb::Connection first(0);
  REQUIRE_THROWS_WITH(riscv::gdb::Connection(first.port()),
                      Catch::Matchers::Contains("127.0.0.1:" + std::to_string(first.port())));
}
