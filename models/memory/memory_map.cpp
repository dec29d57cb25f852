#include "models/memory/memory_map.h"

#include <algorithm>

#include <stdexcept>
#include <string>
#include <utility>

namespace meshkv::memory {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}
std::uint64_t power_of_two_at_least(std::uint64_t value) {
  std::uint64_t p = 1;
  while (p < value) p <<= 1;
  return p;
}
std::string mib(std::uint64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

}  // namespace

MemoryMap::MemoryMap(const MemoryConfig& config, MemoryMapShape shape)
    : config_(config),
      shape_(std::move(shape)),
      controllers_(memory::hbm_controllers(config)),
      channels_per_controller_(config.hbm_pseudo_channels / std::max(1, controllers_)),
      slice_stride_(round_up(shape_.slice_bytes, memory::chunk_granule(config))),
      granule_(memory::chunk_granule(config)),
      stripe_(granule_ * static_cast<std::uint64_t>(channels_per_controller_)) {
  validate();
  std::size_t units = 0;
  for (const std::uint32_t segments : shape_.segments_per_layer) {
    layer_base_.push_back(units);
    units += segments;
  }
  place_of_.assign(units, kInDdr);
  if (config_.hbm_reach == HbmReach::kColumn) {
    region_of_.assign(units, 0);
    std::vector<std::uint16_t> region_of_column;
    for (int x = 0; x < shape_.columns; ++x) {
      const ControllerRange range = controllers_of_column(x, shape_.columns, controllers_);
      if (regions_.empty() || regions_.back().first != range.first) regions_.push_back(range);
      region_of_column.push_back(static_cast<std::uint16_t>(regions_.size() - 1));
    }
    for (std::size_t l = 0; l < layer_base_.size(); ++l)
      for (std::uint32_t s = 0; s < shape_.segments_per_layer[l]; ++s)
        region_of_[layer_base_[l] + s] =
            region_of_column.at(static_cast<std::size_t>(shape_.home_column(static_cast<int>(l), s)));
  } else {
    regions_.push_back({0, controllers_});
  }
  choose_tiers(keep_order());
  number_units();
  size_spans();
}

void MemoryMap::validate() const {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument("memory map: " + why); };
  if (shape_.slice_bytes == 0 || shape_.groups_per_block < 1) refuse("slices and groups must not be empty");
  const auto chunk = static_cast<std::uint64_t>(config_.chunk_bytes);
  if (chunk < 64 || chunk > 32768 || (chunk & (chunk - 1)) != 0)
    refuse("memory.chunk_bytes must be a power of two from 64 to 32768");
  if (config_.hbm_pseudo_channels < 1 || config_.ddr_channels < 1)
    refuse("needs at least one channel of each kind");
  if (config_.hbm_pseudo_channels % controllers_ != 0)
    refuse("memory.hbm_pseudo_channels must be 1 to 3 or a multiple of 4");
  if (config_.hbm_reach == HbmReach::kColumn && !shape_.home_column)
    refuse("hbm_reach column needs the homes");
  for (const std::uint32_t segments : shape_.segments_per_layer)
    if (!shape_.age_of_segment.empty() && segments > shape_.age_of_segment.size())
      refuse("age_of_segment is shorter than a layer");
}

/// Numbers of all units, those that should stay in HBM first.
std::vector<std::uint32_t> MemoryMap::keep_order() const {
  struct Unit {
    std::uint32_t number, age, layer;
  };
  std::vector<Unit> units;
  units.reserve(place_of_.size());
  for (std::size_t l = 0; l < layer_base_.size(); ++l)
    for (std::uint32_t s = 0; s < shape_.segments_per_layer[l]; ++s)
      units.push_back({static_cast<std::uint32_t>(layer_base_[l] + s),
                       shape_.age_of_segment.empty() ? s : shape_.age_of_segment[s],
                       static_cast<std::uint32_t>(l)});
  const SpillPolicy policy = config_.spill_policy;
  std::stable_sort(units.begin(), units.end(), [policy](const Unit& a, const Unit& b) {
    if (policy == SpillPolicy::kByLayer && a.layer != b.layer) return a.layer < b.layer;
    return policy == SpillPolicy::kNewestSegments ? a.age < b.age : a.age > b.age;
  });
  std::vector<std::uint32_t> order;
  order.reserve(units.size());
  for (const Unit& u : units) order.push_back(u.number);
  return order;
}

