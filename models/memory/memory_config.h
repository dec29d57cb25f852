// Configuration of the memory plane (paper section VII, Alveo U280). Plain aggregates with defaults.
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
  int chunk_bytes = 4096;  ///< unit in which a home promotes a slice into its KV SRAM; a power of two
  // Outside the DRAM. The card's AXI front end is about 86.5 ns with the HBM switch off; the switch adds
  // 15.6 ns, and up to 48.9 ns more for the farthest pseudo-channel; DDR4's front end is 55-60 ns (secondary
  // notes on Shuhai, arXiv 2005.04324).
  double hbm_front_end_ns = 86.5;
  double ddr_front_end_ns = 57.5;
  double switch_ns = 15.6;           ///< hbm_reach kPool only: with kColumn the switch is off
  double switch_farthest_ns = 48.9;  ///< on top of switch_ns, grows linearly with the controllers passed
  int queue_requests = 32;           ///< transactions that a controller holds per channel; then END_REQ waits
  int port_outstanding = 16;         ///< transactions that one tile's memory port has under way at once
};

/// Bytes that interleaving never cuts: a chunk is always one transaction of one controller.
constexpr std::uint64_t chunk_granule(const MemoryConfig& config) {
  return config.chunk_bytes > 4096 ? static_cast<std::uint64_t>(config.chunk_bytes) : 4096;
}

/// HBM controllers of a chip: four pseudo-channels each whatever the mesh (the card has 32).
constexpr int kPseudoChannelsPerController = 4;
constexpr int hbm_controllers(const MemoryConfig& config) {
  return config.hbm_pseudo_channels < kPseudoChannelsPerController
             ? 1
             : config.hbm_pseudo_channels / kPseudoChannelsPerController;
}

/// The controllers that stand under column x. One each on an 8-wide mesh; wider meshes share (columns 0 and
/// 1 of 16 have hbm_0), narrower ones have several (column 0 of 4 has hbm_0 and hbm_1).
struct ControllerRange {
  int first = 0;
  int count = 1;
};
constexpr ControllerRange controllers_of_column(int column, int width, int controllers) {
  const int first = column * controllers / width;
  const int last = (column + 1) * controllers / width;
  return {first, last > first ? last - first : 1};
}

}  // namespace meshkv::memory
