#include "models/noc/packet_pool.h"

namespace meshkv::noc {

/// A run that stops early leaves packets in the mesh.
PacketPool::~PacketPool() {
  for (const auto& block : blocks_)
    for (std::size_t i = 0; i < kBlock; ++i)
      if (block[i].payload != nullptr) intrusive_ptr_release(block[i].payload);
}

void PacketPool::grow() {
  blocks_.push_back(std::make_unique<Packet[]>(kBlock));
  Packet* block = blocks_.back().get();
  for (std::size_t i = 0; i < kBlock; ++i) block[i].next = i + 1 < kBlock ? &block[i + 1] : nullptr;
  free_ = block;
}

}  // namespace meshkv::noc