std::uint64_t MemoryMap::slices_per_region(const ControllerRange& region) const {
  const std::uint64_t controller = config_.hbm_bytes / static_cast<std::uint64_t>(controllers_);
  const auto channels = static_cast<std::uint64_t>(channels_per_controller_);
  const auto count = static_cast<std::uint64_t>(region.count);
  if (config_.interleave == Interleave::kBlock)
    return controller / channels / slice_stride_ * channels * count;
  return controller / stripe_ * stripe_ * count / slice_stride_;
}

void MemoryMap::choose_tiers(const std::vector<std::uint32_t>& keep_order) {
  const auto groups = static_cast<std::uint64_t>(shape_.groups_per_block);
  std::vector<std::uint64_t> room;
  for (const ControllerRange& region : regions_) room.push_back(slices_per_region(region) / groups);
  for (const std::uint32_t unit : keep_order) {
    std::uint64_t& left = room[region_of(unit)];
    if (config_.spill != Spill::kIgnore) {
      if (left == 0) {
        ++ddr_units_;
        continue;
      }
      --left;
    }
    place_of_[unit] = 0;
    ++hbm_units_;
  }
  if (ddr_units_ != 0 && config_.spill == Spill::kRefuse)
    throw std::length_error("the KV cache needs " + mib(hbm_bytes() + ddr_bytes()) + ", HBM has room for " +
                            mib(hbm_bytes()) + " of it, and memory.spill is false");
  if (ddr_bytes() > config_.ddr_bytes)
    throw std::length_error("the KV cache needs " + mib(hbm_bytes() + ddr_bytes()) + ", more than HBM (" +
                            mib(config_.hbm_bytes) + ") and DDR4 (" + mib(config_.ddr_bytes) + ") together");
}

/// In the order of layers and segments, so that blocks that are read one after the other lie side by side.
void MemoryMap::number_units() {
  region_units_.assign(regions_.size(), 0);
  std::uint32_t spilled = 0;
  for (std::size_t unit = 0; unit < place_of_.size(); ++unit) {
    if (place_of_[unit] == kInDdr)
      place_of_[unit] = kInDdr | spilled++;
    else
      place_of_[unit] = static_cast<std::uint32_t>(region_units_[region_of(unit)]++);
  }
}

/// A controller's window is a power of two: what it has, or with Spill::kIgnore what it would need.
void MemoryMap::size_spans() {
  const auto groups = static_cast<std::uint64_t>(shape_.groups_per_block);
  const auto channels = static_cast<std::uint64_t>(channels_per_controller_);
  std::uint64_t need = config_.hbm_bytes / static_cast<std::uint64_t>(controllers_);
  for (std::size_t r = 0; r < regions_.size(); ++r) {
    const auto count = static_cast<std::uint64_t>(regions_[r].count);
    const std::uint64_t slices = region_units_[r] * groups;
    const std::uint64_t bytes = config_.interleave == Interleave::kBlock
                                    ? (slices / (channels * count) + 1) * slice_stride_ * channels
                                    : (slices * slice_stride_ / (stripe_ * count) + 1) * stripe_;
    need = config_.spill == Spill::kIgnore ? std::max(need, bytes) : need;
  }
  span_ = power_of_two_at_least(need);
  ddr_span_ = power_of_two_at_least(config_.ddr_bytes / static_cast<std::uint64_t>(config_.ddr_channels));
}

Location MemoryMap::locate(int layer, std::uint32_t segment, int group, std::uint64_t byte_offset) const {
  const std::size_t unit = layer_base_[static_cast<std::size_t>(layer)] + segment;
  const std::uint32_t place = place_of_[unit];
  const std::uint64_t slice =
      std::uint64_t{place & ~kInDdr} * static_cast<std::uint64_t>(shape_.groups_per_block) +
      static_cast<std::uint64_t>(group);
  return place < kInDdr ? hbm_location(regions_[region_of(unit)], slice, byte_offset)
                        : ddr_location(slice, byte_offset);
}

void MemoryMap::list_units() const {
  if (!unit_of_place_.empty()) return;
  unit_of_place_.resize(regions_.size() + 1);
  for (std::size_t unit = 0; unit < place_of_.size(); ++unit)
    unit_of_place_[place_of_[unit] < kInDdr ? region_of(unit) : regions_.size()].push_back(
        static_cast<std::uint32_t>(unit));
}

