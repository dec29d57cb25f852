// Packets: what the mesh carries. The timing model moves flits as counters of packets, so a flit has no
// object.
#pragma once

#include <cstdint>

#include "models/common/shared_bytes.h"
#include "models/common/types.h"

namespace meshkv::noc {

class MulticastTree;

/// Flit classes of the paper's Table I (section VI).
enum class PacketClass : std::uint8_t { kPart = 0, kKvFetch = 1, kKvData = 2 };
constexpr int kPacketClasses = 3;
const char* class_name(PacketClass c);  ///< "PART", "KV_FETCH", "KV_DATA"

/// PART travels on virtual network 0; KV_FETCH and KV_DATA on 1 (section VI-A).
constexpr int virtual_network(PacketClass c) {
  return c == PacketClass::kPart ? 0 : 1;
}

/// Names a KV_DATA payload exactly: the same key is the same bytes. (Tag tables, scoreboard.)
struct PayloadKey {
  std::uint32_t segment =
      0;  ///< segment slot of the layer (private segments of streams have slots of their own)
  std::uint16_t layer = 0;
  std::uint16_t group = 0;  ///< line group: the KV heads that share a line
  std::uint32_t index = 0;  ///< packet within the slice
  friend bool operator==(const PayloadKey& a, const PayloadKey& b) {
    return a.segment == b.segment && a.layer == b.layer && a.group == b.group && a.index == b.index;
  }
  std::uint64_t hash() const {
    std::uint64_t h =
        (std::uint64_t{segment} << 32) ^ (std::uint64_t{layer} << 48) ^ (std::uint64_t{group} << 20) ^ index;
    h *= 0x9e3779b97f4a7c15ULL;
    return h ^ (h >> 29);
  }
};

/// From a PacketPool; one object for a packet and all its multicast copies. `live_copies` counts the copies
/// that are still in the mesh; the last to be ejected or suppressed returns the packet to the pool.
struct Packet {
  PacketClass packet_class = PacketClass::kPart;
  bool duplicate = false;  ///< the home sent this payload before to (some of) these destinations
  bool interleaved =
      false;                ///< lt: shares links flit by flit with the chunks that have them, as control does
  std::uint16_t flits = 1;  ///< in at: total flits of the packet; in lt: of the chunk
  NodeId source = 0;
  NodeId destination = 0;  ///< unicast destination; ignored with a tree
  const MulticastTree* tree = nullptr;
  std::uint32_t live_copies = 0;
  PayloadKey key;      ///< KV_DATA: the payload; KV_FETCH and PART: layer, segment, meaning by class
  Cycle created = 0;   ///< enters the source queue
  Cycle injected = 0;  ///< head leaves the source queue
  /// lt: the last flit leaves the source no earlier than this (a home's annotation of how it interleaves
  /// slices); 0: none.
  Cycle tail_not_before = 0;
  std::uint64_t id = 0;    ///< unique per run, for traces and deadlock reports
  std::uint64_t user = 0;  ///< the sender's own; delivered unchanged
  /// With data: what the flits carry, from payload_offset on; the pool lets go of it with the packet.
  const SharedBytes* payload = nullptr;
  std::uint32_t payload_offset = 0;
  void carry(SharedBytes::Pointer bytes, std::uint32_t offset) {
    payload = bytes.detach();
    payload_offset = offset;
  }
  const unsigned char* bytes() const { return payload->data() + payload_offset; }
  Packet* next = nullptr;  ///< intrusive queue link
};

}  // namespace meshkv::noc
