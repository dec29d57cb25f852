// Where every KV block lives: HBM until it is full, DDR4 for what is left (DESIGN section 8).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "models/memory/memory_config.h"

namespace meshkv::memory {

enum class Tier : std::uint8_t { kHbm, kDdr };

struct Location {
  Tier tier = Tier::kHbm;
  int controller = 0;         ///< index among hbm_0.. or ddr_0..
  std::uint64_t address = 0;  ///< 64-bit physical address
};

/// HBM controller c owns [c * span, (c + 1) * span); DDR controllers follow from kDdrBase on.
constexpr std::uint64_t kDdrBase = std::uint64_t{1} << 40;

/// What the map has to place.
struct MemoryMapShape {
  std::vector<std::uint32_t> segments_per_layer;  ///< segment slots of each layer
  int groups_per_block = 1;                       ///< line groups: slices of a block
  std::uint64_t slice_bytes = 0;                  ///< the largest slice; all get that much room
  /// Age rank of a segment slot, 0 the oldest; empty: the slot number. (Private slots of several streams are
  /// as old as their tokens, not as their slot numbers.) One entry per slot of the longest layer.
  std::vector<std::uint32_t> age_of_segment;
  int columns = 8;  ///< mesh width
  /// HbmReach::kColumn only: the column of the block's home.
  std::function<int(int layer, std::uint32_t segment)> home_column;
};

/// Arithmetic except for one number per (layer, segment): no table of slices, no table of chunks.
///
/// Interleaving: consecutive 4 KiB (chunk_bytes, where that is more) of the pool go to consecutive
/// pseudo-channels with k4KiB. With k128B a controller spreads 128 B over its own pseudo-channels, and 16 KiB
/// stripes go around the controllers, so that no transaction of a chunk ever leaves its controller. With
/// kBlock a slice is in one pseudo-channel, slices go around them.
class MemoryMap {
 public:
  /// Throws std::invalid_argument (shape), std::length_error (does not fit: Spill::kRefuse, or DDR4 full
  /// too).
  MemoryMap(const MemoryConfig& config, MemoryMapShape shape);

  /// `byte_offset` in [0, slice_bytes). A naturally aligned chunk of up to chunk_bytes from there is
  /// contiguous.
  Location locate(int layer, std::uint32_t segment, int group, std::uint64_t byte_offset) const;
  /// From now on each of the two blocks lies where the other one did (occupancy swaps; who calls this moves
  /// the bytes).
  void exchange(int layer_a, std::uint32_t segment_a, int layer_b, std::uint32_t segment_b);
  /// What lay at an address before any exchange(); nothing where no slice lies.
  struct Owner {
    int layer = 0;
    std::uint32_t segment = 0;
    int group = 0;
    std::uint64_t byte = 0;  ///< of the slice's room, rounding up included
  };
  std::optional<Owner> owner(std::uint64_t address) const;
  /// From `address` on, bytes that belong to the same slice and follow one another in it.
  std::uint64_t contiguous(std::uint64_t address) const { return granule_ - address % granule_; }
  bool in_hbm(int layer, std::uint32_t segment) const {
    return place_of_[layer_base_[static_cast<std::size_t>(layer)] + segment] < kInDdr;
  }

  std::uint64_t hbm_bytes() const { return hbm_units_ * unit_bytes(); }  ///< resident in HBM
  std::uint64_t ddr_bytes() const { return ddr_units_ * unit_bytes(); }  ///< spilled
  /// Spill::kIgnore and more in HBM than the card has.
  bool overcommitted() const { return hbm_bytes() > config_.hbm_bytes; }

  int hbm_controllers() const { return controllers_; }
  /// Address ranges, one per controller.
  std::uint64_t hbm_span() const { return span_; }
  std::uint64_t ddr_span() const { return ddr_span_; }

 private:
  static constexpr std::uint32_t kInDdr = 1U << 31;
  std::uint64_t unit_bytes() const {
    return slice_stride_ * static_cast<std::uint64_t>(shape_.groups_per_block);
  }
  std::size_t region_of(std::size_t unit) const { return region_of_.empty() ? 0 : region_of_[unit]; }
  void validate() const;
  std::vector<std::uint32_t> keep_order() const;
  std::uint64_t slices_per_region(const ControllerRange& region) const;
  void choose_tiers(const std::vector<std::uint32_t>& keep_order);
  void number_units();
  void size_spans();
  void list_units() const;
  Location hbm_location(const ControllerRange& region, std::uint64_t slice, std::uint64_t byte) const;
  Location ddr_location(std::uint64_t slice, std::uint64_t byte) const;

  MemoryConfig config_;
  MemoryMapShape shape_;
  int controllers_;
  int channels_per_controller_;
  std::vector<std::size_t> layer_base_;
  std::vector<std::uint32_t> place_of_;   ///< (layer, segment): rank in its region, + kInDdr where spilled
  std::vector<std::uint16_t> region_of_;  ///< kColumn: (layer, segment) -> region; empty with kPool
  std::vector<ControllerRange> regions_;  ///< controllers over which blocks interleave: one for the pool
  std::vector<std::uint64_t> region_units_;
  /// By region, and of DDR4 at the end: (layer, segment) numbers by rank; made when owner() is first asked.
  mutable std::vector<std::vector<std::uint32_t>> unit_of_place_;
  std::uint64_t slice_stride_;
  std::uint64_t granule_;  ///< consecutive bytes that are never cut
  std::uint64_t stripe_;   ///< consecutive bytes of a controller
  std::uint64_t hbm_units_ = 0, ddr_units_ = 0;
  std::uint64_t span_ = 0, ddr_span_ = 0;
};

}  // namespace meshkv::memory