void MemoryMap::exchange(int layer_a, std::uint32_t segment_a, int layer_b, std::uint32_t segment_b) {
  list_units();  // as they were before
  const std::size_t a = layer_base_[static_cast<std::size_t>(layer_a)] + segment_a;
  const std::size_t b = layer_base_[static_cast<std::size_t>(layer_b)] + segment_b;
  std::swap(place_of_[a], place_of_[b]);
  if (!region_of_.empty()) std::swap(region_of_[a], region_of_[b]);
}

std::optional<MemoryMap::Owner> MemoryMap::owner(std::uint64_t address) const {
  list_units();
  const bool ddr = address >= kDdrBase;
  const std::uint64_t span = ddr ? ddr_span_ : span_;
  const std::uint64_t controller = (ddr ? address - kDdrBase : address) / span, local = address % span;
  ControllerRange region{0, config_.ddr_channels};
  std::size_t r = regions_.size();
  if (!ddr) {
    for (r = 0; r < regions_.size(); ++r) {
      region = regions_[r];
      if (controller >= static_cast<std::uint64_t>(region.first) &&
          controller < static_cast<std::uint64_t>(region.first + region.count))
        break;
    }
    if (r == regions_.size()) return std::nullopt;
  }
  const auto count = static_cast<std::uint64_t>(region.count);
  const auto turn = controller - static_cast<std::uint64_t>(region.first);
  std::uint64_t slice = 0, byte = 0;
  if (config_.interleave == Interleave::kBlock) {
    const auto channels = ddr ? std::uint64_t{1} : static_cast<std::uint64_t>(channels_per_controller_);
    const std::uint64_t share = span / channels, within = local % share;
    slice = within / slice_stride_ * channels * count + turn * channels + local / share;
    byte = within % slice_stride_;
  } else {
    const std::uint64_t unit = ddr ? granule_ : stripe_;
    const std::uint64_t linear = (local / unit * count + turn) * unit + local % unit;
    slice = linear / slice_stride_;
    byte = linear % slice_stride_;
  }
  const auto groups = static_cast<std::uint64_t>(shape_.groups_per_block);
  const auto& units = unit_of_place_[r];
  if (slice / groups >= units.size()) return std::nullopt;
  const std::uint32_t unit = units[slice / groups];
  const auto layer = std::upper_bound(layer_base_.begin(), layer_base_.end(), std::size_t{unit}) - 1;
  return Owner{static_cast<int>(layer - layer_base_.begin()), static_cast<std::uint32_t>(unit - *layer),
               static_cast<int>(slice % groups), byte};
}

Location MemoryMap::hbm_location(const ControllerRange& region, std::uint64_t slice,
                                 std::uint64_t byte) const {
  const auto channels = static_cast<std::uint64_t>(channels_per_controller_);
  const auto count = static_cast<std::uint64_t>(region.count);
  std::uint64_t controller = 0, local = 0;
  if (config_.interleave == Interleave::kBlock) {
    const std::uint64_t channel = slice % (channels * count);
    controller = channel / channels;
    local = channel % channels * (span_ / channels) + slice / (channels * count) * slice_stride_ + byte;
  } else {
    const std::uint64_t linear = slice * slice_stride_ + byte;
    const std::uint64_t stripe = linear / stripe_;
    controller = stripe % count;
    local = stripe / count * stripe_ + linear % stripe_;
  }
  controller += static_cast<std::uint64_t>(region.first);
  return {Tier::kHbm, static_cast<int>(controller), controller * span_ + local};
}

Location MemoryMap::ddr_location(std::uint64_t slice, std::uint64_t byte) const {
  const auto count = static_cast<std::uint64_t>(config_.ddr_channels);
  std::uint64_t controller = 0, local = 0;
  if (config_.interleave == Interleave::kBlock) {
    controller = slice % count;
    local = slice / count * slice_stride_ + byte;
  } else {
    const std::uint64_t linear = slice * slice_stride_ + byte;
    controller = linear / granule_ % count;
    local = linear / granule_ / count * granule_ + linear % granule_;
  }
  return {Tier::kDdr, static_cast<int>(controller), kDdrBase + controller * ddr_span_ + local};
}

}  // namespace meshkv::memory
