// gdb-multiarch itself on a simulation of two harts.
#include <catch2/catch.hpp>
#include <future>

#include "tests/riscv/debugged_bench.h"
#include "tests/support/gdb_multiarch.h"

using namespace meshkv;
using namespace meshkv::test;
using Catch::Matchers::Contains;
using riscv::Interrupt;

TEST_CASE("gdb-multiarch: two harts, one in its handler, a fabric register, Ctrl-C out of WFI",
          "[riscv][gdb]") {
  DebuggedBench bench;
  GdbMultiarch gdb("");
  std::promise<void> handled;
  bench.at(500, [&] { bench.module(1).set_interrupt(Interrupt::kTimer, true); });
  bench.at(3000, [&] { bench.device(0).words[5] = 0x1234; });
  bench.at(4000, [&] { bench.module(0).set_interrupt(Interrupt::kTimer, true); });
  bench.at(5000, [&] { handled.set_value(); });  // nothing is left to happen
  const Heard heard = bench.beside([&](Heard& h) {
    const std::shared_ptr<void> vanish(nullptr,
                                       [&](void*) { gdb.kill(); });  // else the simulation waits for it
    const auto ask = [&](const char* command) { h.push_back(gdb.ask(command)); };
    h.push_back(gdb.connect(bench.server->port()));
    ask("break *0x80000080");  // the function
    ask("continue");
    ask("p/x $ra");
    ask("delete 1");
    ask("break *0x80000200");  // the handler
    ask("continue");
    ask("info threads");
    ask("p $mepc");
    ask("p/x $mcause");
    ask("thread 1");
    ask("p $pc");
    ask("x/i $pc");
    ask("p/x $a1");
    ask("delete 2");
    ask("watch *(int *)0x10000014");
    ask("continue");
    ask("monitor time");
    ask("delete 3");
    gdb.tell("continue");
    handled.get_future().wait_for(std::chrono::minutes(2));
    gdb.interrupt();
    h.push_back(gdb.answer());
    ask("monitor harts");
    ask("thread apply all p $s0");
    ask("set var *(int *)0x10000020 = 77");
    ask("kill");
  });
  const std::vector<Catch::Matchers::StdString::ContainsMatcher> expected{
      Contains("0x80000000 in ?? ()"),
      Contains("Breakpoint 1 at 0x80000080"),
      Contains("Breakpoint 1, 0x80000080"),
      Contains("= 0x80000028"),
      Contains(""),
      Contains("Breakpoint 2 at 0x80000200"),
      Contains("Breakpoint 2, 0x80000200"),
      Contains("* 2    Thread 2 \"hart_1\""),
      Contains("0x8000002c"),
      Contains("= 0x80000007"),
      Contains("Switching to thread 1"),
      Contains("0x8000002c"),
      Contains("j\t0x80000028"),
      Contains("= 0x10000000"),
      Contains(""),
      Contains("Hardware watchpoint 3"),
      Contains("Old value = 0\nNew value = 4660"),
      Contains("cycle 3"),
      Contains(""),
      Contains("received signal SIGINT"),
      Contains("1  hart_0  waits for an interrupt since cycle"),
      Contains("= (void *) 0x1\n"),
      Contains(""),
      Contains("killed")};
  for (std::size_t k = 0; k < heard.size(); ++k) {
    CAPTURE(k, heard[k]);
    CHECK((k < expected.size() && expected[k].match(heard[k])));
  }
  REQUIRE(heard.size() == expected.size());
  REQUIRE(bench.device(0).words[8] == 77);
  REQUIRE(bench.server->killed());
}
