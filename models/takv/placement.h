// Where a macro-block lives: affine striping (paper section V, equation 4) and the two baselines of section
// VIII. No SystemC.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/common/types.h"
#include "models/takv/placement_config.h"

namespace meshkv::takv {

/// Equation 4: home(l, s) = (l mod W, (a*l + s) mod H).
NodeId takv_home(const MeshShape& mesh, int a, int layer, int segment_slot);

/// The configured stride, or for `a` = 0 the smallest odd stride from W+1 on that is coprime to H (W+1 itself
/// where the mesh allows it; W+1 is even or shares a factor with H on some meshes, 5x3 for instance).
int effective_stride(const PlacementConfig& config, const MeshShape& mesh);

/// What is wrong with the placement on this mesh, and a remedy; nothing if it is valid.
std::optional<std::string> validate(const PlacementConfig& config, const MeshShape& mesh);

/// home(layer, segment slot) of one of the three placements. Block (l, s) holds K and V of all heads for the
/// tokens of slot s.
class Placement {
 public:
  /// `slots_per_layer`: segment slots of a layer, of all streams (SegmentTable::slots()). Throws
  /// std::invalid_argument with validate()'s message.
  Placement(const PlacementConfig& config, const MeshShape& mesh, int slots_per_layer);

  NodeId home(int layer, int segment_slot) const;
  /// `cent`: the tiles where the central memory path enters, in the order of interleaving (segment slot
  /// modulo their number). Empty otherwise.
  const std::vector<NodeId>& central_ports() const { return central_ports_; }
  PlacementKind kind() const { return config_.kind; }
  int stride() const { return stride_; }

 private:
  PlacementConfig config_;
  MeshShape mesh_;
  long slots_per_layer_;
  int stride_;
  std::vector<NodeId> central_ports_;
};

/// N_max of section V: blocks that one tile may hold, ceil(L * ceil(T/P) / (W*H)).
long max_blocks_per_tile(const MeshShape& mesh, int layers, long slots_per_layer);

}  // namespace meshkv::takv
