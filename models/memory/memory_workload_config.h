// What a run of `workload.kind: memory` is asked to do. No SystemC: run_config.h has it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/types.h"

namespace meshkv::memory {

enum class AccessPattern : std::uint8_t {
  kSequential,  ///< within a slice; slices follow each other at random places (slice_bytes 0: one endless
                ///< stream)
  kRandom,      ///< every access at a random multiple of access_bytes
  kStride,      ///< stride_bytes from one access to the next
  kChase        ///< random, each waits for the one before (window_bytes is ignored)
};
enum class ChannelPolicy : std::uint8_t {
  kPinned,          ///< reader r uses channel r mod channels
  kRandomPerSlice,  ///< each slice in one random channel
  kInterleave4K,    ///< consecutive 4 KiB in consecutive channels
  kInterleave128
};
enum class MemoryDevice : std::uint8_t { kHbm, kDdr };

struct MemoryWorkloadConfig {
  int readers = 1;
  AccessPattern pattern = AccessPattern::kSequential;
  std::uint32_t access_bytes = 64;
  std::uint64_t slice_bytes = 0;      ///< 0: none
  std::uint64_t window_bytes = 4096;  ///< outstanding per reader
  std::uint64_t stride_bytes = 4096;
  double read_fraction = 1.0;     ///< of the slices where there are slices, of the accesses otherwise
  double offered_fraction = 0.0;  ///< of the peak of all channels, over all readers; 0: as fast as it goes
  int channels = 1;
  ChannelPolicy channel_policy = ChannelPolicy::kPinned;
  MemoryDevice device = MemoryDevice::kHbm;
  Cycle warmup_cycles = 10000;  ///< of the fabric clock
  Cycle measure_cycles = 100000;
  double clock_mhz = 300.0;
  std::uint64_t seed = 1;
  double front_end_ns = 0.0;  ///< the reference's latencies are of DRAM and scheduler alone
};
/// Everything that is wrong, each with its `workload.` key; empty: fine.
std::vector<std::string> problems(const MemoryWorkloadConfig& config);

}  // namespace meshkv::memory
