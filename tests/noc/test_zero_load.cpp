// Zero-load network latency is c(M + 1) + 2 + (n - 1) cycles, exactly: c cycles a hop, M hops, n flits.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "models/common/seed.h"
#include "models/noc/mesh.h"
#include "models/workload/synthetic_run.h"

using namespace meshkv;
using namespace meshkv::noc;

namespace {

int distance(Coord a, Coord b) {
  return std::abs(a.x - b.x) + std::abs(a.y - b.y);
}

/// Sends a packet between every pair of nodes, one after the other, and compares each latency.
struct AllPairs : NetworkClient {
  AllPairs(const std::string& profile, int cycles_per_hop, int packet_flits)
      : per_hop(cycles_per_hop),
        flits(packet_flits),
        domain(("clock_" + profile + std::to_string(packet_flits)).c_str(),
               sc_core::sc_time(3, sc_core::SC_NS)) {
    NocConfig config;
    config.profile = profile;
    mesh = std::make_unique<Mesh>(("mesh_" + profile + std::to_string(packet_flits)).c_str(), config, domain);
    for (int n = 0; n < mesh->nodes(); ++n) mesh->interface(static_cast<NodeId>(n)).set_client(*this);
  }

  void send(Cycle at) {
    NetworkInterface& from = mesh->interface(static_cast<NodeId>(pair / mesh->nodes()));
    Packet* p = from.allocate();
    p->flits = static_cast<std::uint16_t>(flits);
    p->destination = static_cast<NodeId>(pair % mesh->nodes());
    from.send(p, at);
  }

  Cycle on_head(const Packet&, Cycle now) override { return now; }
  void on_tail(const Packet& p, Cycle now) override {
    const MeshShape& shape = mesh->context().config.mesh;
    const int hops = distance(shape.coord(p.source), shape.coord(p.destination));
    if (static_cast<int>(now - p.injected) != per_hop * (hops + 1) + 2 + flits - 1) ++wrong;
    if (++pair < mesh->nodes() * mesh->nodes()) send(now + 20 + idle());
  }
  void on_refill(PacketClass, Cycle) override {}
  /// 0, or up to four million cycles of every order of magnitude: what was remembered of a VC must not go
  /// stale.
  Cycle idle() {
    if (!long_gaps) return 0;
    state = mix64(state);
    return (state >> 8) & ((Cycle{1} << (state & 0xff) % 23) - 1);
  }

  bool long_gaps = false;
  std::uint64_t state = 1;
  int per_hop;
  int flits;
  int pair = 0;
  int wrong = 0;
  ClockDomain domain;
  std::unique_ptr<Mesh> mesh;
};

}  // namespace

TEST_CASE("Zero-load latency of every pair follows the formula", "[noc]") {
  std::vector<std::unique_ptr<AllPairs>> runs;
  for (const int flits : {1, 5, 16}) {
    runs.push_back(std::make_unique<AllPairs>("b1", 5, flits));
    runs.push_back(std::make_unique<AllPairs>("b2", 3, flits));
    runs.push_back(std::make_unique<AllPairs>("fpga", 2, flits));
  }
  for (auto& run : runs) run->send(0);
  sc_core::sc_start(sc_core::sc_time(3, sc_core::SC_MS));
  for (auto& run : runs) {
    INFO(run->mesh->name() << ", packets of " << run->flits << " flits");
    CHECK(run->pair == 4096);
    CHECK(run->wrong == 0);
    CHECK(run->mesh->context().pool.live() == 0);
  }
}

TEST_CASE("Zero-load latency does not depend on how long the mesh was idle", "[noc]") {
  std::vector<std::unique_ptr<AllPairs>> runs;
  runs.push_back(std::make_unique<AllPairs>("b1", 5, 5));
  runs.push_back(std::make_unique<AllPairs>("b2", 3, 5));
  runs.push_back(std::make_unique<AllPairs>("fpga", 2, 5));
  for (auto& run : runs) {
    run->long_gaps = true;
    run->send(0);
  }
  sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_SEC));
  for (auto& run : runs) {
    CHECK(run->pair == 4096);
    CHECK(run->wrong == 0);
    CHECK(run->mesh->context().pool.live() == 0);
  }
}

TEST_CASE("At a rate of 0.0005 latency is zero load but for chance meetings", "[noc]") {
  std::vector<std::unique_ptr<meshkv::workload::SyntheticRun>> runs;
  for (const char* profile : {"b1", "b2", "fpga"}) {
    meshkv::workload::SyntheticConfig c;
    c.noc.profile = profile;
    c.injection_rate = 0.0005;
    c.warmup_cycles = 0;
    c.measure_cycles = 2000000;
    runs.push_back(std::make_unique<meshkv::workload::SyntheticRun>(std::string("mesh_") + profile, c));
    runs.back()->begin();
    runs.back()->stop_at(c.measure_cycles);
  }
  sc_core::sc_start(2000500.0 * runs.front()->domain().period());
  const int per_hop[] = {5, 3, 2};
  for (std::size_t k = 0; k < runs.size(); ++k) {
    runs[k]->finish();
    const auto& s = runs[k]->statistics();
    CHECK(s.arrived_packets == s.measured_packets);
    CHECK(s.measured_packets > 12000);
    const double zero = per_hop[k] * s.avg_hops + 2 + 4;
    CHECK(s.avg_network_latency >= zero);
    CHECK(s.avg_network_latency < zero * 1.003);
  }
}
