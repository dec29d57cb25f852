// The bus of a column: what it answers, and what it says.
#include <tlm_utils/simple_initiator_socket.h>
#include <catch2/catch.hpp>
#include <cstring>

#include "models/controller/devices/column_devices.h"
#include "tests/controller/fake_fabric.h"

using namespace meshkv;
using namespace meshkv::controller;
using Catch::Matchers::Contains;

namespace {

struct Core : sc_core::sc_module, ColumnProcessor {
  tlm_utils::simple_initiator_socket<Core> port;
  std::vector<std::pair<riscv::Interrupt, Cycle>> raised;
  std::vector<std::string> lines;
  explicit Core(sc_core::sc_module_name name) : sc_module(name), port("port") {}
  void set_interrupt(riscv::Interrupt line, bool level) override {
    if (level) raised.emplace_back(line, sc_core::sc_time_stamp().value() / period.value());
  }
  void console_line(const std::string& line) override { lines.push_back(line); }
  void program_ended(const ExitDevice::End&) override {}

  tlm::tlm_response_status access(bool write, std::uint64_t address, std::uint32_t& value,
                                  unsigned bytes = 4) {
    tlm::tlm_generic_payload p;
    p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    p.set_address(address);
    p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    port->b_transport(p, delay);
    delay_cycles = delay.value() / period.value();
    REQUIRE(p.get_address() == address);
    return p.get_response_status();
  }
  tlm::tlm_response_status write(std::uint64_t address, std::uint32_t value) {
    return access(true, address, value);
  }
  std::uint32_t read(std::uint64_t address) {
    std::uint32_t value = 0;
    REQUIRE(access(false, address, value) == tlm::TLM_OK_RESPONSE);
    return value;
  }
  const sc_core::sc_time period{10, sc_core::SC_NS};
  std::uint64_t delay_cycles = 0;
};

struct Bench {
  test::FakeFabric fabric;
  Core core{"core"};
  ColumnDevices devices{"devices", {}, fabric, core};
  Bench() {
    core.port.bind(devices.bus.from_core);
    connect_mailboxes({&devices, &devices});
  }
  void run(Cycle cycles) { sc_core::sc_start(core.period * static_cast<double>(cycles)); }
};

}  // namespace

TEST_CASE("Column bus: decoding, and an error for each way to miss", "[controller][bus]") {
  Bench b;
  b.run(1);
  REQUIRE(b.core.read(block_info("Identity").base) == reg::kIdentityMagicValue);
  REQUIRE(b.core.delay_cycles == 2);
  REQUIRE(b.core.read(block_info("Tile").base + 3 * block_info("Tile").stride + reg::kTileAccepted) == 301);
  REQUIRE(b.devices.bus.errors() == 0);
  std::uint32_t value = 1;
  struct Case {
    bool write;
    std::uint64_t address;
    unsigned bytes;
    tlm::tlm_response_status status;
    const char* says;
  };
  const std::uint32_t identity = block_info("Identity").base, tile = block_info("Tile").base;
  for (const Case& c : {
           Case{true, identity + 4, 4, tlm::TLM_COMMAND_ERROR_RESPONSE,
                "write of 0x00000001 to 0x10000004 (IDENTITY_COLUMN): the register is read-only"},
           Case{false, block_info("Exit").base, 4, tlm::TLM_COMMAND_ERROR_RESPONSE,
                "read of 0x10009000 (EXIT_CODE): the register is write-only"},
           Case{false, 0, 4, tlm::TLM_ADDRESS_ERROR_RESPONSE, "read of 0x00000000: nothing is there"},
           Case{false, identity + 0x800, 4, tlm::TLM_ADDRESS_ERROR_RESPONSE,
                "block IDENTITY has no such register"},
           Case{false, identity + 2, 4, tlm::TLM_ADDRESS_ERROR_RESPONSE, "not a multiple of 4"},
           Case{false, identity, 1, tlm::TLM_BURST_ERROR_RESPONSE, "accessed as words"},
           Case{true, identity, 2, tlm::TLM_BURST_ERROR_RESPONSE, "accessed as words"},
           Case{false, tile + 4 * 0x20, 4, tlm::TLM_ADDRESS_ERROR_RESPONSE, "there is no TILE 4 here"},
           Case{true, block_info("Mailbox").base, 4, tlm::TLM_OK_RESPONSE, ""},
           Case{true, block_info("Queue").base + reg::kQueuePrefetch, 4, tlm::TLM_OK_RESPONSE, ""},
       }) {
    CAPTURE(c.address, c.bytes, c.says);
    const std::uint64_t before = b.devices.bus.errors();
    REQUIRE(b.core.access(c.write, c.address, value, c.bytes) == c.status);
    REQUIRE(b.devices.bus.errors() == before + (c.status == tlm::TLM_OK_RESPONSE ? 0 : 1));
    if (c.status != tlm::TLM_OK_RESPONSE) REQUIRE_THAT(b.devices.bus.last_error(), Contains(c.says));
  }
  REQUIRE(b.core.write(block_info("Queue").base + reg::kQueueBeginLayer, 9) ==
          tlm::TLM_GENERIC_ERROR_RESPONSE);
  REQUIRE_THAT(b.devices.bus.last_error(), Contains("(QUEUE_BEGIN_LAYER): there is no row 9 of 4"));
}

