// Harts that poll the registers of their column: those that change with notice cost nothing while they do
// not.
#include <catch2/catch.hpp>

#include "models/controller/devices/column_devices.h"
#include "tests/controller/fake_fabric.h"
#include "tests/riscv/module_bench.h"

using namespace meshkv;
using namespace meshkv::controller;
using namespace meshkv::test;
using namespace meshkv::test::encode;

namespace {

/// A hart with the devices of a column; the mailbox leads to itself.
struct Column : ColumnProcessor {
  FakeFabric fabric;
  riscv::HartModule hart;
  ColumnDevices devices;
  explicit Column(Cycle quantum) : hart("hart", config(quantum)), devices("devices", {}, fabric, *this) {
    hart.bus.bind(devices.bus.from_core);
    connect_mailboxes({&devices, &devices});
  }
  static riscv::HartModuleConfig config(Cycle quantum) {
    riscv::HartModuleConfig c;
    c.ram_bytes = 16384;
    c.quantum_cycles = quantum;
    return c;
  }
  void set_interrupt(riscv::Interrupt line, bool level) override { hart.set_interrupt(line, level); }
  void console_line(const std::string&) override {}
  void program_ended(const ExitDevice::End&) override { hart.request_stop(); }
  Cycle now() const { return sc_core::sc_time_stamp().value() / hart.config().period.value(); }
};

}  // namespace

TEST_CASE("A hart that waits for a word in its mailbox sleeps until it comes", "[controller][poll]") {
  Column c(1000);
  Program p;
  p << li(a1, block_info("Mailbox").base) << lw(a0, a1, reg::kMailboxCount) << beq(a0, zero, -4)
    << csrrs(a2, 0xb00, zero) << lw(a3, a1, reg::kMailboxReceive) << lw(a4, a1, reg::kMailboxCount)
    << lw(a5, a1, reg::kMailboxCount) << jal(zero, 0);
  c.hart.load(image_of(p));
  At send("send", c.hart.config().period * 50000.0, [&] {
    c.devices.mailbox.write(reg::kMailboxTo, 0, c.now());
    c.devices.mailbox.write(reg::kMailboxSend, 77, c.now());
  });
  At stop("stop", c.hart.config().period * 50100.0, [&] { c.hart.request_stop(); });
  sc_core::sc_start(c.hart.config().period * 60000.0);
  CHECK(c.hart.hart().reg(13) == 77);
  CHECK(c.hart.hart().reg(14) == 0);
  CHECK(c.hart.hart().reg(15) == 0);
  // It comes after 8 cycles; a round of the loop takes four.
  CHECK(c.hart.hart().reg(12) > 50008);
  CHECK(c.hart.hart().reg(12) <= 50008 + 4 + 4);
  CHECK(c.hart.statistics().activations < 30);
  CHECK(c.devices.bus.accesses() < 30);
  CHECK(c.hart.statistics().accesses > 50000 / 4 - 10);
}

TEST_CASE("A hart that polls pending interrupts hears of each change", "[controller][poll]") {
  Column c(1000);
  Program p;
  p << li(a1, block_info("Interrupts").base) << lw(a0, a1, reg::kInterruptsPending) << beq(a0, a2, -4)
    << addi(a2, a0, 0) << addi(a3, a3, 1) << jal(zero, -16);
  c.hart.load(image_of(p));
  At raise("raise", c.hart.config().period * 20000.0,
           [&] { c.devices.interrupts.raise(Source::kRoot, 20000); });
  At high("high", c.hart.config().period * 30000.0,
          [&] { c.devices.interrupts.set_level(Source::kMailbox, true, 30000); });
  At low("low", c.hart.config().period * 40000.0,
         [&] { c.devices.interrupts.set_level(Source::kMailbox, false, 40000); });
  sc_core::sc_start(c.hart.config().period * 50000.0);
  CHECK(c.hart.polling());
  CHECK(c.hart.hart().reg(13) == 3);
  CHECK(c.hart.hart().reg(12) == 1U << static_cast<unsigned>(Source::kRoot));
  CHECK(c.devices.bus.accesses() < 60);
}

/// The register reads as FakeFabric::segments_done or ::window. Counts values, and keeps the cycle in which
/// it saw the last one.
void poll_two_changes(const char* block, std::uint32_t offset) {
  Column c(1000);
  c.fabric.segments_done = c.fabric.window = 0;
  Program p;
  p << li(a1, block_info(block).base) << lw(a0, a1, offset) << beq(a0, a2, -4) << addi(a2, a0, 0)
    << addi(a3, a3, 1) << csrrs(a4, 0xb00, zero) << jal(zero, -20);
  c.hart.load(image_of(p));
  const auto change = [&] {
    c.devices.tiles.about_to_change();
    c.devices.schedule.about_to_change();
    c.fabric.segments_done = ++c.fabric.window;
  };
  At first("first", c.hart.config().period * 20000.0, change);
  At second("second", c.hart.config().period * 30000.0, change);
  sc_core::sc_start(c.hart.config().period * 50000.0);
  CHECK(c.hart.polling());
  CHECK(c.hart.hart().reg(13) == 2);
  CHECK(c.hart.hart().reg(12) == 2);
  CHECK(c.hart.hart().reg(14) > 30000);
  CHECK(c.hart.hart().reg(14) <= 30000 + 4 + 6);
  CHECK(c.devices.bus.accesses() < 60);
  CHECK(c.hart.statistics().accesses > 50000 / 4 - 60);
}

TEST_CASE("A hart that polls a tile hears of each change", "[controller][poll]") {
  poll_two_changes("Tile", reg::kTileSegmentsDone);
}

TEST_CASE("A hart that polls the schedule hears of each change", "[controller][poll]") {
  poll_two_changes("Schedule", reg::kScheduleSlowest);
}

TEST_CASE("Which registers change with notice", "[controller][poll]") {
  Column c(100);
  const auto constant = [&](const char* block, std::uint32_t offset) {
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(block_info(block).base + offset);
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    tlm::tlm_dmi dmi;
    return c.hart.bus->get_direct_mem_ptr(payload, dmi);
  };
  const auto check = [&] {
    for (const char* block : {"Identity", "Queue", "Schedule", "Tile", "Interrupts", "Takv"}) {
      for (const RegisterInfo& info : block_info(block).registers) {
        CAPTURE(block, info.name);
        CHECK(constant(block, info.offset) == (info.access != Access::kWriteOnly));
      }
    }
    CHECK(constant("Mailbox", reg::kMailboxCount));
    CHECK(constant("Timer", reg::kTimerCompareLow));
    CHECK(constant("Swaps", reg::kSwapsAsked));
    // These change at any time, or a read of them is refused or has an effect.
    CHECK_FALSE(constant("Timer", reg::kTimerTimeLow));
    CHECK(constant("Counters", reg::kCountersSegments));
    CHECK_FALSE(constant("Counters", reg::kCountersLines));
    CHECK_FALSE(constant("Mailbox", reg::kMailboxFrom));
    CHECK_FALSE(constant("Mailbox", reg::kMailboxReceive));
    CHECK_FALSE(constant("Swaps", reg::kSwapsOccupancyLow));
    sc_core::sc_stop();
  };
  Program p;
  p << jal(zero, 0);
  c.hart.load(image_of(p));
  At at("check", c.hart.config().period * 10.0, check);
  sc_core::sc_start(c.hart.config().period * 100.0);
}
