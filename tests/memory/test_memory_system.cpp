// Ports, interconnect and controllers together, with a protocol checker on every link.
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <memory>

#include "models/memory/memory_system.h"
#include "tests/support/random_tlm.h"
#include "tests/support/tlm_checker.h"

using namespace meshkv;
using namespace meshkv::memory;
using meshkv::test::RandomInitiator;
using meshkv::test::RandomTarget;
using meshkv::test::TlmChecker;
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {

// Not a global object: a run sets the time resolution, which must come before the first sc_time.
sc_core::sc_time fabric_period() {
  return sc_core::sc_time(10.0 / 3.0, sc_core::SC_NS);
}

void require_silent(const TlmChecker& checker) {
  for (const std::string& v : checker.violations()) UNSCOPED_INFO(v);
  CHECK(checker.violations().empty());
}

DramControllerConfig small_controller(std::uint64_t base) {
  DramControllerConfig config;
  config.channels = 4;
  config.base_address = base;
  config.size_bytes = 1 << 20;
  config.queue_requests = 1;
  return config;
}

struct Recorder : MemoryClient {
  struct Answer {
    Cycle when;
    bool ok;
    sc_time at;
  };
  std::map<std::uint64_t, Answer> answers;
  void on_memory_response(std::uint64_t tag, Cycle when, bool ok) override {
    answers[tag] = {when, ok, sc_core::sc_time_stamp()};
  }
};

}  // namespace

TEST_CASE("Interconnect and controllers keep the base protocol under random back-pressure", "[memory][tlm]") {
  // Two of our controllers and two random targets behind the interconnect; six random initiators.
  const std::uint64_t window = 1 << 20;
  MemoryInterconnectConfig wiring;
  for (int t = 0; t < 4; ++t) wiring.windows.push_back({static_cast<std::uint64_t>(t) * window, window, t});
  wiring.switch_ns.assign(6, {3.0, 5.0, 0.0, 11.0});
  MemoryInterconnect interconnect("interconnect", wiring);
  DramController hbm_0("hbm_0", small_controller(0)), hbm_1("hbm_1", small_controller(window));
  RandomTarget odd_0("odd_0", 5), odd_1("odd_1", 6);
  std::deque<TlmChecker> checkers;
  const auto checker = [&]() -> TlmChecker& {
    return checkers.emplace_back(sc_core::sc_gen_unique_name("checker"));
  };
  for (tlm::tlm_target_socket<>* socket : {&hbm_0.socket, &hbm_1.socket, &odd_0.socket, &odd_1.socket}) {
    TlmChecker& c = checker();
    interconnect.to_controllers.bind(c.in);
    c.out.bind(*socket);
  }
  std::deque<RandomInitiator> initiators;
  for (unsigned i = 0; i < 6; ++i) {
    // Each has its own 4 KiB in one of the targets; the targets are shared.
    RandomInitiator& r = initiators.emplace_back(sc_core::sc_gen_unique_name("initiator"), i + 1, 1500,
                                                 i % 4 * window + i * 8192, 4096);
    TlmChecker& c = checker();
    r.socket.bind(c.in);
    c.out.bind(interconnect.from_ports);
  }
  sc_core::sc_start();
  for (const RandomInitiator& r : initiators) {
    CHECK(r.done() == 1500);
    CHECK(r.errors() == 0);
    CHECK(r.live_payloads() == 0);
  }
  for (const TlmChecker& c : checkers) require_silent(c);
  CHECK(interconnect.idle());
  CHECK(hbm_0.idle());
  CHECK(interconnect.statistics().queued_requests > 0);
  CHECK(interconnect.statistics().queued_responses > 0);
}

TEST_CASE("A controller withholds END_REQ while its queue is full", "[memory][tlm]") {
  DramControllerConfig config = small_controller(0);
  config.channels = 1;
  config.queue_requests = 4;
  DramController controller("hbm_0", config);
  TlmChecker checker("checker");
  MemoryPortConfig port_config;
  port_config.clock_period = fabric_period();
  port_config.outstanding = 64;
  MemoryPort port("port", port_config);
  port.socket.bind(checker.in);
  checker.out.bind(controller.socket);
  Recorder recorder;
  for (std::uint64_t i = 0; i < 64; ++i) port.read(recorder, i * 4096, 4096, i, 0);
  sc_core::sc_start();
  REQUIRE(recorder.answers.size() == 64);
  require_silent(checker);
  // Four are in the queue, a fifth stands in the request channel.
  CHECK(checker.peak_outstanding() == 5);
  CHECK(port.idle());
  CHECK(port.live_payloads() == 0);
  CHECK(controller.idle());
}

