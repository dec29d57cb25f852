#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "models/noc/multicast_tree.h"
#include "models/workload/traffic_estimate.h"

using namespace meshkv;
using namespace meshkv::workload;
using takv::PlacementKind;

namespace {

struct Setup {
  MeshShape mesh{4, 4};
  takv::PlacementConfig placement;
  MappingConfig mapping;
  DecodeConfig decode;
  EstimateConfig estimate;

  TrafficEstimate run() const {
    const SegmentTable segments(decode);
    const takv::Placement p(placement, mesh, segments.slots());
    const auto m = Mapping::make(mapping, mesh, decode.model, decode.layout, p.stride(), segments.slots());
    return estimate_traffic(mesh, p, *m, decode, segments, estimate);
  }
};

/// One layer, 8 heads in four pairs, slices of 8 flits for whole segments of 4 tokens.
Setup small() {
  Setup s;
  s.decode.model.layers = 1;
  s.decode.model.heads = 8;
  s.decode.model.kv_heads = 8;
  s.decode.model.head_dim = 16;
  s.decode.layout.segment_tokens = 4;
  s.decode.context_tokens = 4;
  return s;
}

Setup llama(PlacementKind kind, bool multicast) {
  Setup s;
  s.mesh = MeshShape{8, 8};
  s.placement.kind = kind;
  s.estimate.multicast = multicast;
  return s;
}

/// The same figures by walking every path of every slice.
std::uint64_t flit_hops_by_walking(const Setup& s) {
  const SegmentTable segments(s.decode);
  const takv::Placement p(s.placement, s.mesh, segments.slots());
  const auto m =
      Mapping::make(s.mapping, s.mesh, s.decode.model, s.decode.layout, p.stride(), segments.slots());
  const int k = s.decode.layout.heads_per_line;
  std::uint64_t hops = 0;
  for (int l : segments.layers()) {
    for (const auto& n : segments.needed(l)) {
      for (int h = 0; h < s.decode.model.kv_heads; h += k) {
        std::set<NodeId> tiles;
        for (int i = h; i < std::min(h + k, s.decode.model.kv_heads); ++i)
          tiles.insert(m->tile(l, n.slot, i));
        std::set<std::pair<NodeId, NodeId>> links;  // directed
        std::size_t crossed = 0;
        for (NodeId t : tiles) {
          for (NodeId at = p.home(l, n.slot); at != t;) {
            const NodeId next = s.mesh.neighbour(at, xy_route(s.mesh, at, t));
            links.insert({at, next});
            ++crossed;
            at = next;
          }
        }
        const std::size_t per_flit =
            s.estimate.multicast ? links.size() + 1 + tiles.size() : crossed + 2 * tiles.size();
        hops += per_flit * static_cast<std::uint64_t>(
                               slice_flits(s.decode.model, s.decode.layout, s.estimate.flit_bits, n.tokens));
      }
    }
  }
  return hops;
}

}  // namespace

TEST_CASE("Traffic of one segment by hand", "[workload][estimate]") {
  // Home (0,0); pair g on (g,0) and (g,1): a tree has g + 1 links, one injection, two ejections: 4 5 6 7.
  Setup s = small();
  const auto tree = s.run();
  REQUIRE(tree.flit_hops == 8 * (4 + 5 + 6 + 7));
  REQUIRE(tree.link_flit_hops == 8 * (1 + 2 + 3 + 4));
  REQUIRE(tree.fetches == 8);
  REQUIRE(tree.delivered_flits == 8 * 8);
  REQUIRE(tree.loads.injection[0] == 32);
  REQUIRE(tree.loads.ejection[5] == 8);
  REQUIRE(tree.loads.ejection[8] == 0);
  REQUIRE(tree.loads.links[4 * 0 + 0] == 24);  // east of (0,0): pairs 1, 2, 3
  REQUIRE(tree.loads.links[4 * 2 + 2] == 8);   // south of (2,0)
  REQUIRE(tree.bisection_east == 16);
  REQUIRE(tree.bisection_west == 0);
  REQUIRE(tree.loads.hbm_bytes[0] == 32 * 64);
  REQUIRE(tree.loads.macs[0] == 4 * 16 * 2);
  REQUIRE(tree.bounds.injection == 32);
  REQUIRE(tree.bounds.ejection == 8);
  REQUIRE(tree.bounds.link == 24);
  REQUIRE(tree.bounds.bisection == 16);
  REQUIRE(tree.bounds.mac == Approx(128.0 / 90));
  REQUIRE(tree.bounds.hbm == Approx(2048 / 1536.0));
  REQUIRE(tree.bounds.ddr == 0);
  REQUIRE(tree.bounds.tightest().first == "injection");

  s.estimate.multicast = false;  // (g + 2) + (g + 3) for pair g
  const auto unicast = s.run();
  REQUIRE(unicast.flit_hops == 8 * (5 + 7 + 9 + 11));
  REQUIRE(unicast.bounds.injection == 64);
  REQUIRE(unicast.bisection_east == 32);
  REQUIRE(unicast.delivered_flits == tree.delivered_flits);
}

