// Somebody who is told of the partial results that a reduce root takes in: traces.
#pragma once

#include "models/noc/packet.h"

namespace meshkv::tile {

class PartObserver {
 public:
  virtual ~PartObserver() = default;
  virtual void part_merged(NodeId root, const noc::Packet& part, Cycle now) = 0;
};

}  // namespace meshkv::tile
