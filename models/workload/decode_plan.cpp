#include "models/workload/decode_plan.h"

#include <algorithm>
#include <cstdlib>

namespace meshkv::workload {

namespace {

/// On a mesh narrower than the columns to follow, layer_following uses them all.
MappingConfig fitted(MappingConfig mapping, const MeshShape& mesh) {
  mapping.follow_columns = std::min(mapping.follow_columns, mesh.width);
  return mapping;
}

/// PART carries d_h FP32 accumulators and the softmax statistics m and l (paper Table I; FP32 as in DESIGN
/// section 9).
constexpr int kAccumulatorBits = 32;

/// A new token's keys and values leave the projection in 16 bits, whatever the cache keeps.
constexpr int kNewNumberBits = 16;

int flits_for(long bits, int flit_bits) {
  return static_cast<int>((bits + flit_bits - 1) / flit_bits);
}

}  // namespace

DecodePlan::DecodePlan(const MeshShape& mesh, const DecodeConfig& decode, const MappingConfig& mapping,
                       const takv::PlacementConfig& placement, int flit_bits)
    : mesh_(mesh),
      decode_(decode),
      flit_bits_(flit_bits),
      groups_(line_groups(decode.model, decode.layout)),
      part_flits_(flits_for((decode.model.head_dim + 2L) * kAccumulatorBits, flit_bits)),
      append_flits_(flits_for(2L * decode.model.head_dim * kNewNumberBits, flit_bits)),
      slice_layout_(decode.model, decode.layout, flit_bits),
      segments_(std::make_unique<SegmentTable>(decode)),
      homes_(std::make_unique<takv::SwapTable>(takv::Placement(placement, mesh, segments_->slots()), mesh)),
      mapping_(Mapping::make(fitted(mapping, mesh), mesh, decode.model, decode.layout,
                             takv::effective_stride(placement, mesh), segments_->slots())) {}

int DecodePlan::unicast_flit_hops(NodeId from, NodeId to) const {
  const Coord a = mesh_.coord(from);
  const Coord b = mesh_.coord(to);
  return std::abs(a.x - b.x) + std::abs(a.y - b.y) + 2;
}

SliceSize DecodePlan::slice_size(int tokens) const {
  SliceSize size;
  size.k_flits = slice_layout_.key_flits(tokens);
  size.flits = size.k_flits + slice_layout_.value_flits(tokens);
  return size;
}

std::uint32_t DecodePlan::macs_per_line(const mare::HeadMask& heads, int group, int streams) const {
  int here = 0;
  const int k = decode_.layout.heads_per_line;
  for (int head = group * k; head < std::min((group + 1) * k, decode_.model.kv_heads); ++head) {
    here += heads.test(static_cast<std::size_t>(head)) ? 1 : 0;
  }
  const int elements_per_head = flit_bits_ / decode_.layout.bits_per_element / k;
  return static_cast<std::uint32_t>(here * elements_per_head * decode_.model.group_size() * streams);
}

std::vector<std::uint32_t> DecodePlan::slot_ages() const {
  std::vector<std::uint32_t> ages(static_cast<std::size_t>(slots()), 0);
  for (int slot = 0; slot < slots(); ++slot)
    ages[static_cast<std::size_t>(slot)] =
        static_cast<std::uint32_t>(segments_->owner(slot).first_token / decode_.layout.segment_tokens);
  return ages;
}

int DecodePlan::held_tokens(std::uint32_t slot, int step) const {
  const auto owner = segments_->owner(static_cast<int>(slot));
  // Shared segments are whole in every stream.
  const long tokens = decode_.context_of(owner.stream) + step - owner.first_token;
  return static_cast<int>(std::clamp(tokens, 0L, static_cast<long>(decode_.layout.segment_tokens)));
}

void DecodePlan::begin_step(int step) {
  step_ = step;
  segments_ = std::make_unique<SegmentTable>(decode_, step);
  cached_ = {};
}

std::vector<AppendedRow> DecodePlan::appends(int step, int layer) const {
  std::vector<AppendedRow> rows;
  if (step + 1 >= decode_.steps) return rows;
  const SegmentTable next(decode_, step + 1);
  std::vector<bool> read(static_cast<std::size_t>(slots()), false);
  for (const NeededSegment& s : next.needed(layer)) read[static_cast<std::size_t>(s.slot)] = true;
  for (int stream = 0; stream < decode_.streams; ++stream) {
    const long token = decode_.context_of(stream) + step;
    const int slot = next.slot_of(stream, token);
    if (!read[static_cast<std::size_t>(slot)]) continue;
    for (int head = 0; head < decode_.model.kv_heads; ++head)
      rows.push_back({stream, head, static_cast<std::uint32_t>(slot),
                      static_cast<int>(token % decode_.layout.segment_tokens),
                      mapping_->tile(layer, slot, head), home(layer, static_cast<std::uint32_t>(slot))});
  }
  return rows;
}

const LayerPlan& DecodePlan::layer(int layer) const {
  if (cached_.layer != layer) cached_ = build(layer);
  return cached_;
}

LayerPlan DecodePlan::build(int layer) const {
  LayerPlan plan;
  const auto nodes = static_cast<std::size_t>(mesh_.nodes());
  const int kv_heads = decode_.model.kv_heads;
  plan.layer = layer;
  plan.items.resize(nodes);
  plan.parts.resize(nodes);
  plan.expected_parts.assign(nodes, 0);
  plan.segments = segments_->needed(layer);
  plan.index_of_slot.assign(static_cast<std::size_t>(slots()), -1);
  // By tile, KV head and stream: a partial result will have to leave.
  std::vector<std::vector<bool>> contributes(nodes);
  const auto flag = [&](int head, int stream) {
    return static_cast<std::size_t>(head * decode_.streams + stream);
  };
  std::vector<mare::HeadMask> heads(nodes);
  std::vector<NodeId> touched;
  for (const NeededSegment& segment : plan.segments) {
    plan.index_of_slot[static_cast<std::size_t>(segment.slot)] =
        static_cast<std::int32_t>(plan.sequence.size());
    touched.clear();
    for (int head = 0; head < kv_heads; ++head) {
      const NodeId tile = mapping_->tile(layer, segment.slot, head);
      if (heads[tile].none()) touched.push_back(tile);
      heads[tile].set(static_cast<std::size_t>(head));
      auto& flags = contributes[tile];
      flags.resize(static_cast<std::size_t>(kv_heads * decode_.streams));
      for (int s = 0; s < segment.streams; ++s) flags[flag(head, segment.first_stream + s)] = true;
    }
    std::uint32_t earliest = ~0U;
    for (NodeId tile : touched) {
      earliest = std::min(earliest, static_cast<std::uint32_t>(plan.items[tile].size()));
      plan.items[tile].push_back({static_cast<std::uint32_t>(segment.slot),
                                  static_cast<std::uint32_t>(segment.tokens),
                                  static_cast<std::uint16_t>(segment.streams), heads[tile]});
      heads[tile].reset();
    }
    plan.sequence.push_back(earliest);
  }
  add_parts(plan, contributes);
  return plan;
}

void DecodePlan::add_parts(LayerPlan& plan, const std::vector<std::vector<bool>>& contributes) const {
  for (std::size_t tile = 0; tile < contributes.size(); ++tile) {
    if (contributes[tile].empty()) continue;
    for (int head = 0; head < decode_.model.kv_heads; ++head) {
      const NodeId root = mapping_->reduce_root(plan.layer, head);
      for (int stream = 0; stream < decode_.streams; ++stream) {
        if (!contributes[tile][static_cast<std::size_t>(head * decode_.streams + stream)]) continue;
        for (int q = 0; q < decode_.model.group_size(); ++q) {
          const auto query_head = static_cast<std::uint16_t>(head * decode_.model.group_size() + q);
          plan.parts[tile].push_back({root, static_cast<std::uint16_t>(stream), query_head});
          ++plan.expected_parts[root];
        }
      }
    }
  }
}

}  // namespace meshkv::workload
