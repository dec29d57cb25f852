#include "models/data/slice_codec.h"

#include <algorithm>
#include <cstring>

#include "models/data/number_format.h"

namespace meshkv::data {
namespace {

GroupParameters load_parameters(const unsigned char* in) {
  GroupParameters p;
  std::memcpy(&p.scale, in, 2);
  std::memcpy(&p.zero, in + 2, 2);
  return p;
}

void store_parameters(unsigned char* out, GroupParameters p) {
  std::memcpy(out, &p.scale, 2);
  std::memcpy(out + 2, &p.zero, 2);
}

unsigned load_code(const unsigned char* row, int element, int bits) {
  const int bit = element * bits;
  return static_cast<unsigned>(row[bit / 8]) >> (bit % 8) & ((1U << bits) - 1U);
}

void store_code(unsigned char* row, int element, int bits, unsigned code) {
  const int bit = element * bits;
  const unsigned mask = ((1U << bits) - 1U) << (bit % 8);
  row[bit / 8] = static_cast<unsigned char>((row[bit / 8] & ~mask) | code << (bit % 8));
}

std::size_t at(int a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

}  // namespace

float SliceCodec::round16(float value) const {
  return bf16_ ? from_bf16(to_bf16(value)) : from_fp16(to_fp16(value));
}

void SliceCodec::pack16(unsigned char* out, const float* row) const {
  for (int d = 0; d < layout_.head_dim(); ++d) {
    const std::uint16_t half = bf16_ ? to_bf16(row[d]) : to_fp16(row[d]);
    std::memcpy(out + 2 * d, &half, 2);
  }
}

void SliceCodec::unpack16(const unsigned char* in, float* row) const {
  const int n = layout_.head_dim();
  std::uint16_t half;
  if (bf16_) {
    for (int d = 0; d < n; ++d) std::memcpy(&half, in + 2 * d, 2), row[d] = from_bf16(half);
  } else {
    for (int d = 0; d < n; ++d) std::memcpy(&half, in + 2 * d, 2), row[d] = from_fp16(half);
  }
}

void SliceCodec::write(unsigned char* slice, int head, int tokens, const float* keys,
                       const float* values) const {
  const int n = layout_.head_dim();
  const std::size_t offset = at(head, static_cast<int>(layout_.head_bytes()));
  for (int t = 0; t < tokens; ++t) write_value(slice, head, t, values + at(t, n));
  if (!layout_.quantised()) {
    for (int t = 0; t < tokens; ++t) pack16(slice + layout_.key_row(t) + offset, keys + at(t, n));
    return;
  }
  if (tokens == 0) return;
  for (int d = 0; d < n; ++d) {
    float low = keys[d], high = keys[d];
    for (int t = 1; t < tokens; ++t) {
      low = std::min(low, keys[at(t, n) + static_cast<std::size_t>(d)]);
      high = std::max(high, keys[at(t, n) + static_cast<std::size_t>(d)]);
    }
    const GroupParameters p = group_parameters(low, high, layout_.bits());
    store_parameters(slice + at(head * n + d, workload::SliceLayout::kParameterBytes), p);
    for (int t = 0; t < tokens; ++t)
      store_code(slice + layout_.key_row(t) + offset, d, layout_.bits(),
                 quantise(keys[at(t, n) + static_cast<std::size_t>(d)], p, layout_.bits()));
  }
}

void SliceCodec::write_value(unsigned char* slice, int head, int token, const float* row) const {
  unsigned char* out = slice + layout_.value_row(token);
  if (!layout_.quantised()) {
    pack16(out + at(head, static_cast<int>(layout_.head_bytes())), row);
    return;
  }
  const auto [low, high] = std::minmax_element(row, row + layout_.head_dim());
  const GroupParameters p = group_parameters(*low, *high, layout_.bits());
  store_parameters(out + at(head, workload::SliceLayout::kParameterBytes), p);
  out += at(layout_.heads(), workload::SliceLayout::kParameterBytes) +
         at(head, static_cast<int>(layout_.head_bytes()));
  for (int d = 0; d < layout_.head_dim(); ++d)
    store_code(out, d, layout_.bits(), quantise(row[d], p, layout_.bits()));
}

void SliceCodec::append(unsigned char* slice, int head, int token, const float* key,
                        const float* value) const {
  write_value(slice, head, token, value);
  if (layout_.quantised()) {
    append_quantised_key(slice, head, token, key);
  } else {
    pack16(slice + layout_.key_row(token) + at(head, static_cast<int>(layout_.head_bytes())), key);
  }
}

void SliceCodec::append_quantised_key(unsigned char* slice, int head, int token, const float* key) const {
  const int n = layout_.head_dim(), bits = layout_.bits();
  const std::size_t offset = at(head, static_cast<int>(layout_.head_bytes()));
  for (int d = 0; d < n; ++d) {
    unsigned char* parameters = slice + at(head * n + d, workload::SliceLayout::kParameterBytes);
    GroupParameters p = load_parameters(parameters);
    const float scale = from_fp16(p.scale), zero = from_fp16(p.zero);
    const float top = dequantise((1U << bits) - 1U, scale, zero);
    if (token == 0) {
      p = group_parameters(key[d], key[d], bits);
    } else if (key[d] < zero || key[d] > top) {
      p = group_parameters(std::min(zero, key[d]), std::max(top, key[d]), bits);
      for (int t = 0; t < token; ++t) {
        unsigned char* row = slice + layout_.key_row(t) + offset;
        store_code(row, d, bits, quantise(dequantise(load_code(row, d, bits), scale, zero), p, bits));
      }
    }
    store_parameters(parameters, p);
    store_code(slice + layout_.key_row(token) + offset, d, bits, quantise(key[d], p, bits));
  }
}

void SliceCodec::read_codes(const unsigned char* in, float* codes) const {
  const int n = layout_.head_dim(), bits = layout_.bits();
  for (int d = 0; d < n; ++d) codes[d] = static_cast<float>(load_code(in, d, bits));
}

void SliceCodec::read_keys(const unsigned char* stream, int head, int tokens, float* out) const {
  const int n = layout_.head_dim();
  const unsigned char* row =
      stream + layout_.key_parameter_bytes() + at(head, static_cast<int>(layout_.head_bytes()));
  if (!layout_.quantised()) {
    for (int t = 0; t < tokens; ++t, row += layout_.key_row_bytes()) unpack16(row, out + at(t, n));
    return;
  }
  std::vector<float> scale(static_cast<std::size_t>(n)), zero(scale.size());
  for (std::size_t d = 0; d < scale.size(); ++d) {
    const GroupParameters p =
        load_parameters(stream + (at(head, n) + d) * workload::SliceLayout::kParameterBytes);
    scale[d] = from_fp16(p.scale);
    zero[d] = from_fp16(p.zero);
  }
  for (int t = 0; t < tokens; ++t, row += layout_.key_row_bytes()) {
    float* k = out + at(t, n);
    read_codes(row, k);
    for (std::size_t d = 0; d < scale.size(); ++d) k[d] = zero[d] + scale[d] * k[d];
  }
}

void SliceCodec::read_values(const unsigned char* stream, int head, int tokens, float* out) const {
  const int n = layout_.head_dim();
  const unsigned char* row = stream + std::size_t{layout_.key_flits(tokens)} * layout_.flit_bytes();
  const std::size_t codes =
      (layout_.quantised() ? at(layout_.heads(), workload::SliceLayout::kParameterBytes) : 0) +
      at(head, static_cast<int>(layout_.head_bytes()));
  for (int t = 0; t < tokens; ++t, row += layout_.value_row_bytes()) {
    float* v = out + at(t, n);
    if (!layout_.quantised()) {
      unpack16(row + codes, v);
      continue;
    }
    const GroupParameters p = load_parameters(row + at(head, workload::SliceLayout::kParameterBytes));
    const float scale = from_fp16(p.scale), zero = from_fp16(p.zero);
    read_codes(row + codes, v);
    for (int d = 0; d < n; ++d) v[d] = zero + scale * v[d];
  }
}

}  // namespace meshkv::data
