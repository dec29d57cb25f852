// How a home streams in lt: whole chunks, one after the other. In at the slices of a ring leave packet by
// packet in turn; PortShare tells when each would have sent its chunk, which is when the slice lets go of it
// in the KV SRAM, asks for the next, and when the last of its flits arrives.
#include <algorithm>

#include "models/mare/home_agent.h"

namespace meshkv::mare {
namespace {

/// What happens to several slices within so many cycles is done in one activation, in annotated time.
constexpr Cycle kTogether = 24;

}  // namespace

std::uint32_t HomeAgent::to_chunk_end(const Slice& slice) const {
  const auto chunk = static_cast<std::uint32_t>(config_.chunk_flits);
  return std::min(slice.end_flit - slice.next_flit, chunk - slice.next_flit % chunk);
}

void HomeAgent::ready_lt(Slice& slice, Cycle at) {
  if (at > std::max(settled_, clock_.now())) {
    ready_later_.push({at, ++ready_count_, &slice});
    return;
  }
  scheduler_.make_ready(slice, at);
  read_on_lt(slice, at);
  if (scheduler_.service() == HomeService::kFifo) return;  // shares the port with nobody
  scheduler_.share(slice).join(slice, to_chunk_end(slice), at);
  slice.sharing = true;
}

/// In at a piece of memory is asked for when the one before it begins to leave, packet by packet in turn with
/// the other slices: however free the port is, a chunk takes as long as its pieces one after the other.
void HomeAgent::read_on_lt(Slice& slice, Cycle from) {
  const std::uint32_t flits = to_chunk_end(slice), piece = static_cast<std::uint32_t>(config_.piece_flits);
  const Cycle turns = piece * scheduler_.sharers(slice) / static_cast<Cycle>(network_.injection_ports());
  const auto rest = sram_.read_on(chunk_of(slice, slice.next_flit), from, piece, turns);
  const Cycle end = rest.last_begins + (flits - 1) % piece;
  slice.not_before = flits <= piece ? 0 : end - std::min<Cycle>(end, packet_flits() - 1);
  ask_ahead(slice, rest.last_expected);
}

/// What happens to the slices until a little after `now`, in the order of the cycles in which it does.
void HomeAgent::settle_lt(Cycle now) {
  const Cycle end = now + kTogether;
  for (;;) {
    const Cycle ready = ready_later_.empty() ? kNever : ready_later_.top().at;
    PortShare::Left left;
    scheduler_.for_each_share([&](PortShare& share) {
      if (left.slice == nullptr) left = share.leave(std::min(ready, end));
    });
    if (left.slice != nullptr) {
      leave_lt(*left.slice, left.at);
    } else if (ready <= end) {
      Slice& slice = *ready_later_.top().slice;
      ready_later_.pop();
      settled_ = std::max(settled_, ready);
      ready_lt(slice, ready);
    } else {
      return;
    }
  }
}

/// The slice begins its chunk's last packet.
void HomeAgent::leave_lt(Slice& slice, Cycle at) {
  settled_ = std::max(settled_, at);
  slice.sharing = false;
  // The last packet that was held back; what is left at the end of a chunk belongs to the next one.
  const bool within_chunk = slice.next_flit % static_cast<std::uint32_t>(config_.chunk_flits) != 0;
  if (within_chunk && slice.next_flit < slice.end_flit &&
      slice.end_flit - slice.next_flit <= packet_flits()) {
    const std::uint32_t last = slice.end_flit - slice.next_flit;
    noc::Packet* packet = make_packet(slice, last);
    packet->interleaved = true;
    count_sent(slice, last);
    slice.next_flit += last;
    network_.transfer(packet, std::max(clock_.now(), at));
  }
  // In at a packet is chosen while the one before it leaves.
  const Cycle chosen = std::max(clock_.now(), at - std::min<Cycle>(at, packet_flits()));
  leave_chunk(slice, chunk_of(slice, slice.next_flit - 1), chosen);
}

/// One transfer of up to lt_chunk_flits.
void HomeAgent::stream_lt(Cycle now) {
  if (port_free_ > now) return;
  Slice* slice = scheduler_.pick(now);
  if (slice == nullptr) return;
  PortShare& share = scheduler_.share(*slice);
  const std::uint32_t left = to_chunk_end(*slice);
  std::uint32_t flits = std::min(static_cast<std::uint32_t>(config_.lt_chunk_flits), left);
  if (!slice->sharing) {
    share.join(*slice, left, now);
    slice->sharing = true;
  }
  share.serve(flits, now);
  const bool whole = flits == left;
  // The slice's last packet goes when the others that share the port let it: that decides when the tile
  // asks for its next segment.
  const std::uint32_t last = (slice->end_flit - 1) % packet_flits() + 1;
  if (slice->next_flit + flits == slice->end_flit && flits > last) flits -= last;
  noc::Packet* packet = make_packet(*slice, flits);
  packet->tail_not_before = std::max(share.expected(*slice, now), slice->not_before);
  count_sent(*slice, flits);
  slice->next_flit += flits;
  if (whole) scheduler_.park(*slice);
  port_free_ = network_.transfer(packet, now);
  if (whole)
    share.sent(*slice, std::max(port_free_ - std::min<Cycle>(port_free_, packet_flits()), slice->not_before));
}

void HomeAgent::kick_lt(Cycle now) {
  Cycle next = kNever;
  if (scheduler_.any_queued()) {
    next = std::max(scheduler_.earliest_ready(now), port_free_);
  } else if (!ready_later_.empty()) {
    next = std::max(ready_later_.top().at, port_free_);
  }
  scheduler_.for_each_share([&](PortShare& share) {
    const Cycle leave = share.next_leave();
    if (leave != kNever) next = std::min(next, leave - std::min<Cycle>(leave, 1));
  });
  if (next == kNever) return;
  next = std::max(next, clock_.now() + 1);
  if (next_wake_ > clock_.now() && next_wake_ <= next) return;
  next_wake_ = next;
  wake(next);
}

}  // namespace meshkv::mare
