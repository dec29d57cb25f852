#include "models/mare/tag_filter.h"

#include <algorithm>
#include <stdexcept>

namespace meshkv::mare {
namespace {

/// Maps a 32-bit hash to [0, range) without a division; any bloom width will do.
std::size_t reduce(std::uint32_t hash, std::size_t range) {
  return static_cast<std::size_t>((std::uint64_t{hash} * range) >> 32);
}

}  // namespace

TagFilter::TagFilter(const TagFilterConfig& config)
    : config_(config), next_refresh_(static_cast<Cycle>(config.bloom_refresh_cycles)) {
  if (config.tags < 0 || config.bloom_bits < 1 || config.bloom_refresh_cycles < 1)
    throw std::invalid_argument("tag filter: tags >= 0, bloom_bits >= 1 and bloom_refresh_cycles >= 1");
  bloom_.assign((static_cast<std::size_t>(config.bloom_bits) + 63) / 64, 0);
  fingerprints_.reserve(static_cast<std::size_t>(config.tags));
  tags_.reserve(static_cast<std::size_t>(config.tags));
}

void TagFilter::refresh(Cycle now) {
  if (now < next_refresh_) return;
  const Cycle period = static_cast<Cycle>(config_.bloom_refresh_cycles);
  next_refresh_ = (now / period + 1) * period;
  std::fill(bloom_.begin(), bloom_.end(), 0);
}

void TagFilter::clear() {
  std::fill(bloom_.begin(), bloom_.end(), 0);
  fingerprints_.clear();
  tags_.clear();
  oldest_ = 0;
}

bool TagFilter::bloom_has(std::uint64_t hash) const {
  const auto bits = static_cast<std::size_t>(config_.bloom_bits);
  const std::size_t a = reduce(static_cast<std::uint32_t>(hash >> 32), bits);
  const std::size_t b = reduce(static_cast<std::uint32_t>(hash), bits);
  return ((bloom_[a / 64] >> (a % 64)) & (bloom_[b / 64] >> (b % 64)) & 1U) != 0;
}

void TagFilter::bloom_add(std::uint64_t hash) {
  const auto bits = static_cast<std::size_t>(config_.bloom_bits);
  const std::size_t a = reduce(static_cast<std::uint32_t>(hash >> 32), bits);
  const std::size_t b = reduce(static_cast<std::uint32_t>(hash), bits);
  bloom_[a / 64] |= std::uint64_t{1} << (a % 64);
  bloom_[b / 64] |= std::uint64_t{1} << (b % 64);
}

TagFilter::Tag* TagFilter::find(const noc::PayloadKey& key, std::uint64_t hash) {
  for (std::size_t i = 0; i < fingerprints_.size(); ++i)
    if (fingerprints_[i] == hash && tags_[i].key == key) return &tags_[i];
  return nullptr;
}

bool TagFilter::covered(const noc::PayloadKey& key, const noc::MulticastTree* tree, NodeId unicast_dst,
                        NodeId here, Cycle now) {
  refresh(now);
  ++statistics_.lookups;
  const std::uint64_t hash = key.hash();
  if (!bloom_has(hash)) return false;
  ++statistics_.bloom_hits;
  const Tag* tag = find(key, hash);
  if (tag == nullptr) {
    ++statistics_.bloom_false_positives;
    return false;
  }
  ++statistics_.exact_hits;
  const auto served = [tag](NodeId d) {
    return std::any_of(tag->served.begin(), tag->served.end(),
                       [d](const Served& s) { return s.includes(d); });
  };
  bool all = true;
  if (tree == nullptr) {
    all = served(unicast_dst);
  } else if (std::find(tag->served.begin(), tag->served.end(), Served{tree, here}) == tag->served.end()) {
    for (const NodeId d : tree->destinations()) all = all && (!tree->passes(here, d) || served(d));
  }
  if (all) ++statistics_.covered;
  return all;
}

void TagFilter::record(const noc::PayloadKey& key, const noc::MulticastTree* tree, NodeId unicast_dst,
                       NodeId here, Cycle now) {
  if (config_.tags == 0) return;
  refresh(now);
  const std::uint64_t hash = key.hash();
  bloom_add(hash);
  const Served served{tree, tree == nullptr ? unicast_dst : here};
  if (Tag* tag = find(key, hash)) {
    if (std::find(tag->served.begin(), tag->served.end(), served) == tag->served.end())
      tag->served.push_back(served);
    return;
  }
  if (tags_.size() < static_cast<std::size_t>(config_.tags)) {
    fingerprints_.push_back(hash);
    tags_.push_back({key, {served}});
    return;
  }
  ++statistics_.replaced_tags;
  fingerprints_[oldest_] = hash;
  tags_[oldest_].key = key;
  tags_[oldest_].served.assign(1, served);
  oldest_ = oldest_ + 1 == tags_.size() ? 0 : oldest_ + 1;
}

std::uint64_t TagFilter::storage_bits(const TagFilterConfig& config, int nodes) {
  constexpr int kKeyBits = 32 + 16 + 16 + 32;  // PayloadKey: segment, layer, group, index
  return static_cast<std::uint64_t>(config.bloom_bits) +
         static_cast<std::uint64_t>(config.tags) * static_cast<std::uint64_t>(1 + kKeyBits + nodes);
}

}  // namespace meshkv::mare
