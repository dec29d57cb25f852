#include "models/controller/devices/fabric_registers.h"

#include "models/controller/registers/register_map.h"

namespace meshkv::controller {

std::uint32_t Identity::peek(std::uint32_t offset, Cycle) const {
  const ColumnIdentity id = fabric_.identity();
  switch (offset) {
    case reg::kIdentityMagic:
      return reg::kIdentityMagicValue;
    case reg::kIdentityColumn:
      return id.column;
    case reg::kIdentityColumns:
      return id.columns;
    case reg::kIdentityRows:
      return id.rows;
    case reg::kIdentityClockKhz:
      return id.clock_khz;
    case reg::kIdentityMaxLead:
      return id.max_lead;
    default:
      return id.timeout_cycles;
  }
}

// ---- descriptor queue

bool DescriptorQueue::accept(Operation operation, std::uint32_t row, Cycle now) {
  const std::uint32_t rows = fabric_.identity().rows;
  if (row >= rows) return refuse("there is no row " + std::to_string(row) + " of " + std::to_string(rows));
  descriptor_.operation = operation;
  if (!hold_) {
    send({row, descriptor_}, now);
    return true;
  }
  if (kept_.size() >= reg::kQueueDepth) return refuse("the queue is full of descriptors that are kept back");
  kept_.push_back({row, descriptor_});
  return true;
}

void DescriptorQueue::send(const Kept& kept, Cycle now) {
  last_refused_ = !fabric_.send(kept.row, kept.descriptor, now);
  if (!last_refused_) return;
  ++refused_;
  interrupts_.raise(Source::kRefused, now);
}

void DescriptorQueue::release(Cycle now) {
  for (const Kept& kept : kept_) send(kept, now);
  kept_.clear();
}

bool DescriptorQueue::write(std::uint32_t offset, std::uint32_t value, Cycle now) {
  switch (offset) {
    case reg::kQueueLayer:
      descriptor_.layer = value;
      return true;
    case reg::kQueueSegment:
      descriptor_.segment = value;
      return true;
    case reg::kQueueTokens:
      descriptor_.tokens = value;
      return true;
    case reg::kQueueBeginLayer:
      return accept(Operation::kBeginLayer, value, now);
    case reg::kQueueFetchCompute:
      return accept(Operation::kFetchCompute, value, now);
    case reg::kQueuePrefetch:
      return accept(Operation::kPrefetch, value, now);
    default:
      hold_ = (value & 1U) != 0;
      if (!hold_) release(now);
      return true;
  }
}

std::uint32_t DescriptorQueue::peek(std::uint32_t offset, Cycle) const {
  switch (offset) {
    case reg::kQueueLayer:
      return descriptor_.layer;
    case reg::kQueueSegment:
      return descriptor_.segment;
    case reg::kQueueTokens:
      return descriptor_.tokens;
    case reg::kQueueHold:
      return hold_ ? 1 : 0;
    case reg::kQueueStatus:
      return last_refused_ ? reg::kQueueStatusRefused : reg::kQueueStatusSent;
    default:
      return refused_;
  }
}

// ---- schedule

bool Schedule::write(std::uint32_t offset, std::uint32_t value, Cycle now) {
  switch (offset) {
    case reg::kSchedulePosition:
      position_ = value;
      return true;
    case reg::kScheduleRow:
      row_ = value;
      return true;
    case reg::kScheduleIndex:
      index_ = value;
      return true;
    case reg::kSchedulePrefetchIndex:
      prefetch_ = value;
      return true;
    default: {
      const std::string why = fabric_.complete(now);
      return why.empty() || refuse(why);
    }
  }
}

std::uint32_t Schedule::peek(std::uint32_t offset, Cycle) const {
  switch (offset) {
    case reg::kScheduleSteps:
      return fabric_.steps();
    case reg::kScheduleLayers:
      return fabric_.layers();
    case reg::kSchedulePosition:
      return position_;
    case reg::kScheduleLayerNumber:
      return fabric_.layer_number(position_);
    case reg::kScheduleBegun:
      return fabric_.layers_begun();
    case reg::kScheduleRow:
      return row_;
    case reg::kScheduleIndex:
      return index_;
    case reg::kScheduleSlowest:
      return fabric_.slowest();
    case reg::kSchedulePrefetchIndex:
      return prefetch_;
    default:
      return peek_lists(offset);
  }
}

std::uint32_t Schedule::peek_lists(std::uint32_t offset) const {
  switch (offset) {
    case reg::kScheduleItems:
      return fabric_.items(row_);
    case reg::kScheduleSegment:
      return fabric_.item(row_, index_).segment;
    case reg::kScheduleTokens:
      return fabric_.item(row_, index_).tokens;
    case reg::kScheduleParts:
      return fabric_.parts(row_);
    case reg::kSchedulePrefetches:
      return fabric_.prefetches();
    case reg::kSchedulePrefetchSequence:
      return fabric_.prefetch(prefetch_).sequence;
    case reg::kSchedulePrefetchSegment:
      return fabric_.prefetch(prefetch_).segment;
    case reg::kSchedulePrefetchTokens:
      return fabric_.prefetch(prefetch_).tokens;
    default:
      return fabric_.prefetch(prefetch_).row;
  }
}

// ---- what is only read

std::uint32_t TileStatus::peek(std::uint32_t offset, Cycle) const {
  static const std::uint32_t stride = block_info("Tile").stride;
  const TileState state = fabric_.tile(offset / stride);
  switch (offset % stride) {
    case reg::kTileLayer:
      return state.layer;
    case reg::kTileAccepted:
      return state.accepted;
    case reg::kTileSegmentsDone:
      return state.segments_done;
    default:
      return state.parts_missing;
  }
}

bool HomeResolver::write(std::uint32_t offset, std::uint32_t value, Cycle) {
  (offset == reg::kTakvLayer ? layer_ : segment_) = value;
  return true;
}

/// A home needs a block.
bool HomeResolver::reads(std::uint32_t offset) const {
  Coord at;
  return offset == reg::kTakvLayer || offset == reg::kTakvSegment || fabric_.home(layer_, segment_, at);
}

bool HomeResolver::read(std::uint32_t offset, Cycle now, std::uint32_t& value) {
  value = peek(offset, now);
  return reads(offset) ||
         refuse("there is no block (" + std::to_string(layer_) + ", " + std::to_string(segment_) + ")");
}

std::uint32_t HomeResolver::peek(std::uint32_t offset, Cycle) const {
  Coord at;
  switch (offset) {
    case reg::kTakvLayer:
      return layer_;
    case reg::kTakvSegment:
      return segment_;
    default:
      fabric_.home(layer_, segment_, at);
      return static_cast<std::uint32_t>(offset == reg::kTakvHomeColumn ? at.x : at.y);
  }
}

bool PerformanceCounters::constant(std::uint32_t offset) const {
  return offset == reg::kCountersDescriptors || offset == reg::kCountersSegments ||
         offset == reg::kCountersParts;
}

std::uint32_t PerformanceCounters::peek(std::uint32_t offset, Cycle) const {
  const ColumnCounters c = fabric_.counters();
  switch (offset) {
    case reg::kCountersDescriptors:
      return static_cast<std::uint32_t>(c.descriptors);
    case reg::kCountersFetches:
      return static_cast<std::uint32_t>(c.fetches);
    case reg::kCountersSegments:
      return static_cast<std::uint32_t>(c.segments);
    case reg::kCountersLines:
      return static_cast<std::uint32_t>(c.lines);
    case reg::kCountersCreditStalls:
      return static_cast<std::uint32_t>(c.credit_stalls);
    default:
      return static_cast<std::uint32_t>(c.parts);
  }
}

}  // namespace meshkv::controller
