#include "models/common/scoreboard.h"

#include <algorithm>
#include <sstream>

#include "models/common/seed.h"

namespace meshkv {

std::size_t Scoreboard::SliceHash::operator()(const SliceId& s) const {
  return mix64((std::uint64_t{s.segment} << 32) ^ (std::uint64_t{s.layer} << 16) ^ s.group ^
               (std::uint64_t{s.requester} << 48));
}

void Scoreboard::violate(NodeId requester, const noc::PayloadKey& key, const char* what) {
  if (!first_violation_.empty()) return;
  std::ostringstream out;
  out << what << ": tile " << requester << ", layer " << key.layer << ", segment " << key.segment
      << ", line group " << key.group << ", packet " << key.index;
  first_violation_ = out.str();
}

Scoreboard::Entry* Scoreboard::find(NodeId requester, const noc::PayloadKey& key) {
  const auto it = open_.find({requester, key.layer, key.group, key.segment});
  return it == open_.end() ? nullptr : &it->second;
}

Scoreboard::Entry& Scoreboard::open(const SliceId& slice) {
  if (spare_.empty()) return open_[slice];
  Open::node_type place = std::move(spare_.back());
  spare_.pop_back();
  place.key() = slice;
  place.mapped() = {};
  auto inserted = open_.insert(std::move(place));
  if (!inserted.inserted) spare_.push_back(std::move(inserted.node));
  return inserted.position->second;
}

void Scoreboard::expect(NodeId requester, const noc::PayloadKey& slice, std::uint32_t flits) {
  statistics_.requested += flits;
  Entry& entry = open({requester, slice.layer, slice.group, slice.segment});
  if (entry.flits != 0) {
    violate(requester, slice, "a slice was asked for twice at the same time");
    return;
  }
  entry.flits = flits;
  const std::uint32_t packets = (flits + packet_flits_ - 1) / packet_flits_;
  entry.seen.assign((packets + 63) / 64, 0);
}

void Scoreboard::accept(NodeId requester, const noc::PayloadKey& key, std::uint32_t flits) {
  Entry* entry = find(requester, key);
  if (entry == nullptr) {
    statistics_.misdelivered += flits;
    violate(requester, key, "a payload was accepted by a tile that did not ask for it");
    return;
  }
  const std::uint32_t packets = (flits + packet_flits_ - 1) / packet_flits_;
  std::uint32_t doubled = 0;  // flits
  std::uint64_t ordinals = 0;
  noc::PayloadKey packet = key;
  for (std::uint32_t i = key.index; i < key.index + packets;) {
    // All of the packets whose bits share a word at once: an lt chunk is dozens of them.
    const std::uint32_t n = std::min(64 - i % 64, key.index + packets - i);
    const std::uint64_t bits = (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << (i % 64);
    std::uint64_t& word = entry->seen[i / 64];
    if ((word & bits) == 0) {
      ordinals += std::uint64_t{n} * (2 * i + n + 1) / 2;
    } else {
      for (std::uint32_t p = i; p < i + n; ++p) {
        packet.index = p;
        const bool seen = (word >> (p % 64) & 1) != 0;
        if (!seen) ordinals += p + 1;
        if (!seen) continue;
        doubled += std::min(packet_flits_, flits - (p - key.index) * packet_flits_);
        violate(requester, packet, "a payload was accepted twice");
      }
    }
    word |= bits;
    i += n;
  }
  entry->accepted += flits - doubled;
  statistics_.duplicated += doubled;
  statistics_.delivered += flits - doubled;
  // A sum over (payload, requester), whatever the order and the chunks: hash of the slice times the ordinals.
  packet.index = 0;
  statistics_.checksum += mix64(packet.hash() ^ (std::uint64_t{requester} << 52)) * ordinals;
}

void Scoreboard::filter(NodeId requester, const noc::PayloadKey& key, std::uint32_t flits) {
  statistics_.filtered += flits;
  const Entry* entry = find(requester, key);
  if (entry == nullptr) return;  // closed: it had come whole
  const std::uint64_t bit = std::uint64_t{1} << (key.index % 64);
  if ((entry->seen[key.index / 64] & bit) == 0)
    violate(requester, key, "a first copy was filtered as a duplicate");
}

void Scoreboard::close(NodeId requester, const noc::PayloadKey& slice) {
  const auto it = open_.find({requester, slice.layer, slice.group, slice.segment});
  if (it == open_.end()) return;
  if (it->second.accepted < it->second.flits) {
    statistics_.lost += it->second.flits - it->second.accepted;
    violate(requester, slice, "a slice was closed before all of it had come");
  }
  spare_.push_back(open_.extract(it));
}

void Scoreboard::finish() {
  for (const auto& [id, entry] : open_) {
    statistics_.lost += entry.flits - entry.accepted;
    if (entry.accepted < entry.flits) {
      violate(id.requester, {id.segment, id.layer, id.group, 0}, "a slice never came whole");
    }
  }
  open_.clear();
}

}  // namespace meshkv