TEST_CASE("Column bus: blocks that overlap are refused by name", "[controller][bus]") {
  test::FakeFabric fabric;
  Identity a(fabric), c(fabric);
  ColumnBus bus("bus", {});
  const BlockInfo first{"First", 0x1000, 0x100, 4, "", {{"A", 0, Access::kReadOnly, ""}}};
  const BlockInfo second{"Second", 0x13fc, 0x100, 1, "", {{"B", 0, Access::kReadOnly, ""}}};
  bus.map(first, 4, a);
  REQUIRE_THROWS_WITH(bus.map(second, 1, c),
                      "bus: Second (0x000013fc to 0x000014fb) overlaps First (0x00001000 to 0x000013ff)");
  const BlockInfo beside{"Second", 0x1400, 0x100, 1, "", {{"B", 0, Access::kReadOnly, ""}}};
  bus.map(beside, 1, c);
}

TEST_CASE("Column devices: timer and mailbox come at their cycle", "[controller][bus]") {
  Bench b;
  b.run(10);
  const std::uint32_t timer = block_info("Timer").base, mailbox = block_info("Mailbox").base,
                      interrupts = block_info("Interrupts").base;
  b.core.write(timer + reg::kTimerCompareHigh, 0);
  b.core.write(timer + reg::kTimerCompareLow, 50);
  b.core.write(interrupts + reg::kInterruptsEnable, 1U << static_cast<unsigned>(Source::kMailbox));
  b.core.write(mailbox + reg::kMailboxTo, 0);
  b.core.write(mailbox + reg::kMailboxSend, 123);
  b.run(100);
  REQUIRE(b.core.raised.size() == 2);
  REQUIRE(b.core.raised[0] == std::make_pair(riscv::Interrupt::kExternal, Cycle{18}));
  REQUIRE(b.core.raised[1] == std::make_pair(riscv::Interrupt::kTimer, Cycle{50}));
  REQUIRE(b.core.read(timer + reg::kTimerTimeLow) == 110);
  b.core.write(timer + reg::kTimerCompareLow, ~0U);
  b.core.write(timer + reg::kTimerCompareHigh, ~0U);  // farther than the kernel counts: no event at all
  REQUIRE_FALSE(sc_core::sc_pending_activity_at_future_time());
}

TEST_CASE("Column bus: a debugger reads without effects", "[controller][bus]") {
  Bench b;
  b.run(1);
  const std::uint32_t mailbox = block_info("Mailbox").base;
  b.core.write(mailbox + reg::kMailboxTo, 0);
  b.core.write(mailbox + reg::kMailboxSend, 5);
  b.run(20);
  tlm::tlm_generic_payload p;
  std::uint32_t value = 0;
  p.set_command(tlm::TLM_READ_COMMAND);
  p.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  p.set_data_length(4);
  p.set_streaming_width(4);
  p.set_address(mailbox + reg::kMailboxReceive);
  REQUIRE(b.core.port->transport_dbg(p) == 4);
  REQUIRE(value == 5);
  REQUIRE(b.core.read(mailbox + reg::kMailboxCount) == 1);
  p.set_address(0x20000000);
  REQUIRE(b.core.port->transport_dbg(p) == 0);
  p.set_command(tlm::TLM_WRITE_COMMAND);
  p.set_address(block_info("Identity").base);
  REQUIRE(b.core.port->transport_dbg(p) == 0);
  p.set_address(mailbox + reg::kMailboxBarrier);
  value = 9;
  REQUIRE(b.core.port->transport_dbg(p) == 4);
  REQUIRE(b.core.read(mailbox + reg::kMailboxBarrier) == 9);
}
