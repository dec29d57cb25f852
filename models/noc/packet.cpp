#include "models/noc/packet.h"

namespace meshkv::noc {

const char* class_name(PacketClass c) {
  constexpr const char* kNames[kPacketClasses] = {"PART", "KV_FETCH", "KV_DATA"};
  return kNames[static_cast<unsigned>(c)];
}

}  // namespace meshkv::noc
