// TLM-2.0 semantics of a controller: statuses, byte enables, debug transport, DMI, annotated delays.
#include <catch2/catch.hpp>
#include <vector>

#include "models/memory/dram_controller.h"
#include "models/memory/timing_only_extension.h"
#include "tests/support/tlm_checker.h"

using namespace meshkv::memory;
using meshkv::test::TlmChecker;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

constexpr std::uint64_t kBase = std::uint64_t{5} << 32;

struct BenchModule : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
  tlm::tlm_initiator_socket<> socket;
  TlmChecker checker;
  DramController controller;
  std::vector<unsigned char> data;
  tlm::tlm_generic_payload payload;

  BenchModule(sc_core::sc_module_name name, const DramControllerConfig& config)
      : sc_module(name), socket("socket"), checker("checker"), controller("hbm_0", config), data(8192, 0xee) {
    socket.bind(*this);
    socket.bind(checker.in);
    checker.out.bind(controller.socket);
  }
  static DramControllerConfig configuration() {
    DramControllerConfig c;
    c.channels = 4;
    c.base_address = kBase;
    c.size_bytes = 1 << 20;
    return c;
  }
  tlm::tlm_generic_payload& request(tlm::tlm_command command, std::uint64_t offset, unsigned bytes) {
    payload.set_command(command);
    payload.set_address(kBase + offset);
    payload.set_data_ptr(data.data());
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_byte_enable_ptr(nullptr);
    payload.set_dmi_allowed(false);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    return payload;
  }
  tlm::tlm_response_status run(tlm::tlm_generic_payload& p, sc_time delay = sc_core::SC_ZERO_TIME) {
    last_delay = delay;
    socket->b_transport(p, last_delay);
    return p.get_response_status();
  }
  sc_time last_delay;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_time&) override {
    return tlm::TLM_COMPLETED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// Elaborated, at time 0.
struct Bench : BenchModule {
  explicit Bench(const DramControllerConfig& config = configuration()) : BenchModule("bench", config) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
};

}  // namespace