TEST_CASE("Two transactions that the chip cannot reach are answered with errors", "[memory]") {
  const MemoryConfig config;
  MemoryMapShape shape;
  shape.segments_per_layer.assign(4, 16);
  shape.slice_bytes = 65536;
  const MemoryMap map(config, shape);
  MemorySystem system(config, map, 8, {0, 7});
  MemoryPortConfig port_config;
  port_config.clock_period = fabric_period();
  MemoryPort at_port("at_port", port_config);
  port_config.mode = TimingMode::kLt;
  MemoryPort lt_port("lt_port", port_config);
  system.bind(at_port);
  system.bind(lt_port);
  Recorder recorder;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const std::uint64_t nowhere = std::uint64_t{1} << 50;
  at_port.read(recorder, nowhere, 64, 1, 0);
  lt_port.read(recorder, nowhere, 64, 2, 0);
  lt_port.read(recorder, map.hbm_span() - 32, 64, 3, 0);  // across two controllers
  at_port.read(recorder, 0, 64, 4, 0);
  lt_port.read(recorder, kDdrBase, 64, 5, 0);
  sc_core::sc_start();
  REQUIRE(recorder.answers.size() == 5);
  for (const std::uint64_t tag : {1U, 2U, 3U}) CHECK_FALSE(recorder.answers.at(tag).ok);
  for (const std::uint64_t tag : {4U, 5U}) CHECK(recorder.answers.at(tag).ok);
  CHECK(system.interconnect().statistics().unmapped == 3);
  CHECK(system.idle());
}

TEST_CASE("Switch latency grows with the distance", "[memory]") {
  MemoryConfig config;
  CHECK(switch_latency_ns(config, 0, 8, 0) == Approx(15.6));
  CHECK(switch_latency_ns(config, 0, 8, 7) == Approx(15.6 + 48.9));
  CHECK(switch_latency_ns(config, 15, 16, 0) == Approx(15.6 + 48.9));
  CHECK(switch_latency_ns(config, 1, 4, 3) == Approx(15.6));  // column 1 of 4 has controllers 2 and 3
  config.hbm_reach = HbmReach::kColumn;
  CHECK(switch_latency_ns(config, 3, 8, 3) == 0.0);
}

TEST_CASE("Windows that overlap are refused by name", "[memory]") {
  MemoryInterconnectConfig wiring;
  wiring.windows = {{0, 4096, 0}, {4095, 4096, 1}};
  REQUIRE_THROWS_WITH(MemoryInterconnect("interconnect", wiring), Catch::Contains("overlap"));
}

TEST_CASE("What a port writes it reads back, in both modes", "[memory]") {
  DramController controller("hbm_0", small_controller(0));
  MemoryPortConfig port_config;
  port_config.clock_period = fabric_period();
  MemoryPort port("port", port_config);
  port.socket.bind(controller.socket);
  Recorder recorder;
  std::vector<unsigned char> out(8192), in(8192), again(8192);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<unsigned char>(i * 7 + i / 256);
  port.write(recorder, 1000, 8192, 1, 0, out.data());
  sc_core::sc_start();
  port.read(recorder, 1000, 8192, 2, 2000, in.data());
  sc_core::sc_start();
  CHECK(in == out);
  port.set_mode(TimingMode::kLt);
  port.read(recorder, 1000, 8192, 3, 5000, again.data());
  CHECK(again == out);
  CHECK(recorder.answers.at(3).when > 5000);
  CHECK(recorder.answers.at(3).at < static_cast<double>(recorder.answers.at(3).when) * fabric_period());
}

TEST_CASE("With the card's front end the idle latencies are the card's", "[memory]") {
  // Shuhai's on the card, switch off, less than 5 % away: 106.7 (hit), 122.2 (closed), 137.8 ns (miss).
  const sc_time clock(10.0 / 9.0, SC_NS);
  DramControllerConfig config = small_controller(0);
  config.channels = 1;
  config.front_end_ns = MemoryConfig{}.hbm_front_end_ns;
  DramController controller("hbm_0", config);
  MemoryPortConfig port_config;
  port_config.clock_period = clock;
  MemoryPort port("port", port_config);
  port.socket.bind(controller.socket);
  Recorder recorder;
  const auto idle_latency = [&](std::uint64_t address, std::uint64_t tag, Cycle at) {
    port.read(recorder, address, 64, tag, at);
    sc_core::sc_start();
    return static_cast<double>(recorder.answers.at(tag).when - at) * 10.0 / 9.0;
  };
  CHECK(idle_latency(0, 1, 200) == Approx(122.2).epsilon(0.05));
  CHECK(idle_latency(128, 2, 600) == Approx(106.7).epsilon(0.05));
  CHECK(idle_latency(16384, 3, 1000) == Approx(137.8).epsilon(0.05));
}
