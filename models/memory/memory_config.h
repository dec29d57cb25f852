#pragma once
#include <cstdint>

namespace meshkv::memory {

enum class Spill : std::uint8_t { kAllow, kRefuse, kIgnore };
enum class SpillPolicy : std::uint8_t { kOldestSegments, kNewestSegments, kByLayer };
enum class HbmReach : std::uint8_t { kPool, kColumn };
/// What one pseudo-channel holds of consecutive addresses.
enum class Interleave : std::uint8_t { k4KiB, k128B, kBlock };

struct MemoryConfig {
  std::uint64_t hbm_bytes = std::uint64_t{8} << 30;   ///< Alveo U280: 8 GiB HBM2
  std::uint64_t ddr_bytes = std::uint64_t{32} << 30;  ///< and 32 GiB DDR4
  int hbm_pseudo_channels = 32;
  int ddr_channels = 2;
  double hbm_gbs = 460.8;  ///< peak, 32 pseudo-channels of 14.4 GB/s
  double ddr_gbs = 38.56;  ///< peak, 2 channels of 19.28 GB/s
  Spill spill = Spill::kAllow;
  SpillPolicy spill_policy = SpillPolicy::kOldestSegments;
  HbmReach hbm_reach = HbmReach::kPool;
  Interleave interleave = Interleave::k4KiB;
  int sram_bytes = 294912;  ///< 8 URAMs a tile, 288 KB in four banks
  int sram_banks = 4;
  int chunk_bytes = 4096;  ///< unit in which a home promotes a slice into its KV SRAM
};

}  // namespace meshkv::memory
