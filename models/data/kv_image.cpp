#include "models/data/kv_image.h"

#include <algorithm>
#include <cstring>

#include "models/common/seed.h"

namespace meshkv::data {
namespace {

constexpr std::size_t kMostBytes = std::size_t{96} << 20;

}  // namespace

KvImage::KvImage(const workload::DecodePlan& plan, const SliceCodec& codec, const ValueSource& source)
    : plan_(plan),
      codec_(codec),
      source_(source),
      most_(std::max<std::size_t>(16, kMostBytes / codec.layout().slice_bytes())) {}

std::size_t KvImage::Hash::operator()(const Key& k) const {
  return mix64((std::uint64_t{k.slot} << 32) ^ (std::uint64_t{k.layer} << 16) ^ k.group ^
               (static_cast<std::uint64_t>(k.tokens) << 48));
}

std::vector<unsigned char> KvImage::make(int layer, std::uint32_t slot, int group, int tokens) const {
  const workload::SliceLayout& layout = codec_.layout();
  std::vector<unsigned char> bytes(layout.slice_bytes(), 0);
  const auto owner = plan_.segments().owner(static_cast<int>(slot));
  const int prompt = std::min(tokens, plan_.held_tokens(slot, 0));
  const auto dim = static_cast<std::size_t>(layout.head_dim());
  std::vector<float> keys(static_cast<std::size_t>(tokens) * dim), values(keys.size());
  for (int h = 0; h < layout.heads(); ++h) {
    const int kv_head = group * layout.heads() + h;
    if (kv_head >= plan_.decode().model.kv_heads) break;
    source_.keys(layer, owner.stream, kv_head, owner.first_token, tokens, keys.data());
    source_.values(layer, owner.stream, kv_head, owner.first_token, tokens, values.data());
    if (layout.quantised())
      for (auto* numbers : {&keys, &values})
        for (float& x : *numbers) x = codec_.round16(x);
    codec_.write(bytes.data(), h, prompt, keys.data(), values.data());
    for (int t = prompt; t < tokens; ++t) {
      const auto row = static_cast<std::size_t>(t) * dim;
      codec_.append(bytes.data(), h, t, keys.data() + row, values.data() + row);
    }
  }
  return bytes;
}

KvImage::Bytes KvImage::keep(const Key& key, std::vector<unsigned char> bytes) {
  if (entries_.size() >= most_) {
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
  entries_.push_front({key, std::make_shared<const std::vector<unsigned char>>(std::move(bytes))});
  index_[key] = entries_.begin();
  return entries_.front().bytes;
}

KvImage::Bytes KvImage::slice(int layer, std::uint32_t slot, int group, int step) {
  const Key key{slot, static_cast<std::uint16_t>(layer), static_cast<std::uint16_t>(group),
                plan_.held_tokens(slot, step)};
  const auto found = index_.find(key);
  if (found == index_.end()) return keep(key, make(layer, slot, group, key.tokens));
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->bytes;
}

void KvImage::initial(int layer, std::uint32_t slot, int group, std::uint64_t offset, unsigned char* out,
                      std::uint64_t bytes) {
  const Bytes image = slice(layer, slot, group, 0);
  const std::uint64_t size = image->size();
  const std::uint64_t known = offset < size ? std::min(bytes, size - offset) : 0;
  if (known != 0) std::memcpy(out, image->data() + offset, known);
  std::memset(out + known, 0, bytes - known);  // rounding up between slices
}

long KvImage::first_difference(int layer, const workload::NeededSegment& needed, int group, int step,
                               const unsigned char* stream) {
  const Bytes image = slice(layer, static_cast<std::uint32_t>(needed.slot), group, step);
  for (const auto& range : codec_.layout().stream(needed.first_token, needed.tokens)) {
    const unsigned char* is = stream + range.stream;
    const unsigned char* should = image->data() + range.memory;
    if (range.bytes == 0 || std::memcmp(is, should, range.bytes) == 0) continue;
    const auto at = std::mismatch(is, is + range.bytes, should).first - stream;
    return static_cast<long>(at) / codec_.layout().flit_bytes();
  }
  return -1;
}

}  // namespace meshkv::data
