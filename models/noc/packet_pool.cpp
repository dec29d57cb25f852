#include "models/noc/packet_pool.h"

namespace meshkv::noc {

void PacketPool::grow() {
  blocks_.push_back(std::make_unique<Packet[]>(kBlock));
  Packet* block = blocks_.back().get();
  for (std::size_t i = 0; i < kBlock; ++i) block[i].next = i + 1 < kBlock ? &block[i + 1] : nullptr;
  free_ = block;
}

}  // namespace meshkv::noc
