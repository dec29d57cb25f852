#pragma once

#include <cstdint>

#include "models/common/types.h"

namespace meshkv::controller {

/// What a tile tells its column's descriptor controller: the interrupt lines of the control plane.
class CompletionListener {
 public:
  virtual ~CompletionListener() = default;
  /// The tile has computed `count` segments of the layer.
  virtual void segment_done(NodeId tile, std::uint32_t count, Cycle now) = 0;
  /// A reduce root has taken a partial result: it waits for one less.
  virtual void part_done(NodeId tile) { static_cast<void>(tile); }
  /// All partial results that this reduce root waited for have been merged.
  virtual void root_done(NodeId tile, Cycle now) = 0;
};

}  // namespace meshkv::controller
