// Which tile computes which KV head and segment. The paper leaves this open (it speaks of per-column
// controllers and of a column reduce root); each policy here is one reading of it. No SystemC.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "models/common/types.h"
#include "models/workload/model_shape.h"

namespace meshkv::workload {

/// All query heads of a KV head are computed on that KV head's tile (one fetch serves them).
class Mapping {
 public:
  virtual ~Mapping() = default;

  /// What is wrong with the mapping on this mesh; nothing if it is valid.
  static std::optional<std::string> validate(const MappingConfig& config, const MeshShape& mesh);
  /// `takv_a`: effective stride of equation 4 (half_copies follows the affine home whatever the placement
  /// is). `slots`: segment slots of a layer. Throws std::invalid_argument with validate()'s message.
  static std::unique_ptr<Mapping> make(const MappingConfig& config, const MeshShape& mesh,
                                       const ModelShape& model, const KvLayout& layout, int takv_a,
                                       int slots);

  /// Tile that computes KV head `kv_head` over the tokens of a segment slot.
  virtual NodeId tile(int layer, int segment_slot, int kv_head) const = 0;
  /// Tile at which all partial results of a head meet: one for each (layer, head), in a column that holds
  /// tiles of that head.
  virtual NodeId reduce_root(int layer, int kv_head) const = 0;
};

/// Two copies of the array of heads, one in each half of the rows; a segment is computed in the half that
/// holds its affine home. The reading that explains most of the paper's figures: one head a tile, column
/// reduce roots, and a compute mapping that follows the segment, so that TaKV can shorten paths (section
/// IX-B).
///
/// A half has floor(H/2) rows: the first ones and the last ones. Where H is odd the middle row computes
/// nothing, and segments homed there alternate between the halves. Slots of a half run down its columns:
/// heads that share a line sit in one column, where the XY tree to them branches last. With more heads than
/// slots, ceil(heads/slots) consecutive heads share a slot; with at least twice as many slots as heads each
/// line group is repeated, its R copies side by side, and segment s uses copy (s div H) mod R. (Side by side
/// rather than array by array: `shared` has its homes in column (s div H) mod W, and turns by whole arrays
/// would follow them, 0.74 of the flit-hops of `cent` for Mistral where the paper has 0.79.)
class HalfCopiesMapping : public Mapping {
 public:
  HalfCopiesMapping(const MappingConfig& config, const MeshShape& mesh, const ModelShape& model,
                    const KvLayout& layout, int takv_a);
  NodeId tile(int layer, int segment_slot, int kv_head) const override;
  NodeId reduce_root(int layer, int kv_head) const override;
  int replicas() const { return replicas_; }

 private:
  int slot(int kv_head, int replica) const;
  MeshShape mesh_;
  int takv_a_;
  int kv_heads_;
  int root_row_;
  int line_heads_;      // KV heads of a line group
  int rows_;            // of a half
  int heads_per_slot_;  // > 1 where there are more heads than slots
  int replicas_;
};

/// Heads over the columns, the segments of a head over the tiles of its column: every column reduces its own
/// heads, the literal reading of "column reduce root" (section IV). With fewer heads than columns the columns
/// between idle.
class ColumnSplitMapping : public Mapping {
 public:
  ColumnSplitMapping(const MappingConfig& config, const MeshShape& mesh, const ModelShape& model);
  NodeId tile(int layer, int segment_slot, int kv_head) const override;
  NodeId reduce_root(int layer, int kv_head) const override;

 private:
  int column(int kv_head) const { return kv_head * mesh_.width / kv_heads_; }
  MeshShape mesh_;
  int kv_heads_;
  int root_row_;
};

/// One head a tile over the whole mesh, down the columns, for all segments: the simplest reading of a
/// descriptor (layer, head). Tiles beyond the number of heads idle; with more heads than tiles, consecutive
/// heads share a tile.
class HeadPerTileMapping : public Mapping {
 public:
  HeadPerTileMapping(const MappingConfig& config, const MeshShape& mesh, const ModelShape& model);
  NodeId tile(int layer, int segment_slot, int kv_head) const override;
  NodeId reduce_root(int layer, int kv_head) const override;

 private:
  MeshShape mesh_;
  int heads_per_tile_;
  int root_row_;
};

/// Heads over a few columns around the layer's home column (l mod W), segments over the rows (s mod H): the
/// compute follows the layer, the other way in which TaKV shortens paths. At the edges of the mesh the
/// columns are shifted inwards; wrapping around would put a head at the far side of a mesh that has no
/// wrap-around links.
class LayerFollowingMapping : public Mapping {
 public:
  LayerFollowingMapping(const MappingConfig& config, const MeshShape& mesh, const ModelShape& model);
  NodeId tile(int layer, int segment_slot, int kv_head) const override;
  NodeId reduce_root(int layer, int kv_head) const override;

 private:
  int column(int layer, int kv_head) const;
  MeshShape mesh_;
  int kv_heads_;
  int root_row_;
  int columns_;
};

}  // namespace meshkv::workload
