// Network interfaces: order, back-pressure, refill, two injection links; and the patterns that are undefined.
#include <catch2/catch.hpp>

#include "models/workload/synthetic_run.h"
#include "tests/noc/tile_mesh.h"

using namespace meshkv;
using namespace meshkv::noc;
using meshkv::test::TileMesh;

TEST_CASE("Flits keep their credits until the client drains them", "[noc]") {
  NocConfig config;
  TileMesh t(config);
  t.drain = [](NodeId, const Packet&, Cycle now) { return now + 100; };
  for (int k = 0; k < 6; ++k) {
    Packet* p = t.packet(0, PacketClass::kPart, 8);
    p->destination = 2;
    t.send(0, p, 0);
  }
  t.run(90);
  CHECK(t.deliveries.empty());
  CHECK(t.mesh.router(2).core().credits(Port::kTile, 0) == 0);
  CHECK(t.mesh.router(2).core().credits(Port::kTile, 1) == 0);
  t.run(1500);
  CHECK(t.deliveries.size() == 6);
  CHECK(t.mesh.router(2).core().credits(Port::kTile, 0) == config.vc_depth_flits);
}

TEST_CASE("A client may say later when it drains", "[noc]") {
  TileMesh t(NocConfig{});
  const Packet* held = nullptr;
  t.drain = [&held](NodeId, const Packet& p, Cycle) {
    held = &p;
    return kNever;
  };
  Packet* p = t.packet(0, PacketClass::kKvData, 8);
  p->destination = 1;
  t.send(0, p, 0);
  t.run(50);
  REQUIRE(held == p);
  CHECK(t.deliveries.empty());
  t.mesh.interface(1).drain(*p, 60);
  t.run(50);
  REQUIRE(t.deliveries.size() == 1);
  CHECK(t.deliveries[0].tail == 67);
}

TEST_CASE("The interface asks for the next packet when the last one begins to leave", "[noc]") {
  struct Feeder : NetworkClient {
    NetworkInterface* interface = nullptr;
    std::vector<Cycle> asked;
    Cycle on_head(const Packet&, Cycle now) override { return now; }
    void on_tail(const Packet&, Cycle) override {}
    void on_refill(PacketClass c, Cycle now) override {
      asked.push_back(now);
      if (asked.size() > 4) return;
      Packet* p = interface->allocate();
      p->packet_class = c;
      p->flits = 8;
      p->destination = 5;
      interface->send(p, now);
      interface->want_refill(c);
    }
  } feeder;
  ClockDomain domain("clock", sc_core::sc_time(3, sc_core::SC_NS));
  Mesh mesh("mesh", NocConfig{}, domain);
  for (int n = 0; n < mesh.nodes(); ++n) mesh.interface(static_cast<NodeId>(n)).set_client(feeder);
  feeder.interface = &mesh.interface(0);
  feeder.interface->want_refill(PacketClass::kKvData);
  sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
  // KV_DATA has one VC: a packet of 8 flits every 8 cycles, without a gap.
  CHECK(feeder.asked == std::vector<Cycle>{0, 0, 8, 16, 24});
  CHECK(mesh.context().pool.live() == 0);
}

