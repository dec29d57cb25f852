#include "models/mare/slice_scheduler.h"

#include <algorithm>

namespace meshkv::mare {

Slice* Block::main_slice(std::uint16_t group) {
  for (auto& s : slices) {
    if (s->key.group == group && !s->replay && s->end_flit == s->slice_flits && s->next_flit < s->end_flit)
      return s.get();
  }
  return nullptr;
}

SliceScheduler::SliceScheduler(HomeService service, PortShare share)
    : service_(service), common_share_(std::move(share)) {}

Block& SliceScheduler::open_block(std::uint16_t layer, std::uint32_t segment) {
  Block& block = blocks_.emplace_back();
  block.share = common_share_;
  block.layer = layer;
  block.segment = segment;
  return block;
}

Block* SliceScheduler::find_block(std::uint16_t layer, std::uint32_t segment) {
  for (auto it = blocks_.rbegin(); it != blocks_.rend(); ++it) {
    if (it->layer == layer && it->segment == segment) return &*it;
  }
  return nullptr;
}

Slice& SliceScheduler::add(Block& block, Slice slice) {
  slice.block = &block;
  slice.queued = false;
  ++live_slices_;
  block.slices.push_back(std::make_unique<Slice>(std::move(slice)));
  return *block.slices.back();
}

boost::intrusive::list<Slice>& SliceScheduler::ring_of(Slice& slice) {
  return service_ == HomeService::kBlockOrder ? slice.block->ring : common_ring_;
}

void SliceScheduler::make_ready(Slice& slice, Cycle at) {
  slice.ready_at = at;
  if (slice.queued) return;
  ring_of(slice).push_back(slice);
  ++queued_;
  slice.queued = true;
}

Slice* SliceScheduler::pick_from(boost::intrusive::list<Slice>& ring, Cycle now) const {
  for (auto it = ring.begin(); it != ring.end(); ++it) {
    if (it->ready_at > now) continue;
    Slice& slice = *it;
    if (service_ != HomeService::kFifo) ring.splice(ring.end(), ring, it);
    return &slice;
  }
  return nullptr;
}

Slice* SliceScheduler::pick(Cycle now) {
  if (service_ != HomeService::kBlockOrder) return pick_from(common_ring_, now);
  for (Block& block : blocks_) {
    if (Slice* slice = pick_from(block.ring, now)) return slice;
  }
  return nullptr;
}

void SliceScheduler::park(Slice& slice) {
  if (!slice.queued) return;
  auto& ring = ring_of(slice);
  ring.erase(ring.iterator_to(slice));
  slice.queued = false;
  --queued_;
}

void SliceScheduler::finish(Slice& slice) {
  park(slice);
  --live_slices_;
  Block* block = slice.block;
  auto& slices = block->slices;
  slices.erase(std::find_if(slices.begin(), slices.end(), [&](const auto& s) { return s.get() == &slice; }));
  if (!slices.empty()) return;
  blocks_.erase(std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& b) { return &b == block; }));
}

Cycle SliceScheduler::earliest_ready(Cycle now) const {
  Cycle earliest = kNever;
  const auto scan = [&](const boost::intrusive::list<Slice>& ring) {
    for (const Slice& s : ring) {
      earliest = std::min(earliest, std::max(now, s.ready_at));
      if (earliest == now) return true;
    }
    return false;
  };
  if (scan(common_ring_)) return now;
  if (service_ == HomeService::kBlockOrder) {
    for (const Block& block : blocks_) {
      if (scan(block.ring)) return now;
    }
  }
  return earliest;
}

}  // namespace meshkv::mare
