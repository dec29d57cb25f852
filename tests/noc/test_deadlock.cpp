// What deadlocks, deadlocks, and the watchdog names the cycle of waits; what is safe by default gets through
// the same load.
#include <catch2/catch.hpp>

#include "models/workload/synthetic_run.h"

using namespace meshkv;
using namespace meshkv::noc;
using namespace meshkv::workload;

namespace {

SyntheticConfig multicast_load() {
  SyntheticConfig c;
  c.pattern = TrafficPattern::kMulticast;
  c.packet_flits = 8;
  c.multicast_fanout = 8;
  c.injection_rate = 0.03;
  c.warmup_cycles = 1000;
  c.measure_cycles = 10000;
  return c;
}

SyntheticConfig request_load() {
  SyntheticConfig c;
  c.pattern = TrafficPattern::kRequestReply;
  c.packet_flits = 8;
  c.injection_rate = 0.5;
  c.warmup_cycles = 1000;
  c.measure_cycles = 10000;
  c.drain_limit_cycles = 30000;
  return c;
}

/// Each waits for the next one: the same router, or the one behind the port.
void check_cycle(const DeadlockReport& report) {
  REQUIRE(report.cycle.size() >= 2);
  CHECK(report.still_cycles >= 10000);
  for (const DeadlockReport::Wait& w : report.cycle) {
    CHECK(w.packet != 0);
    CHECK(w.where.find("mesh.tile_") == 0);
    CHECK(!w.waits_for.empty());
    CHECK(report.text().find(w.where) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("Branches in lockstep deadlock, and the report names the trees", "[noc]") {
  SyntheticConfig c = multicast_load();
  c.noc.multicast_allocation = MulticastAllocation::kLockstep;
  SyntheticRun run("mesh", c);
  run.run();
  REQUIRE(run.statistics().outcome == SyntheticOutcome::kDeadlocked);
  REQUIRE(run.deadlock() != nullptr);
  check_cycle(*run.deadlock());
  for (const DeadlockReport::Wait& w : run.deadlock()->cycle) {
    CHECK(w.packet_class == PacketClass::kKvData);
    CHECK(w.destination == kNoNode);
  }
}

TEST_CASE("Branches that advance on their own pass the load that deadlocks lockstep", "[noc]") {
  SyntheticRun run("mesh", multicast_load());
  run.run();
  CHECK(run.deadlock() == nullptr);
  CHECK(run.statistics().outcome == SyntheticOutcome::kDrained);
}

TEST_CASE("Cut-through branches pass the load that deadlocks lockstep", "[noc]") {
  SyntheticConfig c = multicast_load();
  c.noc.multicast_allocation = MulticastAllocation::kCutThrough;
  SyntheticRun run("mesh", c);
  run.run();
  CHECK(run.deadlock() == nullptr);
  CHECK(run.statistics().outcome == SyntheticOutcome::kDrained);
}

TEST_CASE("Tree packets longer than a VC FIFO deadlock", "[noc]") {
  SyntheticConfig c = multicast_load();
  c.packet_flits = 32;
  c.injection_rate = 0.1;
  SyntheticRun run("mesh", c);
  run.run();
  REQUIRE(run.statistics().outcome == SyntheticOutcome::kDeadlocked);
  check_cycle(*run.deadlock());
}

TEST_CASE("Requests and replies that share VCs deadlock through the endpoints", "[noc]") {
  SyntheticConfig c = request_load();
  c.noc.vn1_vc_policy = Vn1VcPolicy::kShared;
  SyntheticRun run("mesh", c);
  run.run();
  REQUIRE(run.statistics().outcome == SyntheticOutcome::kDeadlocked);
  check_cycle(*run.deadlock());
  bool reply = false;
  bool request = false;
  bool endpoint = false;
  for (const DeadlockReport::Wait& w : run.deadlock()->cycle) {
    reply = reply || w.packet_class == PacketClass::kKvData;
    request = request || w.packet_class == PacketClass::kKvFetch;
    endpoint = endpoint || w.place == DeadlockReport::Place::kEjection;
  }
  CHECK(reply);
  CHECK(request);
  CHECK(endpoint);
}

TEST_CASE("Requests and replies with VCs of their own saturate and move", "[noc]") {
  SyntheticRun run("mesh", request_load());
  run.run();
  CHECK(run.deadlock() == nullptr);
  CHECK(run.statistics().outcome == SyntheticOutcome::kSaturated);
  CHECK(run.statistics().accepted_flits_per_node_cycle > 0.1);
}

TEST_CASE("An endpoint that never drains is named", "[noc]") {
  struct Stuck : NetworkClient {
    Cycle on_head(const Packet&, Cycle) override { return kNever; }
    void on_tail(const Packet&, Cycle) override {}
    void on_refill(PacketClass, Cycle) override {}
  } stuck;
  ClockDomain domain("clock", sc_core::sc_time(3, sc_core::SC_NS));
  NocConfig config;
  config.watchdog_cycles = 500;
  Mesh mesh("mesh", config, domain);
  for (int n = 0; n < mesh.nodes(); ++n) mesh.interface(static_cast<NodeId>(n)).set_client(stuck);
  Packet* p = mesh.interface(0).allocate();
  p->destination = 12;
  mesh.interface(0).send(p, 0);
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_US));
  REQUIRE(mesh.watchdog().deadlock());
  CHECK(mesh.watchdog().deadlock()->cycle.empty());
  CHECK(mesh.watchdog().deadlock()->endpoint == "mesh.tile_4_1.interface does not drain VC 0");
}
