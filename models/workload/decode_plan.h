// What one decode step asks of the fabric, layer by layer: which tile computes which heads of which segment,
// where the blocks live, and how many partial results each reduce root gets. Shared, read-only; plain C++.
#pragma once

#include <memory>
#include <vector>

#include "models/common/types.h"
#include "models/mare/head_mask.h"
#include "models/takv/placement.h"
#include "models/takv/swap_table.h"
#include "models/workload/mapping.h"
#include "models/workload/model_shape.h"
#include "models/workload/segments.h"
#include "models/workload/slice_layout.h"

namespace meshkv::workload {

/// One segment for one tile: what a descriptor names.
struct WorkItem {
  std::uint32_t segment = 0;  ///< slot
  std::uint32_t tokens = 0;
  std::uint16_t streams = 1;  ///< streams that this fetch serves
  mare::HeadMask heads;       ///< KV heads that the tile computes
};

/// Flits of one slice (layer, segment, line group): K lines, then V lines.
struct SliceSize {
  std::uint32_t k_flits = 0;
  std::uint32_t flits = 0;
};

/// One PART packet: the partial accumulators (m, l, o) of one query head and stream.
struct PartialResult {
  NodeId root = kNoNode;  ///< column reduce root where all partial results of the head meet
  std::uint16_t stream = 0;
  std::uint16_t query_head = 0;
};

/// The keys and values of a new token's KV head, which a step appends for the next one to read.
struct AppendedRow {
  int stream = 0;
  int kv_head = 0;
  std::uint32_t segment = 0;  ///< slot
  int token = 0;              ///< within the segment
  NodeId tile = kNoNode;      ///< that computes the head over this segment, and has its new key and value
  NodeId home = kNoNode;
};

struct LayerPlan {
  int layer = -1;
  std::vector<std::vector<WorkItem>> items;  ///< by tile, in the order in which descriptors are handed out
  std::vector<NeededSegment> segments;       ///< the layer's needed segments, in order
  std::vector<std::uint32_t> sequence;       ///< by index in `segments`: earliest position in any tile's list
  std::vector<std::vector<PartialResult>> parts;  ///< by tile: PART packets that it sends at the layer's end
  std::vector<std::uint32_t> expected_parts;      ///< by tile: PART packets that it receives as a reduce root
  std::vector<std::int32_t> index_of_slot;        ///< in `segments`; -1 where the slot is not needed
  const NeededSegment& needed(std::uint32_t slot) const {
    return segments[static_cast<std::size_t>(index_of_slot[slot])];
  }
};

class DecodePlan {
 public:
  DecodePlan(const MeshShape& mesh, const DecodeConfig& decode, const MappingConfig& mapping,
             const takv::PlacementConfig& placement, int flit_bits);

  const MeshShape& mesh() const { return mesh_; }
  const DecodeConfig& decode() const { return decode_; }
  const takv::Placement& placement() const { return homes_->placement(); }
  const takv::SwapTable& homes() const { return *homes_; }
  const SegmentTable& segments() const { return *segments_; }
  const Mapping& mapping() const { return *mapping_; }
  /// Home tile of a block now (static placement and the swaps so far).
  NodeId home(int layer, std::uint32_t segment) const {
    return homes_->home(layer, static_cast<int>(segment));
  }
  /// From now on the two blocks have each other's homes. Only where nobody asks for them (between steps).
  void apply(const takv::Swap& swap) { homes_->apply(swap); }
  /// Tokens that a block holds when a step begins.
  int held_tokens(std::uint32_t slot, int step) const;
  int tokens_of(int layer, std::uint32_t segment) const { return this->layer(layer).needed(segment).tokens; }
  const SliceLayout& slice_layout() const { return slice_layout_; }
  /// The step that layer() plans.
  int step() const { return step_; }
  /// Flit-hops of one flit from a home to a tile: links, injection, ejection.
  int unicast_flit_hops(NodeId from, NodeId to) const;
  /// Step k reads T + k tokens: every step appends one to each stream. Drops what layer() returned before.
  void begin_step(int step);
  /// What step `step` appends to `layer`; nothing in the last step, and nothing that a sample leaves out.
  std::vector<AppendedRow> appends(int step, int layer) const;
  /// Flits of the packet that brings one of them to its home.
  int append_flits() const { return append_flits_; }
  /// Layers that are simulated, in order.
  const std::vector<int>& layers() const { return segments_->layers(); }
  int groups() const { return groups_; }
  int slots() const { return segments_->slots(); }

  /// Plan of a layer; the last one asked for is kept, so a reference lives until another layer is asked for.
  const LayerPlan& layer(int layer) const;
  SliceSize slice_size(int tokens) const;
  /// Multiply-accumulates that one line of `group` costs a tile with `heads`, for `streams` streams.
  std::uint32_t macs_per_line(const mare::HeadMask& heads, int group, int streams) const;
  /// Age rank of every slot (the position of its tokens in the context): what "oldest segments" means to the
  /// memory.
  std::vector<std::uint32_t> slot_ages() const;
  int part_flits() const { return part_flits_; }

 private:
  LayerPlan build(int layer) const;
  void add_parts(LayerPlan& plan, const std::vector<std::vector<bool>>& contributes) const;

  MeshShape mesh_;
  DecodeConfig decode_;
  int flit_bits_;
  int groups_;
  int part_flits_;
  int append_flits_;
  int step_ = 0;
  SliceLayout slice_layout_;
  std::unique_ptr<SegmentTable> segments_;
  std::unique_ptr<takv::SwapTable> homes_;
  std::unique_ptr<Mapping> mapping_;
  mutable LayerPlan cached_;
};

}  // namespace meshkv::workload
