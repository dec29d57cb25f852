// What the tiles compute, without a chip: slices from the image, attention, merge, comparison.
#include <catch2/catch.hpp>
#include <cstring>

#include "models/data/data_plane.h"

using namespace meshkv;
using namespace meshkv::data;

namespace {

workload::DecodeConfig decode_config(int bits) {
  workload::DecodeConfig d;
  d.model.name = "small";
  d.model.layers = 2;
  d.model.heads = 8;
  d.model.kv_heads = 4;
  d.model.head_dim = 32;
  d.model.window_tokens = {0, 40};
  d.layout = {16, 2, bits};
  d.streams = 3;
  d.stream_context_tokens = {70, 35, 49};
  d.context_tokens = 70;
  d.shared_prefix_tokens = 33;
  d.steps = 3;
  return d;
}

struct Bench {
  explicit Bench(int bits) : plan({4, 4}, decode_config(bits), {}, {}, 512), plane(plan, values()) {}
  static std::unique_ptr<ValueSource> values() { return std::make_unique<SeededValues>(11, 32, 33); }

  std::vector<unsigned char> stream(int layer, const workload::NeededSegment& s, int group) {
    const auto& layout = plan.slice_layout();
    const auto image = plane.image().slice(layer, static_cast<std::uint32_t>(s.slot), group, plan.step());
    std::vector<unsigned char> bytes(std::size_t{layout.key_flits(s.tokens) + layout.value_flits(s.tokens)} *
                                     layout.flit_bytes());
    for (const auto& range : layout.stream(s.first_token, s.tokens))
      std::memcpy(bytes.data() + range.stream, image->data() + range.memory, range.bytes);
    return bytes;
  }

  /// A layer as the chip computes it: `damage` may change the bytes that tiles get.
  template <typename Damage>
  void run_layer(int layer, Damage damage) {
    const int groups = plan.groups();
    std::map<NodeId, AttentionUnit> tiles;
    std::map<NodeId, MergeUnit> roots;
    const workload::LayerPlan& todo = plan.layer(layer);
    for (std::size_t tile = 0; tile < todo.items.size(); ++tile) {
      AttentionUnit unit(plan, plane.codec(), plane.source());
      unit.begin_layer(layer);
      for (const workload::WorkItem& work : todo.items[tile]) {
        const auto& segment = todo.needed(work.segment);
        for (int g = 0; g < groups; ++g) {
          if (!mare::line_groups(work.heads, 2).test(static_cast<std::size_t>(g))) continue;
          auto bytes = stream(layer, segment, g);
          damage(segment, g, bytes);
          const std::string wrong = plane.judge(layer, segment, g, work.heads, bytes.data());
          if (!wrong.empty()) plane.outputs().report(wrong);
          unit.attend(segment, g, work.heads, bytes.data());
        }
      }
      for (const workload::PartialResult& part : todo.parts[tile]) {
        const auto bytes = unit.partial_bytes(part.stream, part.query_head);
        roots.try_emplace(part.root, 32)
            .first->second.add({part.stream, part.query_head}, from_bytes(bytes->data(), 32));
      }
    }
    for (const auto& [node, root] : roots) plane.outputs().results(layer, root.merged());
  }

  workload::DecodePlan plan;
  DataPlane plane;
};

constexpr auto kNoDamage = [](const auto&, int, auto&) {};

}  // namespace

TEST_CASE("Attention over windows, grouped heads and unequal streams is within its bound", "[data]") {
  double format_error[4] = {};
  int at = 0;
  for (const int bits : {16, 8, 4, 2}) {
    Bench bench(bits);
    for (int step = 0; step < 3; ++step) {
      bench.plan.begin_step(step);
      bench.run_layer(0, kNoDamage);
      bench.run_layer(1, kNoDamage);
    }
    INFO(bits << " bits: " << bench.plane.outputs().first_violation());
    REQUIRE(bench.plane.outputs().first_violation().empty());
    const ErrorFigures total = bench.plane.outputs().total();
    REQUIRE(bench.plane.outputs().heads().size() == 3 * 8);
    REQUIRE(total.numbers == 3 * 2 * 3 * 8 * 32);
    REQUIRE(total.max_abs_error <= total.bound);
    REQUIRE(total.max_error_over_bound <= 1);
    REQUIRE(total.max_abs_error > 0);
    REQUIRE(total.bound < 1e-3);  // worth something
    format_error[at++] = total.sum_format_error;
  }
  // What the formats cost grows as their bits shrink.
  REQUIRE(format_error[0] < format_error[1]);
  REQUIRE(format_error[1] < format_error[2]);
  REQUIRE(format_error[2] < format_error[3]);
}

TEST_CASE("One wrong bit in one value is found, by place and in the output", "[data]") {
  Bench bench(16);
  bench.run_layer(0, [](const workload::NeededSegment& s, int group, std::vector<unsigned char>& bytes) {
    if (s.slot == 1 && group == 1) bytes[bytes.size() / 2 + 129] ^= 0x40;  // an exponent bit of a value
  });
  const std::string& what = bench.plane.outputs().first_violation();
  INFO(what);
  REQUIRE(what.find("segment 1") != std::string::npos);
  REQUIRE(what.find("KV head 2") != std::string::npos);
  REQUIRE(bench.plane.outputs().total().max_error_over_bound > 1);
}

TEST_CASE("A block of the step before is called stale", "[data]") {
  Bench bench(16);
  bench.plan.begin_step(1);
  const auto& segment = bench.plan.layer(0).segments.back();  // the last one of stream 2: its 50th token
  auto bytes = bench.stream(0, segment, 0);
  const auto& layout = bench.plan.slice_layout();
  const auto old = bench.plane.image().slice(0, static_cast<std::uint32_t>(segment.slot), 0, 0);
  for (const auto& range : layout.stream(segment.first_token, segment.tokens))
    std::memcpy(bytes.data() + range.stream, old->data() + range.memory, range.bytes);
  mare::HeadMask heads;
  heads.set(1);
  const std::string what = bench.plane.judge(0, segment, 0, heads, bytes.data());
  INFO(what);
  REQUIRE(what.find("stale: what it was in step 0") != std::string::npos);
  REQUIRE(what.find("KV head 1") != std::string::npos);
}

TEST_CASE("A missing partial result is found in the output", "[data]") {
  Bench bench(16);
  MergeUnit root(32);
  AttentionUnit unit(bench.plan, bench.plane.codec(), bench.plane.source());
  unit.begin_layer(0);
  const auto& segment = bench.plan.layer(0).segments.front();
  mare::HeadMask heads;
  heads.set(0);
  unit.attend(segment, 0, heads, bench.stream(0, segment, 0).data());
  root.add({0, 0}, unit.partial(0, 0));
  bench.plane.outputs().results(0, root.merged());
  REQUIRE(bench.plane.outputs().first_violation().find("wrong attention") == 0);
}
