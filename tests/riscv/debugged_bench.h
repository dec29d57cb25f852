// Two harts behind a debugger's port, and a debugger in a thread. What it hears is compared when it is done.
#pragma once

#include <sstream>
#include <thread>

#include "models/riscv/gdb/gdb_server.h"
#include "tests/riscv/gdb_client.h"
#include "tests/riscv/module_bench.h"

namespace meshkv::test {

using Heard = std::vector<std::string>;

/// Enables interrupts, calls a function that writes the device, sleeps; the handler at 0x200 lowers the line
/// and counts in s0.
inline encode::Program debugged_firmware() {
  using namespace encode;
  Program p;
  p << li(a1, kWords) << li(t0, 0x80000200) << csrrw(zero, 0x305, t0) << li(t0, 0x888)
    << csrrw(zero, 0x304, t0) << csrrwi(zero, 0x300, 8);  // up to 0x24
  p << jal(ra, 0x5c) << wfi() << jal(zero, -4);           // 0x24, 0x28, 0x2c
  p.at(0x80) << li12(a0, 5) << sw(a0, a1, 0) << addi(a0, a0, 1) << jalr(zero, ra, 0);
  p.at(0x200) << addi(s0, s0, 1) << sw(s0, a1, 4) << mret();
  return p;
}

struct DebuggedBench : ModuleBench {
  explicit DebuggedBench(std::uint64_t quantum = 100) : ModuleBench(quantum, 2) {
    for (std::size_t k = 0; k < 2; ++k) {
      module(k).load(image_of(debugged_firmware()));
      device(k).on_access = [this, k](const WordDevice::Access& a) {
        if (a.write && a.index == 1) module(k).set_interrupt(riscv::Interrupt::kTimer, false);
      };
    }
    server = std::make_unique<riscv::gdb::GdbServer>(
        "gdb", 0, std::vector<riscv::HartModule*>{&module(0), &module(1)}, log);
  }
  /// Runs the simulation against a client; what the client does ends it.
  Heard debug(const std::function<void(GdbClient&, Heard&)>& talk) {
    return beside([&](Heard& heard) {
      GdbClient client(server->port());
      talk(client, heard);
    });
  }
  /// Runs the simulation while `talk` runs in a thread.
  Heard beside(const std::function<void(Heard&)>& talk) {
    Heard heard;
    std::thread thread([&] {
      try {
        talk(heard);
      } catch (const std::exception& e) {
        heard.push_back(std::string("exception: ") + e.what());
      }
    });
    sc_core::sc_start();
    server->finish(7);
    thread.join();
    return heard;
  }
  std::ostringstream log;
  std::unique_ptr<riscv::gdb::GdbServer> server;
};

}  // namespace meshkv::test