TEST_CASE("A second injection link doubles what a corner can send", "[noc]") {
  struct Sink : NetworkClient {
    std::uint64_t flits = 0;
    Cycle last = 0;
    bool drains_at_once() const override { return true; }
    Cycle on_head(const Packet&, Cycle now) override { return now; }
    void on_tail(const Packet& p, Cycle now) override {
      flits += p.flits;
      last = std::max(last, now);
    }
    void on_refill(PacketClass, Cycle) override {}
  } sink;
  ClockDomain domain("clock", sc_core::sc_time(3, sc_core::SC_NS));
  NocConfig config;
  NocContext context(config, domain);
  std::vector<std::unique_ptr<Router>> routers;
  std::vector<std::unique_ptr<NetworkInterface>> interfaces;
  std::vector<Router*> pointers;
  for (int n = 0; n < config.mesh.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    routers.push_back(std::make_unique<Router>(("router_" + std::to_string(n)).c_str(), context, node));
    interfaces.push_back(std::make_unique<NetworkInterface>(("interface_" + std::to_string(n)).c_str(),
                                                            context, node, &sink, n == 0 ? 2 : 1));
    connect_interface(*interfaces.back(), *routers.back());
    pointers.push_back(routers.back().get());
  }
  connect_mesh(config.mesh, pointers);
  connect_second_injection(*interfaces[0], *routers[0], Port::kWest);
  // One stream leaves to the east, the other to the south.
  for (int k = 0; k < 100; ++k) {
    Packet* p = interfaces[0]->allocate();
    p->packet_class = PacketClass::kKvData;
    p->flits = 8;
    p->destination = k % 2 == 0 ? 7 : 56;
    interfaces[0]->send(p, 0);
  }
  sc_core::sc_start(sc_core::sc_time(6, sc_core::SC_US));
  CHECK(sink.flits == 800);
  CHECK(sink.last < 450);
  CHECK(interfaces[0]->injection_statistics(0, 2000).useful == 400);
  CHECK(interfaces[0]->injection_statistics(1, 2000).useful == 400);
  for (int vc = 0; vc < config.vcs(); ++vc) CHECK(interfaces[0]->injection_link(1).credits(vc) == 8);
}

TEST_CASE("Idle cycles cost no kernel activation", "[noc]") {
  // The same packets, once close together and once with ten times the idle time in between.
  struct Counted {
    std::uint64_t activations = 0;
    std::uint64_t ticks = 0;
  };
  std::vector<std::unique_ptr<workload::SyntheticRun>> runs;
  for (const Cycle gap : {Cycle{1000}, Cycle{10000}}) {
    workload::SyntheticConfig c;
    c.pattern = workload::TrafficPattern::kReplay;
    c.noc.watchdog_cycles = 1000000;
    for (Cycle k = 0; k < 50; ++k)
      c.packets.push_back({k * gap, static_cast<NodeId>(k), static_cast<NodeId>(63 - k), 5, kNever});
    runs.push_back(std::make_unique<workload::SyntheticRun>("mesh_" + std::to_string(gap), c));
    runs.back()->begin();
  }
  sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_MS));
  CHECK(runs[0]->statistics().ejected_packets == 50);
  CHECK(runs[1]->statistics().ejected_packets == 50);
  // One look of the watchdog is all that may differ.
  CHECK(runs[1]->domain().statistics().activations <= runs[0]->domain().statistics().activations + 1);
  CHECK(runs[1]->domain().statistics().ticks <= runs[0]->domain().statistics().ticks + 1);
}

TEST_CASE("Patterns say where they are undefined", "[noc]") {
  workload::SyntheticConfig c;
  CHECK(workload::validate(c).empty());
  c.noc.mesh = {4, 2};
  c.pattern = workload::TrafficPattern::kTranspose;
  REQUIRE(workload::validate(c).size() == 1);
  CHECK(workload::validate(c)[0].find("square") != std::string::npos);
  c.pattern = workload::TrafficPattern::kBitcomp;
  CHECK(workload::validate(c).empty());
  c.noc.mesh = {3, 4};
  REQUIRE(workload::validate(c).size() == 1);
  CHECK(workload::validate(c)[0].find("power of two") != std::string::npos);
  c.pattern = workload::TrafficPattern::kNeighbor;
  CHECK(workload::validate(c).empty());
  c.pattern = workload::TrafficPattern::kHotspot;
  c.hotspot_node = 12;
  CHECK(workload::validate(c).size() == 1);
  c.noc.profile = "b9";
  CHECK(workload::validate(c).size() == 2);
  CHECK_THROWS_AS(workload::SyntheticRun("mesh", c), std::invalid_argument);
}
