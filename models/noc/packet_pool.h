// Packets are made and returned millions of times a second: a free list over blocks that are never given
// back.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/noc/packet.h"

namespace meshkv::noc {

class PacketPool {
 public:
  PacketPool() = default;
  ~PacketPool();
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  /// A packet with default fields and a fresh id.
  Packet* allocate() {
    if (free_ == nullptr) grow();
    Packet* p = free_;
    free_ = p->next;
    *p = Packet{};
    p->id = ++last_id_;
    ++live_;
    return p;
  }
  void release(Packet* p) {
    if (p->payload != nullptr) intrusive_ptr_release(p->payload);
    p->payload = nullptr;
    p->next = free_;
    free_ = p;
    --live_;
  }
  /// One copy has left the mesh (ejected or suppressed); the last one returns the packet.
  void drop_copy(Packet* p) {
    if (--p->live_copies == 0) release(p);
  }

  /// Packets outside the pool: queued at their source or in the mesh.
  std::uint64_t live() const { return live_; }
  std::uint64_t allocated() const { return last_id_; }

 private:
  static constexpr std::size_t kBlock = 256;
  void grow();
  std::vector<std::unique_ptr<Packet[]>> blocks_;
  Packet* free_ = nullptr;
  std::uint64_t last_id_ = 0;
  std::uint64_t live_ = 0;
};

}  // namespace meshkv::noc
