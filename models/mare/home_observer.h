// Somebody who is told what the homes do, request by request and slice by slice: traces.
#pragma once

#include <cstdint>

#include "models/common/types.h"

namespace meshkv::mare {

struct Slice;

class HomeObserver {
 public:
  virtual ~HomeObserver() = default;
  /// The home takes up a KV_FETCH.
  virtual void fetch_accepted(NodeId home, NodeId requester, int layer, std::uint32_t segment, Cycle now) = 0;
  virtual void slice_started(NodeId home, const Slice& slice, Cycle now) = 0;
  /// Its last flit is in the source queue.
  virtual void slice_sent(NodeId home, const Slice& slice, Cycle now) = 0;
};

}  // namespace meshkv::mare
