#include "models/data/data_plane.h"

#include <sstream>

namespace meshkv::data {

DataPlane::DataPlane(const workload::DecodePlan& plan, std::unique_ptr<ValueSource> source)
    : plan_(plan),
      source_(std::move(source)),
      codec_(plan.slice_layout(), plan.decode().layout.bf16),
      image_(plan, codec_, *source_),
      reference_(plan, codec_, *source_, image_),
      outputs_(plan, reference_) {}

std::string heads_text(const mare::HeadMask& heads, int group, int heads_per_line) {
  std::string list;
  int count = 0;
  for (int h = group * heads_per_line; h < (group + 1) * heads_per_line; ++h) {
    if (!heads.test(static_cast<std::size_t>(h))) continue;
    list += (count++ == 0 ? "" : ", ") + std::to_string(h);
  }
  return (count == 1 ? "KV head " : "KV heads ") + list;
}

SharedBytes::Pointer DataPlane::new_row(int layer, int step, const workload::AppendedRow& row) const {
  const auto dim = static_cast<std::size_t>(plan_.decode().model.head_dim);
  const long token = plan_.decode().context_of(row.stream) + step;
  std::vector<float> numbers(dim);
  const boost::intrusive_ptr<SharedBytes> bytes(
      new SharedBytes(static_cast<std::size_t>(plan_.append_flits()) * plan_.slice_layout().flit_bytes()));
  source_->keys(layer, row.stream, row.kv_head, token, 1, numbers.data());
  codec_.pack16(bytes->data(), numbers.data());
  source_->values(layer, row.stream, row.kv_head, token, 1, numbers.data());
  codec_.pack16(bytes->data() + 2 * dim, numbers.data());
  return bytes;
}

std::string DataPlane::judge(int layer, const workload::NeededSegment& segment, int group,
                             const mare::HeadMask& heads, const unsigned char* stream) {
  const int step = plan_.step();
  const long flit = image_.first_difference(layer, segment, group, step, stream);
  if (flit < 0) return {};
  std::ostringstream why;
  why << "wrong data: step " << step << ", layer " << layer << ", segment " << segment.slot << ", "
      << heads_text(heads, group, codec_.layout().heads()) << ": flit " << flit << " of the slice";
  for (int before = step - 1; before >= 0; --before) {
    if (image_.first_difference(layer, segment, group, before, stream) >= 0) continue;
    why << " is stale: what it was in step " << before;
    return why.str();
  }
  why << " is not what was written there";
  return why.str();
}

}  // namespace meshkv::data
