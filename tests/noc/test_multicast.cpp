// Replication in the routers, the tag filter, and what the links count.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/noc/tile_mesh.h"

using namespace meshkv;
using namespace meshkv::noc;
using meshkv::test::Delivery;
using meshkv::test::TileMesh;

namespace {

Packet* data(TileMesh& t, NodeId from, std::vector<NodeId> to, std::uint32_t index, int flits = 8) {
  Packet* p = t.packet(from, PacketClass::kKvData, flits);
  p->tree = t.mesh.context().trees.get(from, std::move(to));
  p->key.index = index;
  return p;
}

LinkStatistics total(TileMesh& t) {
  LinkStatistics sum;
  for (int n = 0; n < t.mesh.nodes(); ++n) {
    for (unsigned p = 0; p < kPorts; ++p)
      sum += t.mesh.router(static_cast<NodeId>(n)).core().link(static_cast<Port>(p), t.domain.now() + 1);
    sum += t.mesh.interface(static_cast<NodeId>(n)).injection_statistics(0, t.domain.now() + 1);
  }
  return sum;
}

}  // namespace

TEST_CASE("A tree delivers once to each destination, at the latency of a unicast", "[noc]") {
  NocConfig config;
  config.profile = GENERATE(as<std::string>{}, "fpga");
  TileMesh t(config);
  const std::vector<NodeId> to = {0, 3, 10, 26, 27, 47, 58, 63};
  Packet* p = data(t, 19, to, 1);
  const MulticastTree* tree = p->tree;
  t.send(19, p, 0);
  t.run(200);
  REQUIRE(t.deliveries.size() == to.size());
  for (const Delivery& d : t.deliveries) {
    CHECK(std::count(to.begin(), to.end(), d.node) == 1);
    const Coord a = config.mesh.coord(19);
    const Coord b = config.mesh.coord(d.node);
    const int hops = std::abs(a.x - b.x) + std::abs(a.y - b.y);
    CHECK(d.tail == static_cast<Cycle>(2 * (hops + 1) + 2 + 7));
  }
  const LinkStatistics sum = total(t);
  CHECK(sum.useful == static_cast<std::uint64_t>(8 * tree->flit_hops()));
  CHECK(sum.flits() == sum.useful);
  CHECK(t.mesh.context().pool.live() == 0);
}

TEST_CASE("One branch that is held up does not hold up the others", "[noc]") {
  TileMesh t(NocConfig{});
  t.drain = [](NodeId node, const Packet&, Cycle now) { return node == 7 ? now + 500 : now; };
  t.send(0, data(t, 0, {7, 56}, 1), 0);
  t.run(800);
  REQUIRE(t.deliveries.size() == 2);
  CHECK(t.deliveries[0].node == 56);
  CHECK(t.deliveries[0].tail == 2 * 8 + 2 + 7);
  CHECK(t.deliveries[1].tail == 2 * 8 + 2 + 500 + 7);
}

TEST_CASE("In lockstep a branch that is held up holds up the others", "[noc]") {
  NocConfig config;
  config.multicast_allocation = MulticastAllocation::kLockstep;
  TileMesh t(config);
  t.drain = [](NodeId node, const Packet&, Cycle now) { return node == 1 ? now + 500 : now; };
  // The first packet fills the ejection buffer of tile 1, so the second one's branch there stands still.
  t.send(0, data(t, 0, {1}, 1), 0);
  t.send(0, data(t, 0, {1}, 2), 0);
  t.send(0, data(t, 0, {1, 2}, 3), 0);
  t.run(2500);
  REQUIRE(t.deliveries.size() == 4);
  const auto far =
      std::find_if(t.deliveries.begin(), t.deliveries.end(), [](const Delivery& d) { return d.node == 2; });
  CHECK(far->tail > 500);
}

TEST_CASE("The tag filter drops what every destination was sent before, and nothing else", "[noc]") {
  NocConfig config;
  config.tag_filter = true;
  TileMesh t(config);
  t.send(0, data(t, 0, {5, 40}, 1), 0);
  t.send(0, data(t, 0, {5, 40}, 1), 20);      // a duplicate
  t.send(0, data(t, 0, {5, 40, 44}, 1), 40);  // tile 44 has not had it
  t.send(0, data(t, 0, {5, 40}, 2), 60);      // another payload
  t.run(400);
  std::vector<int> count(64, 0);
  for (const Delivery& d : t.deliveries) ++count[d.node];
  CHECK(count[44] == 1);
  CHECK(count[5] >= 2);
  CHECK(count[40] >= 2);
  // The first router drops the whole duplicate; where the third tree branches, the branch to 5 is dropped.
  CHECK(t.mesh.router(0).core().statistics().suppressed_packets == 1);
  CHECK(t.mesh.router(0).core().statistics().suppressed_flits == 8);
  CHECK(count[5] == 2);
  CHECK(t.mesh.context().pool.live() == 0);
  for (int n = 0; n < 64; ++n)
    for (int vc = 0; vc < 4; ++vc)
      CHECK(t.mesh.router(static_cast<NodeId>(n)).core().view(Port::kTile, vc).packets == 0);
}

TEST_CASE("Links tell useful, duplicate and control flits apart", "[noc]") {
  TileMesh t(NocConfig{});
  Packet* p = t.packet(0, PacketClass::kKvData, 8);
  p->destination = 3;
  t.send(0, p, 0);
  p = t.packet(0, PacketClass::kKvData, 6);
  p->destination = 3;
  p->duplicate = true;
  t.send(0, p, 0);
  p = t.packet(0, PacketClass::kKvFetch, 1);
  p->destination = 3;
  t.send(0, p, 0);
  p = t.packet(0, PacketClass::kPart, 4);
  p->destination = 3;
  t.send(0, p, 0);
  t.run(200);
  const LinkStatistics east = t.mesh.router(1).port(Port::kEast).statistics(200);
  CHECK(east.useful == 8);
  CHECK(east.duplicate == 6);
  CHECK(east.control == 5);
  CHECK(east.flits() + east.back_pressure + east.idle(200) == 200);
  CHECK(t.mesh.interface(0).injection_statistics(0, 200).flits() == 19);
  CHECK(t.mesh.router(3).port(Port::kTile).statistics(200).flits() == 19);
  CHECK(t.mesh.router(3).port(Port::kEast).statistics(200).flits() == 0);
}

TEST_CASE("A link counts the cycles in which a flit was ready and none left", "[noc]") {
  TileMesh t(NocConfig{});
  t.drain = [](NodeId, const Packet&, Cycle now) { return now + 300; };
  // Eight flits fit the ejection buffer; the second packet waits in the router until they are drained.
  for (int k = 0; k < 2; ++k) {
    Packet* p = t.packet(0, PacketClass::kKvData, 8);
    p->destination = 1;
    t.send(0, p, 0);
  }
  t.run(1000);
  REQUIRE(t.deliveries.size() == 2);
  const LinkStatistics eject = t.mesh.router(1).port(Port::kTile).statistics(1000);
  CHECK(eject.useful == 16);
  // Head of the first at 6, drained from 306 on, so the credit is there at 308; the head of the second has
  // been ready since cycle 12 (its VC is given away at once, but there is no room).
  CHECK(eject.back_pressure == 308 - 12);
  CHECK(t.mesh.router(0).port(Port::kEast).statistics(1000).back_pressure == 0);
}
