#include "models/workload/mapping.h"

#include <algorithm>
#include <stdexcept>

#include "models/takv/placement.h"
#include "models/workload/segments.h"

namespace meshkv::workload {
namespace {

int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

}  // namespace

std::optional<std::string> Mapping::validate(const MappingConfig& config, const MeshShape& mesh) {
  if (config.reduce_root_row < 0 || config.reduce_root_row >= mesh.height)
    return "mapping.reduce_root_row = " + std::to_string(config.reduce_root_row) +
           " is not a row of the mesh: 0 to " + std::to_string(mesh.height - 1);
  if (config.policy == MappingPolicy::kLayerFollowing &&
      (config.follow_columns < 1 || config.follow_columns > mesh.width))
    return "mapping.follow_columns = " + std::to_string(config.follow_columns) +
           " must be 1 to mesh.width = " + std::to_string(mesh.width);
  return std::nullopt;
}

std::unique_ptr<Mapping> Mapping::make(const MappingConfig& config, const MeshShape& mesh,
                                       const ModelShape& model, const KvLayout& layout, int takv_a, int) {
  if (const auto error = validate(config, mesh)) throw std::invalid_argument(*error);
  switch (config.policy) {
    case MappingPolicy::kHalfCopies:
      return std::make_unique<HalfCopiesMapping>(config, mesh, model, layout, takv_a);
    case MappingPolicy::kColumnSplit:
      return std::make_unique<ColumnSplitMapping>(config, mesh, model);
    case MappingPolicy::kHeadPerTile:
      return std::make_unique<HeadPerTileMapping>(config, mesh, model);
    case MappingPolicy::kLayerFollowing:
      return std::make_unique<LayerFollowingMapping>(config, mesh, model);
  }
  throw std::invalid_argument("unknown mapping policy");
}

HalfCopiesMapping::HalfCopiesMapping(const MappingConfig& config, const MeshShape& mesh,
                                     const ModelShape& model, const KvLayout& layout, int takv_a)
    : mesh_(mesh),
      takv_a_(takv_a),
      kv_heads_(model.kv_heads),
      root_row_(config.reduce_root_row),
      line_heads_(layout.heads_per_line),
      rows_(mesh.height / 2),
      heads_per_slot_(ceil_div(kv_heads_, mesh.width * rows_)),
      replicas_(std::max(1, mesh.width * rows_ / (line_groups(model, layout) * line_heads_))) {}

int HalfCopiesMapping::slot(int kv_head, int replica) const {
  if (heads_per_slot_ > 1) return kv_head / heads_per_slot_;
  const int group = kv_head / line_heads_;
  return (group * replicas_ + replica) * line_heads_ + kv_head % line_heads_;
}

NodeId HalfCopiesMapping::tile(int layer, int segment_slot, int kv_head) const {
  const int home_row = mesh_.coord(takv::takv_home(mesh_, takv_a_, layer, segment_slot)).y;
  const int round = segment_slot / mesh_.height;
  bool upper = home_row < rows_;
  if (home_row == rows_ && mesh_.height % 2 == 1) upper = round % 2 == 0;
  const int i = slot(kv_head, round % replicas_);
  const int first_row = upper ? 0 : mesh_.height - rows_;
  return mesh_.node({i / rows_, first_row + i % rows_});
}

NodeId HalfCopiesMapping::reduce_root(int, int kv_head) const {
  return mesh_.node({slot(kv_head, 0) / rows_, root_row_});
}

ColumnSplitMapping::ColumnSplitMapping(const MappingConfig& config, const MeshShape& mesh,
                                       const ModelShape& model)
    : mesh_(mesh), kv_heads_(model.kv_heads), root_row_(config.reduce_root_row) {}

NodeId ColumnSplitMapping::tile(int, int segment_slot, int kv_head) const {
  return mesh_.node({column(kv_head), segment_slot % mesh_.height});
}

NodeId ColumnSplitMapping::reduce_root(int, int kv_head) const {
  return mesh_.node({column(kv_head), root_row_});
}

HeadPerTileMapping::HeadPerTileMapping(const MappingConfig& config, const MeshShape& mesh,
                                       const ModelShape& model)
    : mesh_(mesh),
      heads_per_tile_(ceil_div(model.kv_heads, mesh.nodes())),
      root_row_(config.reduce_root_row) {}

NodeId HeadPerTileMapping::tile(int, int, int kv_head) const {
  const int i = kv_head / heads_per_tile_;
  return mesh_.node({i / mesh_.height, i % mesh_.height});
}

NodeId HeadPerTileMapping::reduce_root(int, int kv_head) const {
  return mesh_.node({kv_head / heads_per_tile_ / mesh_.height, root_row_});
}

LayerFollowingMapping::LayerFollowingMapping(const MappingConfig& config, const MeshShape& mesh,
                                             const ModelShape& model)
    : mesh_(mesh),
      kv_heads_(model.kv_heads),
      root_row_(config.reduce_root_row),
      columns_(config.follow_columns) {}

int LayerFollowingMapping::column(int layer, int kv_head) const {
  const int centre = layer % mesh_.width;
  const int first = std::clamp(centre - (columns_ - 1) / 2, 0, mesh_.width - columns_);
  return first + kv_head * columns_ / kv_heads_;
}

NodeId LayerFollowingMapping::tile(int layer, int segment_slot, int kv_head) const {
  return mesh_.node({column(layer, kv_head), segment_slot % mesh_.height});
}

NodeId LayerFollowingMapping::reduce_root(int layer, int kv_head) const {
  return mesh_.node({column(layer, kv_head), root_row_});
}

}  // namespace meshkv::workload
