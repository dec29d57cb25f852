#include <catch2/catch.hpp>
#include <set>

#include "models/workload/segments.h"

using namespace meshkv::workload;

namespace {

DecodeConfig tiny() {
  DecodeConfig c;
  c.model.layers = 4;
  c.model.heads = 4;
  c.model.kv_heads = 4;
  c.model.head_dim = 16;
  c.layout.segment_tokens = 8;
  c.context_tokens = 35;
  return c;
}

}  // namespace

TEST_CASE("One stream needs its segments, the last one partly", "[workload][segments]") {
  const SegmentTable table(tiny());
  REQUIRE(table.slots() == 5);
  REQUIRE(table.layers() == std::vector<int>{0, 1, 2, 3});
  const auto& needed = table.needed(2);
  REQUIRE(needed.size() == 5);
  for (int s = 0; s < 5; ++s) {
    REQUIRE(needed[static_cast<std::size_t>(s)].slot == s);
    REQUIRE(needed[static_cast<std::size_t>(s)].tokens == (s == 4 ? 3 : 8));
    REQUIRE(needed[static_cast<std::size_t>(s)].first_token == 0);
    REQUIRE(needed[static_cast<std::size_t>(s)].streams == 1);
  }
}

TEST_CASE("Streams share whole prefix segments and have private slots", "[workload][segments]") {
  DecodeConfig c = tiny();
  c.streams = 3;
  c.shared_prefix_tokens = 20;  // two whole segments; tokens 16..19 are in each stream's own third
  const SegmentTable table(c);
  REQUIRE(table.shared_slots() == 2);
  REQUIRE(table.slots() == 2 + 3 * 3);
  const auto& needed = table.needed(0);
  REQUIRE(needed.size() == 11);
  REQUIRE(needed[1].streams == 3);
  REQUIRE(needed[1].first_stream == 0);
  REQUIRE(needed[5].slot == 5);  // first private segment of stream 1
  REQUIRE(needed[5].first_stream == 1);
  REQUIRE(needed[5].streams == 1);
  REQUIRE(needed[4].tokens == 3);
  REQUIRE(table.slot_of(1, 16) == 5);
  REQUIRE(table.slot_of(2, 34) == 10);
  REQUIRE(table.slot_of(2, 15) == 1);
  // Fully shared: one list for all.
  c.shared_prefix_tokens = 32;
  c.context_tokens = 32;
  REQUIRE(SegmentTable(c).slots() == 4);
  REQUIRE(SegmentTable(c).needed(0).size() == 4);
  REQUIRE(SegmentTable(c).needed(0)[3].streams == 3);
}

TEST_CASE("A block keeps its slot from step to step", "[workload][segments]") {
  DecodeConfig c = tiny();
  c.streams = 2;
  c.context_tokens = 15;
  c.steps = 3;  // 15, 16, 17 tokens: a third segment from step 2 on
  const SegmentTable first(c, 0);
  const SegmentTable last(c, 2);
  REQUIRE(first.slots() == 6);
  REQUIRE(last.slots() == 6);
  REQUIRE(first.slot_of(1, 9) == last.slot_of(1, 9));
  REQUIRE(first.needed(0).size() == 4);
  REQUIRE(first.needed(0)[1].tokens == 7);
  REQUIRE(SegmentTable(c, 1).needed(0)[1].tokens == 8);
  REQUIRE(last.needed(0).size() == 6);
  REQUIRE(last.needed(0)[2].tokens == 1);
  REQUIRE(last.needed(0)[5].slot == 5);
}

TEST_CASE("A sliding window needs the segments that it overlaps", "[workload][segments]") {
  DecodeConfig c = tiny();
  c.model.window_tokens = {0, 12, 12, 100};
  const SegmentTable table(c);
  REQUIRE(table.needed(0).size() == 5);
  // Tokens 23..34: the last of segment 2, all of 3, three of 4.
  const auto& w = table.needed(1);
  REQUIRE(w.size() == 3);
  REQUIRE(w[0].slot == 2);
  REQUIRE(w[0].first_token == 7);
  REQUIRE(w[0].tokens == 1);
  REQUIRE(w[1].tokens == 8);
  REQUIRE(w[2].tokens == 3);
  REQUIRE(table.needed(3).size() == 5);
  REQUIRE(table.slots() == 5);
}

TEST_CASE("Sampling cuts layers and the needed list", "[workload][segments]") {
  DecodeConfig c = tiny();
  c.model.window_tokens = {0, 12, 12, 0};
  c.sampled_layers = {3, 1};
  c.sampled_segment_from = 1;
  c.sampled_segment_to = 3;
  const SegmentTable table(c);
  REQUIRE(table.layers() == std::vector<int>{1, 3});
  REQUIRE(table.needed(1).size() == 2);
  REQUIRE(table.needed(1)[0].slot == 3);
  REQUIRE(table.needed_unsampled(1) == 3);
  REQUIRE(table.needed(3)[0].slot == 1);
  REQUIRE(table.needed_unsampled(3) == 5);
  c.sampled_segment_to = 99;
  REQUIRE(SegmentTable(c).needed(3).size() == 4);
  c.sampled_segment_from = 50;
  REQUIRE(SegmentTable(c).needed(3).empty());
  c.sampled_layers = {4};
  REQUIRE_THROWS_AS(SegmentTable(c), std::invalid_argument);
}

TEST_CASE("Sizes of slices and blocks", "[workload][segments]") {
  ModelShape llama;
  KvLayout layout;
  REQUIRE(line_groups(llama, layout) == 16);
  REQUIRE(slice_flits(llama, layout, 512, 64) == 1024);
  REQUIRE(block_bytes(llama, layout, 64) == 1 << 20);  // 1 MB, equation 3
  REQUIRE(slice_flits(llama, layout, 512, 64) * line_groups(llama, layout) * 64 == 1 << 20);
  // 3 tokens x 1 head x 80 x 16 bit = 3840 bit = 7.5 flits a half.
  ModelShape odd;
  odd.head_dim = 80;
  layout.heads_per_line = 1;
  REQUIRE(slice_flits(odd, layout, 512, 3) == 16);
}
