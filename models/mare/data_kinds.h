// What a packet of class KV_DATA brings, told apart by the range of its payload index.
#pragma once

#include <cstdint>

#include "models/noc/packet.h"

namespace meshkv::mare {

/// PayloadKey::index of a packet that brings a new token's keys and values to a home: this and the KV head.
/// (A key of its own, so that no tag filter takes it for a line of the slice.)
constexpr std::uint32_t kAppendIndex = 0x80000000U;
/// Of a packet that brings a part of a block to its new home (occupancy swap): this and a running number.
constexpr std::uint32_t kMoveIndex = 0xc0000000U;

inline bool is_data(const noc::Packet& packet) {
  return packet.packet_class == noc::PacketClass::kKvData;
}
/// A packet that brings lines of a slice to those who asked for them.
inline bool is_lines(const noc::Packet& packet) {
  return is_data(packet) && packet.key.index < kAppendIndex;
}
inline bool is_append(const noc::Packet& packet) {
  return is_data(packet) && packet.key.index >= kAppendIndex && packet.key.index < kMoveIndex;
}
inline bool is_move(const noc::Packet& packet) {
  return is_data(packet) && packet.key.index >= kMoveIndex;
}
/// What a home writes: both of the above.
inline bool is_write(const noc::Packet& packet) {
  return is_data(packet) && packet.key.index >= kAppendIndex;
}

}  // namespace meshkv::mare
