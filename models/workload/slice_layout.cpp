#include "models/workload/slice_layout.h"

namespace meshkv::workload {

SliceLayout::SliceLayout(const ModelShape& model, const KvLayout& layout, int flit_bits)
    : bits_(layout.bits_per_element),
      heads_(layout.heads_per_line),
      head_dim_(model.head_dim),
      flit_bytes_(static_cast<std::uint32_t>(flit_bits / 8)),
      head_bytes_(static_cast<std::uint32_t>((model.head_dim * layout.bits_per_element + 7) / 8)),
      key_parameters_(quantised() ? static_cast<std::uint32_t>(heads_ * head_dim_ * kParameterBytes) : 0),
      key_row_(static_cast<std::uint32_t>(heads_) * head_bytes_),
      value_row_(key_row_ + (quantised() ? static_cast<std::uint32_t>(heads_ * kParameterBytes) : 0)),
      values_(key_flits(layout.segment_tokens) * flit_bytes_),
      slice_bytes_(values_ + value_flits(layout.segment_tokens) * flit_bytes_) {}

std::array<SliceLayout::Range, 3> SliceLayout::stream(int first, int tokens) const {
  const auto n = static_cast<std::uint32_t>(tokens);
  std::array<Range, 3> ranges{};
  ranges[1] = {key_parameters_, key_row(first), n * key_row_};
  ranges[2] = {key_flits(tokens) * flit_bytes_, value_row(first), n * value_row_};
  if (first == 0) {
    ranges[1] = {0, 0, key_row(tokens)};  // parameters and rows side by side
  } else {
    ranges[0] = {0, 0, key_parameters_};
  }
  return ranges;
}

}  // namespace meshkv::workload
