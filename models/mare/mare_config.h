#pragma once
#include <cstdint>

namespace meshkv::mare {

/// In which order a home sends the packets of the slices that wait for its injection port.
enum class HomeService : std::uint8_t {
  kAuto,        ///< round_robin where fabric.multicast is off, block_order where it is on
  kRoundRobin,  ///< packet by packet over all waiting slices
  kBlockOrder,  ///< oldest block first, round robin over the slices of that block
  kFifo         ///< slice by slice, first come first served
};

struct MareConfig {
  bool multicast = true;
  bool duplicate_suppression = true;
  int coalescing_cycles = 12;  ///< W_coal, from the first request (section VI)
  int tree_build_cycles = 4;   ///< control cycles before KV_DATA departs (section VI)
  int tags = 16;
  int bloom_bits = 256;
  int bloom_refresh_cycles = 96;
  HomeService service = HomeService::kAuto;
};

}  // namespace meshkv::mare
