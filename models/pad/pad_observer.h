// Somebody who is told what the Pad pipelines do, segment by segment: timelines and traces.
#pragma once

#include <cstdint>

#include "models/noc/packet.h"

namespace meshkv::pad {

/// The life of a segment in a tile's Pad. Without Pad (PadConfig::enabled) Tm and Rd come after `complete`.
struct SegmentTimes {
  NodeId tile = kNoNode;
  NodeId home = kNoNode;
  int layer = 0;
  std::uint32_t segment = 0;
  Cycle sent = 0;                       ///< KV_FETCH enters the source queue
  Cycle first_data = kNever;            ///< the first KV_DATA flit is drained
  Cycle complete = 0;                   ///< the last one is
  Cycle tm_begin = kNever, tm_end = 0;  ///< the array works on K lines
  Cycle rd_begin = kNever, rd_end = 0;  ///< and on V lines
};

class PadObserver {
 public:
  virtual ~PadObserver() = default;
  /// A KV_FETCH has been handed to the network.
  virtual void fetch_sent(const noc::Packet&, Cycle) {}
  /// A PART has been handed to the network: the tile's work in the layer is done.
  virtual void part_sent(const noc::Packet&, Cycle) {}
  /// All data are here and their computation is scheduled: every time in `times` is final. In `lt`, and for
  /// what waits for the array, times may lie ahead of the kernel's.
  virtual void segment_done(const SegmentTimes& times) = 0;
};

}  // namespace meshkv::pad