TEST_CASE("Layers add up, partial segments and streams count", "[workload][estimate]") {
  Setup s = small();
  s.decode.model.layers = 2;
  s.decode.model.heads = 16;    // two query heads a KV head
  s.decode.context_tokens = 5;  // slot 1 has one token: 1 * 2 * 16 * 16 bit = 1 flit a half
  s.decode.streams = 3;
  s.decode.shared_prefix_tokens = 4;
  const auto t = s.run();
  // Layer 0: slot 0 home (0,0); private slots 1, 2, 3 at rows 1, 2, 3 of column 0; 8 + 3 * 2 flits a group.
  REQUIRE(t.layers.size() == 2);
  REQUIRE(t.loads.injection[0] == 32);
  REQUIRE(t.loads.injection[4] == 8);
  // Layer 1: column 1, rows from 5 mod 4 = 1 on.
  REQUIRE(t.loads.injection[5] == 32);
  REQUIRE(t.loads.injection[1] == 8);
  REQUIRE(t.bounds.injection == 64);
  REQUIRE(t.fetches == 2 * 4 * 8);
  REQUIRE(t.loads.hbm_bytes[1] == 4 * 64 * (8 + 3 * 2));
  // Both rows of the upper half compute slots 0 and 1, for all three streams and stream 0: (4 * 3 + 1)
  // tokens; the lower half has slots 2 and 3. Layer 1: homes in rows 1, 2, 3, 0, so slots 0 and 3 above.
  const std::uint64_t per_token = 2 * 16 * 2;
  REQUIRE(t.loads.macs[0] == (13 + 13) * per_token);
  REQUIRE(t.loads.macs[8] == (2 + 2) * per_token);
  REQUIRE(t.bounds.mac == Approx(2 * 13.0 * static_cast<double>(per_token) / 90));
}

TEST_CASE("Spilled blocks load DDR, columns their own HBM", "[workload][estimate]") {
  Setup s = small();
  s.decode.context_tokens = 16;
  s.estimate.in_ddr = [](int, int slot) { return slot < 1; };
  s.estimate.hbm_column_local = true;
  const auto t = s.run();
  REQUIRE(t.loads.ddr_bytes == 2048);
  REQUIRE(t.loads.hbm_bytes[0] == 3 * 2048);
  REQUIRE(t.bounds.hbm == Approx(3 * 2048 / 384.0));  // a quarter of 1536 bytes a cycle
  REQUIRE(t.bounds.ddr == Approx(2048 * 300e6 / 38.56e9));
}

TEST_CASE("A central port has two injection links", "[workload][estimate]") {
  Setup s = small();
  s.placement.kind = PlacementKind::kCent;
  s.placement.cent_ports = takv::CentPorts::kCorner;
  REQUIRE(s.run().bounds.injection == 16);
  s.estimate.central_links = 1;
  REQUIRE(s.run().bounds.injection == 32);
}

TEST_CASE("Traffic ratios of the paper's Table IV", "[workload][estimate]") {
  const auto cent = llama(PlacementKind::kCent, false).run();
  // 9 flit-hops for each of 32 layers x 512 segments x 32 heads x 1024 flits.
  REQUIRE(cent.flit_hops == 9ULL * 32 * 512 * 32 * 1024);
  REQUIRE(4 * llama(PlacementKind::kShared, false).run().flit_hops == 29ULL * 32 * 512 * 32 * 1024);
  const auto takv = llama(PlacementKind::kTakv, false).run();
  REQUIRE(8 * takv.flit_hops == 47ULL * 32 * 512 * 32 * 1024);
  const auto meshkv = llama(PlacementKind::kTakv, true).run();
  const auto c = static_cast<double>(cent.flit_hops);
  REQUIRE(static_cast<double>(meshkv.flit_hops) / c == Approx(0.41).margin(0.002));
  REQUIRE(meshkv.delivered_flits == cent.delivered_flits);
  REQUIRE(meshkv.fetches == 32 * 512 * 32);
  // All homes of a layer are in one column: 64 segments a row, 16 groups.
  REQUIRE(meshkv.bounds.injection == 32.0 * 64 * 16 * 1024);
  REQUIRE(takv.bounds.injection == 2 * meshkv.bounds.injection);
  std::uint64_t hbm = 0;
  for (auto b : meshkv.loads.hbm_bytes) hbm += b;
  REQUIRE(hbm == 16ULL << 30);  // equation 2
}

TEST_CASE("Streams with a common prefix change no traffic", "[workload][estimate]") {
  Setup one = llama(PlacementKind::kTakv, true);
  Setup eight = one;
  eight.decode.streams = 8;
  eight.decode.shared_prefix_tokens = eight.decode.context_tokens;
  REQUIRE(eight.run().flit_hops == one.run().flit_hops);
  REQUIRE(eight.run().bounds.mac == 8 * one.run().bounds.mac);
}

TEST_CASE("The estimate equals a walk over every path", "[workload][estimate]") {
  std::mt19937 random(23);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 60; ++round) {
    Setup s = small();
    s.mesh = MeshShape{2 + pick(6), 2 + pick(6)};
    s.placement.kind = static_cast<PlacementKind>(pick(3));
    s.placement.cent_ports = static_cast<takv::CentPorts>(pick(4));
    s.mapping.policy = static_cast<MappingPolicy>(pick(4));
    s.mapping.follow_columns = 1 + pick(s.mesh.width);
    s.decode.model.layers = 1 + pick(5);
    s.decode.model.kv_heads = 1 + pick(20);
    s.decode.model.heads = s.decode.model.kv_heads * (1 + pick(3));
    s.decode.model.window_tokens = {0, 13};
    s.decode.layout.heads_per_line = 1 + pick(4);
    s.decode.context_tokens = 1 + pick(60);
    s.decode.streams = 1 + pick(3);
    s.decode.shared_prefix_tokens = pick(60);
    s.estimate.multicast = pick(2) == 0;
    const auto t = s.run();
    CAPTURE(round, s.mesh.width, s.mesh.height);
    REQUIRE(t.flit_hops == flit_hops_by_walking(s));
    // What goes in comes out: without branches as often, with them at most as often.
    std::uint64_t injected = 0;
    for (auto f : t.loads.injection) injected += f;
    REQUIRE((s.estimate.multicast ? injected <= t.delivered_flits : injected == t.delivered_flits));
  }
}