TEST_CASE("What cannot be served is refused with the right status", "[memory][tlm]") {
  Bench b;
  CHECK(b.run(b.request(tlm::TLM_READ_COMMAND, 0, 64)) == tlm::TLM_OK_RESPONSE);
  CHECK(b.run(b.request(tlm::TLM_READ_COMMAND, (1 << 20) - 64, 64)) == tlm::TLM_OK_RESPONSE);
  CHECK(b.run(b.request(tlm::TLM_READ_COMMAND, (1 << 20) - 32, 64)) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(b.run(b.request(tlm::TLM_WRITE_COMMAND, 1 << 20, 64)) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  CHECK(b.run(b.request(tlm::TLM_READ_COMMAND, 0 - kBase, 64)) == tlm::TLM_ADDRESS_ERROR_RESPONSE);
  auto& narrow = b.request(tlm::TLM_READ_COMMAND, 0, 64);
  narrow.set_streaming_width(32);
  CHECK(b.run(narrow) == tlm::TLM_BURST_ERROR_RESPONSE);
  CHECK(b.run(b.request(tlm::TLM_IGNORE_COMMAND, 0, 64)) == tlm::TLM_OK_RESPONSE);
  CHECK(b.controller.statistics().errors == 4);
  CHECK(b.checker.violations().empty());
  // Requests that break the protocol themselves still get a status.
  CHECK(b.run(b.request(tlm::TLM_READ_COMMAND, 0, 0)) == tlm::TLM_BURST_ERROR_RESPONSE);
  auto& no_enables = b.request(tlm::TLM_WRITE_COMMAND, 0, 64);
  no_enables.set_byte_enable_ptr(b.data.data());
  no_enables.set_byte_enable_length(0);
  CHECK(b.run(no_enables) == tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
}

TEST_CASE("Byte enables are honoured in both directions, and repeat", "[memory][tlm]") {
  Bench b;
  b.data.assign(8192, 0x11);
  b.run(b.request(tlm::TLM_WRITE_COMMAND, 100, 64));
  std::vector<unsigned char> enables = {0xff, 0, 0, 0xff};
  b.data.assign(8192, 0x22);
  auto& write = b.request(tlm::TLM_WRITE_COMMAND, 100, 64);
  write.set_byte_enable_ptr(enables.data());
  write.set_byte_enable_length(4);
  REQUIRE(b.run(write) == tlm::TLM_OK_RESPONSE);
  b.data.assign(8192, 0);
  b.run(b.request(tlm::TLM_READ_COMMAND, 100, 64));
  for (unsigned i = 0; i < 64; ++i) REQUIRE(b.data[i] == (i % 4 == 0 || i % 4 == 3 ? 0x22 : 0x11));
  b.data.assign(8192, 0x77);
  auto& read = b.request(tlm::TLM_READ_COMMAND, 100, 64);
  enables = {0, 0xff};
  read.set_byte_enable_ptr(enables.data());
  read.set_byte_enable_length(2);
  REQUIRE(b.run(read) == tlm::TLM_OK_RESPONSE);
  CHECK(b.data[0] == 0x77);
  CHECK(b.data[1] == 0x11);
  CHECK(b.data[3] == 0x22);
}

TEST_CASE("Debug transport reads and writes without time, up to the end of the window", "[memory][tlm]") {
  Bench b;
  for (std::size_t i = 0; i < b.data.size(); ++i) b.data[i] = static_cast<unsigned char>(i * 3);
  CHECK(b.socket->transport_dbg(b.request(tlm::TLM_WRITE_COMMAND, 65000, 8192)) == 8192);
  b.data.assign(8192, 0);
  CHECK(b.socket->transport_dbg(b.request(tlm::TLM_READ_COMMAND, 65000, 8192)) == 8192);
  for (std::size_t i = 0; i < b.data.size(); ++i) REQUIRE(b.data[i] == static_cast<unsigned char>(i * 3));
  CHECK(b.socket->transport_dbg(b.request(tlm::TLM_READ_COMMAND, (1 << 20) - 10, 64)) == 10);
  CHECK(b.socket->transport_dbg(b.request(tlm::TLM_READ_COMMAND, 1 << 20, 64)) == 0);
  CHECK(b.socket->transport_dbg(b.request(tlm::TLM_IGNORE_COMMAND, 0, 64)) == 0);
  CHECK(b.controller.statistics().bytes() == 0);
}

TEST_CASE("DMI is refused by default, for the whole window", "[memory][tlm]") {
  Bench b;
  tlm::tlm_dmi dmi;
  CHECK_FALSE(b.socket->get_direct_mem_ptr(b.request(tlm::TLM_READ_COMMAND, 0, 64), dmi));
  CHECK_FALSE(dmi.is_read_write_allowed());
  CHECK(dmi.get_start_address() <= kBase);
  CHECK(dmi.get_end_address() >= kBase + 65535);
}

TEST_CASE("DMI is granted page by page where it was asked for", "[memory][tlm]") {
  DramControllerConfig config = Bench::configuration();
  config.allow_dmi = true;
  Bench b(config);
  b.run(b.request(tlm::TLM_WRITE_COMMAND, 70000, 64));
  CHECK(b.payload.is_dmi_allowed());
  tlm::tlm_dmi dmi;
  REQUIRE(b.socket->get_direct_mem_ptr(b.request(tlm::TLM_READ_COMMAND, 70000, 64), dmi));
  CHECK(dmi.get_start_address() == kBase + 65536);
  CHECK(dmi.get_end_address() == kBase + 2 * 65536 - 1);
  CHECK(dmi.is_read_write_allowed());
  CHECK(dmi.get_read_latency() > sc_core::SC_ZERO_TIME);
  CHECK(dmi.get_dmi_ptr()[70000 - 65536] == 0xee);
  dmi.get_dmi_ptr()[70000 - 65536] = 0x42;
  b.run(b.request(tlm::TLM_READ_COMMAND, 70000, 64));
  CHECK(b.data[0] == 0x42);
  tlm::tlm_dmi outside;
  CHECK_FALSE(b.socket->get_direct_mem_ptr(b.request(tlm::TLM_READ_COMMAND, 1 << 20, 64), outside));
  CHECK(b.checker.violations().empty());
}

TEST_CASE("b_transport annotates the delay and does not wait", "[memory][tlm]") {
  DramControllerConfig config = Bench::configuration();
  config.front_end_ns = 86.5;
  Bench b(config);
  const double clock = config.timing.clock_ns;
  b.run(b.request(tlm::TLM_READ_COMMAND, 0, 64));
  // Closed bank: 33 clocks from the first clock edge behind the front end; the loosely-timed form is one
  // clock near it.
  CHECK(b.last_delay.to_seconds() * 1e9 == Approx(86.5 + 33 * clock).margin(2.1 * clock));
  CHECK(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME);
  b.run(b.request(tlm::TLM_READ_COMMAND, 128, 64), sc_time(1000, SC_NS));  // the same two bank groups
  CHECK(b.last_delay.to_seconds() * 1e9 == Approx(1000 + 86.5 + 18 * clock).margin(2.1 * clock));
}

TEST_CASE("A timing-only transaction takes its time and leaves the data alone", "[memory][tlm]") {
  Bench b;
  TimingOnlyExtension timing_only;
  auto& p = b.request(tlm::TLM_READ_COMMAND, 0, 4096);
  p.set_extension(&timing_only);
  CHECK(b.run(p) == tlm::TLM_OK_RESPONSE);
  CHECK(b.data[5] == 0xee);
  CHECK(b.last_delay > sc_time(200, SC_NS));
  p.clear_extension(&timing_only);
  CHECK(b.run(b.request(tlm::TLM_READ_COMMAND, 0, 4096)) == tlm::TLM_OK_RESPONSE);
  CHECK(b.data[5] == 0);
}

TEST_CASE("Interleaving splits an access over the pseudo-channels", "[memory]") {
  DramControllerConfig config = Bench::configuration();
  config.interleave_bytes = 128;
  Bench b(config);
  b.run(b.request(tlm::TLM_READ_COMMAND, 0, 8192));
  const sc_time spread = b.last_delay;
  // 8 KB over four channels take about a quarter of the 569 ns that one needs.
  CHECK(spread < sc_time(240, SC_NS));
  CHECK(b.controller.dram_statistics().bursts == 256);
}
