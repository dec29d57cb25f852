#include "models/workload/segments.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "models/workload/slice_layout.h"

namespace meshkv::workload {
namespace {

long ceil_div(long a, long b) {
  return (a + b - 1) / b;
}

}  // namespace

int line_groups(const ModelShape& model, const KvLayout& layout) {
  return static_cast<int>(ceil_div(model.kv_heads, layout.heads_per_line));
}

long slice_flits(const ModelShape& model, const KvLayout& layout, int flit_bits, int tokens) {
  const SliceLayout slice(model, layout, flit_bits);
  return long{slice.key_flits(tokens)} + long{slice.value_flits(tokens)};
}

long block_bytes(const ModelShape& model, const KvLayout& layout, int tokens) {
  const SliceLayout slice(model, layout, 8);
  return line_groups(model, layout) *
         (long{slice.key_row(0)} + long{tokens} * (slice.key_row_bytes() + slice.value_row_bytes()));
}

SegmentTable::SegmentTable(const DecodeConfig& config, int step)
    : segment_tokens_(config.layout.segment_tokens) {
  long shortest = config.streams < 1 ? 0 : config.context_of(0);
  for (int b = 0; b < config.streams; ++b) {
    tokens_.push_back(config.context_of(b) + step);
    longest_ = std::max(longest_, tokens_.back());
    shortest = std::min(shortest, config.context_of(b));
  }
  if (segment_tokens_ < 1 || shortest < 1 || config.streams < 1 || config.model.layers < 1 || step < 0)
    throw std::invalid_argument("decode workload without tokens, streams, layers or segments");
  shared_slots_ = static_cast<int>(std::clamp(config.shared_prefix_tokens, 0L, shortest) / segment_tokens_);
  slots_ = shared_slots_;
  for (int b = 0; b < config.streams; ++b) {
    private_base_.push_back(slots_);
    const long last =
        std::max(config.context_of(b) + std::max(config.steps - 1, step), config.reserved_tokens);
    slots_ += static_cast<int>(ceil_div(last, segment_tokens_)) - shared_slots_;
  }

  layers_ = config.sampled_layers;
  std::sort(layers_.begin(), layers_.end());
  layers_.erase(std::unique(layers_.begin(), layers_.end()), layers_.end());
  if (!layers_.empty() && (layers_.front() < 0 || layers_.back() >= config.model.layers))
    throw std::invalid_argument("workload.sample.layers names a layer that the model with " +
                                std::to_string(config.model.layers) + " layers does not have");
  if (layers_.empty())
    for (int l = 0; l < config.model.layers; ++l) layers_.push_back(l);

  const auto& windows = config.model.window_tokens;
  for (std::size_t l = 0; l < static_cast<std::size_t>(config.model.layers); ++l) {
    const int window = l < windows.size() ? windows[l] : 0;
    const auto same = [window](const List& list) { return list.window == window; };
    auto it = std::find_if(lists_.begin(), lists_.end(), same);
    if (it == lists_.end()) it = lists_.insert(it, build(config, window));
    list_of_layer_.push_back(static_cast<std::size_t>(it - lists_.begin()));
  }
}

SegmentTable::List SegmentTable::build(const DecodeConfig& config, int window) const {
  std::vector<NeededSegment> all;
  // Tokens [first, end) of what the slot of `segment` holds.
  const auto add = [&](int segment, int slot, long first, long end, int first_stream, int streams) {
    const long from = static_cast<long>(segment) * segment_tokens_;
    const long to = std::min(from + segment_tokens_, end);
    first = std::max(from, first);
    if (to <= first) return;
    all.push_back(
        {slot, static_cast<int>(first - from), static_cast<int>(to - first), first_stream, streams});
  };
  long first_of_all = longest_;
  for (int b = 0; b < config.streams; ++b) first_of_all = std::min(first_of_all, first_token(b, window));
  for (int s = 0; s < shared_slots_; ++s) add(s, s, first_of_all, longest_, 0, config.streams);
  for (int b = 0; b < config.streams; ++b) {
    const int segments = static_cast<int>(ceil_div(tokens_of(b), segment_tokens_));
    for (int s = shared_slots_; s < segments; ++s)
      add(s, slot_of(b, static_cast<long>(s) * segment_tokens_), first_token(b, window), tokens_of(b), b, 1);
  }

  List list{window, {}, all.size()};
  const std::size_t from =
      std::min(static_cast<std::size_t>(std::max(0, config.sampled_segment_from)), all.size());
  const std::size_t to =
      config.sampled_segment_to < 0
          ? all.size()
          : std::clamp(static_cast<std::size_t>(config.sampled_segment_to), from, all.size());
  list.sampled.assign(all.begin() + static_cast<std::ptrdiff_t>(from),
                      all.begin() + static_cast<std::ptrdiff_t>(to));
  return list;
}

int SegmentTable::slot_of(int stream, long token) const {
  const int segment = static_cast<int>(token / segment_tokens_);
  if (segment < shared_slots_) return segment;
  return private_base_[static_cast<std::size_t>(stream)] + segment - shared_slots_;
}

SegmentTable::Owner SegmentTable::owner(int slot) const {
  if (slot < shared_slots_) return {0, static_cast<long>(slot) * segment_tokens_};
  const auto next = std::upper_bound(private_base_.begin(), private_base_.end(), slot);
  const auto stream = static_cast<int>(next - private_base_.begin()) - 1;
  const long segment = shared_slots_ + slot - private_base_[static_cast<std::size_t>(stream)];
  return {stream, segment * segment_tokens_};
}

}  // namespace meshkv::workload
