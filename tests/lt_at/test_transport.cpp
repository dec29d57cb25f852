// The loosely-timed transport against the approximately-timed one, on the mesh alone.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "tests/lt_at/flow_load.h"

using namespace meshkv;
using namespace meshkv::test;
using Catch::Matchers::WithinRel;

namespace {

FlowLoad load(std::vector<Flow> flows, int width = 8, int height = 8) {
  FlowLoad l;
  l.noc.mesh = {width, height};
  l.flows = std::move(flows);
  return l;
}

NodeId node(int x, int y, int width = 8) {
  return static_cast<NodeId>(x + y * width);
}

/// What must be equal always, and cycles within `percent`.
void agree(const std::vector<FlowLoad>& loads, double percent, double mean_percent = 15) {
  for (const Compared& c : compare(loads)) {
    CHECK(c.lt.received == c.at.received);
    CHECK(c.lt.links.flits() == c.at.links.flits());
    CHECK(c.at.live == 0);
    CHECK(c.lt.live == 0);
    INFO("at " << c.at.cycles << " cycles, " << c.at.links.back_pressure << " stalled; lt " << c.lt.cycles
               << ", " << c.lt.links.back_pressure);
    CHECK_THAT(c.ratio(), WithinRel(1.0, percent / 100));
    CHECK_THAT(c.lt.mean_finish(), WithinRel(c.at.mean_finish(), mean_percent / 100));
  }
}

/// Sends a packet between every pair of nodes in lt, one after the other, and compares each latency with the
/// formula that at obeys exactly (test_noc_zero_load.cpp).
struct LooseAllPairs : noc::NetworkClient {
  LooseAllPairs(const std::string& profile, int cycles_per_hop, int packet_flits)
      : per_hop(cycles_per_hop),
        flits(packet_flits),
        domain(("clock_" + profile + std::to_string(packet_flits)).c_str(),
               sc_core::sc_time(3, sc_core::SC_NS)) {
    noc::NocConfig config;
    config.profile = profile;
    mesh = std::make_unique<noc::Mesh>(("mesh_" + profile + std::to_string(packet_flits)).c_str(), config,
                                       domain);
    mesh->context().set_mode(TimingMode::kLt);
    for (int n = 0; n < mesh->nodes(); ++n) mesh->interface(static_cast<NodeId>(n)).set_client(*this);
  }
  void run() {
    for (Cycle at = 0; pair < mesh->nodes() * mesh->nodes(); ++pair, at += 200) {
      noc::NetworkInterface& from = mesh->interface(static_cast<NodeId>(pair / mesh->nodes()));
      noc::Packet* p = from.allocate();
      p->packet_class = static_cast<noc::PacketClass>(pair % 3);
      p->flits = static_cast<std::uint16_t>(flits);
      p->destination = static_cast<NodeId>(pair % mesh->nodes());
      from.send(p, at);
    }
  }
  Cycle on_head(const noc::Packet&, Cycle now) override { return now; }
  void on_tail(const noc::Packet& p, Cycle now) override {
    const MeshShape& shape = mesh->context().config.mesh;
    const Coord a = shape.coord(p.source), b = shape.coord(p.destination);
    const int hops = std::abs(a.x - b.x) + std::abs(a.y - b.y);
    ++delivered;
    if (static_cast<int>(now - p.created) != per_hop * (hops + 1) + 2 + flits - 1) ++wrong;
  }
  void on_refill(noc::PacketClass, Cycle) override {}

  int per_hop, flits;
  int pair = 0, wrong = 0, delivered = 0;
  ClockDomain domain;
  std::unique_ptr<noc::Mesh> mesh;
};

}  // namespace

TEST_CASE("lt: zero-load latency of every pair, class and profile is at's", "[lt]") {
  std::vector<std::unique_ptr<LooseAllPairs>> runs;
  for (const int flits : {1, 9, 64}) {
    runs.push_back(std::make_unique<LooseAllPairs>("b1", 5, flits));
    runs.push_back(std::make_unique<LooseAllPairs>("b2", 3, flits));
    runs.push_back(std::make_unique<LooseAllPairs>("fpga", 2, flits));
  }
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (auto& run : runs) {
    INFO(run->mesh->name() << ", packets of " << run->flits << " flits");
    run->run();
    CHECK(run->delivered == 4096);
    CHECK(run->wrong == 0);
    CHECK(run->mesh->context().pool.live() == 0);
  }
}

TEST_CASE("lt: a lone stream takes at's cycles", "[lt]") {
  agree({load({{node(0, 0), {node(5, 6)}, 4096}}), load({{node(3, 3), {node(3, 3)}, 4096}})}, 0.2);
}

TEST_CASE("lt: a saturated injection port is within 2 % of at", "[lt]") {
  std::vector<Flow> flows;
  for (const NodeId to : {node(0, 3), node(7, 1), node(4, 4), node(2, 2), node(3, 7)})
    flows.push_back({node(3, 3), {to}, 2048});
  agree({load(flows)}, 2);
}

TEST_CASE("lt: homes that stream over a shared link are within 5 % of at", "[lt]") {
  agree({load({{node(0, 0), {node(5, 0)}, 4096}, {node(1, 0), {node(6, 0)}, 4096}}),
         load({{node(0, 0), {node(5, 0)}, 4096},
               {node(1, 1), {node(1, 0)}, 1024},
               {node(1, 0), {node(6, 0)}, 8192},
               {node(2, 0), {node(2, 5), node(4, 0)}, 1024}})},
        5);
}

TEST_CASE("lt: homes that stream to one tile are within 5 % of at", "[lt]") {
  agree({load({{node(0, 0), {node(5, 5)}, 4096},
               {node(7, 1), {node(5, 5)}, 4096},
               {node(5, 7), {node(5, 5)}, 2048}})},
        5);
}

TEST_CASE("lt: a corner that injects two flits a cycle is within 5 % of at", "[lt]") {
  std::vector<Flow> flows;
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) flows.push_back({node(0, 0), {node(x, y)}, 256});
  FlowLoad l = load(flows);
  l.two_ports = {node(0, 0)};
  agree({l}, 5);
}

TEST_CASE("lt: multicast pairs are within 5 % of at", "[lt]") {
  std::vector<Flow> flows;
  for (int x = 0; x < 8; ++x)
    for (int y = 0; y < 8; y += 2)
      flows.push_back({node(x, (y * 3 + x) % 8), {node((x + 2) % 8, y), node((x + 2) % 8, y + 1)}, 1024});
  agree({load(flows)}, 5);
}

TEST_CASE("lt: random unicast loads have at's flit-hops, and its mean time to finish", "[lt]") {
  std::vector<FlowLoad> loads;
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::mt19937 random(seed);
    std::vector<Flow> flows;
    for (int i = 0; i < 256; ++i) {
      const auto from = static_cast<NodeId>(random() % 64);
      const auto flits = 64 + 8 * static_cast<std::uint32_t>(random() % 128);
      flows.push_back({from, {static_cast<NodeId>(random() % 64)}, flits});
    }
    loads.push_back(load(flows));
  }
  // at's routers share a link by input, not by stream: whose streams are many finishes last. lt does too, but
  // what a stream has overtaken is late only with its next chunk, and the last chunk of each has none.
  agree(loads, 40, 22);
}
