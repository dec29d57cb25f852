#include "models/workload/segments.h"

#include <algorithm>
#include <stdexcept>
#include <string>

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
  const long half_bits =
      static_cast<long>(tokens) * layout.heads_per_line * model.head_dim * layout.bits_per_element;
  return 2 * ceil_div(half_bits, flit_bits);
}

long block_bytes(const ModelShape& model, const KvLayout& layout, int tokens) {
  const long bits = 2L * tokens * line_groups(model, layout) * layout.heads_per_line * model.head_dim *
                    layout.bits_per_element;
  return ceil_div(bits, 8);
}

SegmentTable::SegmentTable(const DecodeConfig& config, int step)
    : segment_tokens_(config.layout.segment_tokens), context_tokens_(config.context_tokens + step) {
  if (segment_tokens_ < 1 || context_tokens_ < 1 || config.streams < 1 || config.model.layers < 1 || step < 0)
    throw std::invalid_argument("decode workload without tokens, streams, layers or segments");
  const long longest = config.context_tokens + std::max(config.steps - 1, step);
  const long shared_tokens = std::clamp(config.shared_prefix_tokens, 0L, config.context_tokens);
  shared_slots_ = static_cast<int>(shared_tokens / segment_tokens_);
  private_slots_ = static_cast<int>(ceil_div(longest, segment_tokens_)) - shared_slots_;
  slots_ = shared_slots_ + config.streams * private_slots_;

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
  const long begin = window > 0 ? std::max(0L, context_tokens_ - window) : 0;
  const int segments = static_cast<int>(ceil_div(context_tokens_, segment_tokens_));
  std::vector<NeededSegment> all;
  const auto add = [&](int segment, int slot, int first_stream, int streams) {
    const long from = static_cast<long>(segment) * segment_tokens_;
    const long to = std::min(from + segment_tokens_, context_tokens_);
    if (to <= begin) return;
    const long first = std::max(from, begin);
    all.push_back(
        {slot, static_cast<int>(first - from), static_cast<int>(to - first), first_stream, streams});
  };
  for (int s = 0; s < shared_slots_; ++s) add(s, s, 0, config.streams);
  for (int b = 0; b < config.streams; ++b)
    for (int s = shared_slots_; s < segments; ++s) add(s, s + b * private_slots_, b, 1);

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
  return segment < shared_slots_ ? segment : segment + stream * private_slots_;
}

}  // namespace meshkv::workload
