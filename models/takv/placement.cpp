#include "models/takv/placement.h"

#include <numeric>
#include <stdexcept>

namespace meshkv::takv {
namespace {

bool valid_stride(int a, int height) {
  return a > 0 && a % 2 == 1 && std::gcd(a, height) == 1;
}

int next_valid_stride(int from, int height) {
  while (!valid_stride(from, height)) ++from;  // ends: height * k + 1 is odd for some k
  return from;
}

std::vector<NodeId> central_ports_of(CentPorts where, const MeshShape& mesh) {
  const int right = mesh.width - 1;
  const int bottom = mesh.height - 1;
  switch (where) {
    case CentPorts::kCorner:
      return {mesh.node({0, 0})};
    case CentPorts::kCorners:
      return {mesh.node({0, 0}), mesh.node({right, 0}), mesh.node({0, bottom}), mesh.node({right, bottom})};
    case CentPorts::kEdge:
      return {mesh.node({mesh.width / 2, 0})};
    case CentPorts::kCentre:
      return {mesh.node({mesh.width / 2, mesh.height / 2})};
  }
  return {};
}

}  // namespace

NodeId takv_home(const MeshShape& mesh, int a, int layer, int segment_slot) {
  const long row = static_cast<long>(a) * layer + segment_slot;
  return mesh.node({layer % mesh.width, static_cast<int>(row % mesh.height)});
}

int effective_stride(const PlacementConfig& config, const MeshShape& mesh) {
  return config.a != 0 ? config.a : next_valid_stride(mesh.width + 1, mesh.height);
}

std::optional<std::string> validate(const PlacementConfig& config, const MeshShape& mesh) {
  if (config.a != 0 && !valid_stride(config.a, mesh.height)) {
    const int hint = next_valid_stride(config.a < 1 ? mesh.width + 1 : config.a, mesh.height);
    return "takv.a = " + std::to_string(config.a) +
           " must be positive, odd and coprime to mesh.height = " + std::to_string(mesh.height) +
           " (equation 4), else the layers of a column do not visit all its rows; " + std::to_string(hint) +
           " is valid, and 0 chooses one";
  }
  if (config.cent_flits_per_cycle < 1 || config.cent_flits_per_cycle > 2)
    return "cent.flits_per_cycle = " + std::to_string(config.cent_flits_per_cycle) +
           " must be 1, or 2 with a second injection link on an unused edge port";
  if (config.swap_period_steps < 1)
    return "takv.swap_period_steps = " + std::to_string(config.swap_period_steps) + " must be at least 1";
  return std::nullopt;
}

Placement::Placement(const PlacementConfig& config, const MeshShape& mesh, int slots_per_layer)
    : config_(config),
      mesh_(mesh),
      slots_per_layer_(slots_per_layer),
      stride_(effective_stride(config, mesh)) {
  if (const auto error = validate(config, mesh)) throw std::invalid_argument(*error);
  if (config.kind == PlacementKind::kCent) central_ports_ = central_ports_of(config.cent_ports, mesh);
}

NodeId Placement::home(int layer, int segment_slot) const {
  switch (config_.kind) {
    case PlacementKind::kTakv:
      return takv_home(mesh_, stride_, layer, segment_slot);
    case PlacementKind::kShared: {
      const long block = (layer * slots_per_layer_ + segment_slot) % mesh_.nodes();
      const auto index = static_cast<int>(block);
      if (config_.shared_order == SharedOrder::kRowMajor) return static_cast<NodeId>(index);
      return mesh_.node({index / mesh_.height, index % mesh_.height});
    }
    case PlacementKind::kCent:
      return central_ports_[static_cast<std::size_t>(segment_slot) % central_ports_.size()];
  }
  return kNoNode;
}

long max_blocks_per_tile(const MeshShape& mesh, int layers, long slots_per_layer) {
  return (layers * slots_per_layer + mesh.nodes() - 1) / mesh.nodes();
}

}  // namespace meshkv::takv
