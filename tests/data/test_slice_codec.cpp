#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>

#include "models/data/number_format.h"
#include "models/data/slice_codec.h"

using namespace meshkv;
using data::SliceCodec;
using workload::KvLayout;
using workload::ModelShape;
using workload::SliceLayout;

namespace {

ModelShape shape(int head_dim) {
  ModelShape model;
  model.head_dim = head_dim;
  return model;
}

std::vector<unsigned char> stream_of(const SliceLayout& layout, const std::vector<unsigned char>& slice,
                                     int first, int tokens) {
  std::vector<unsigned char> stream((layout.key_flits(tokens) + layout.value_flits(tokens)) *
                                    layout.flit_bytes());
  for (const auto& range : layout.stream(first, tokens))
    std::memcpy(stream.data() + range.stream, slice.data() + range.memory, range.bytes);
  return stream;
}

}  // namespace

TEST_CASE("A slice in memory and on the way, by hand", "[data][slice]") {
  // 16 tokens, two heads of 32 elements in 16 bits: rows of 128 bytes, 32 flits of keys, 32 of values.
  const SliceLayout full(shape(32), {16, 2, 16}, 512);
  REQUIRE(full.key_row(3) == 3 * 128);
  REQUIRE(full.value_row(3) == 2048 + 3 * 128);
  REQUIRE(full.slice_bytes() == 4096);
  REQUIRE(full.key_flits(5) == 10);
  // In 4 bits: parameters of 64 key channels (256 bytes), key rows of 32 bytes, value rows of 8 + 32 bytes.
  const SliceLayout four(shape(32), {16, 2, 4}, 512);
  REQUIRE(four.key_parameter_bytes() == 256);
  REQUIRE(four.key_row(3) == 256 + 3 * 32);
  REQUIRE(four.key_flits(16) == (256 + 16 * 32) / 64);
  REQUIRE(four.value_flits(16) == 10);  // 640 bytes
  REQUIRE(four.value_row(1) == 768 + 40);
  REQUIRE(four.slice_bytes() == 768 + 640);
  // A window that begins at token 5: the parameters still come first.
  const auto cut = four.stream(5, 3);
  REQUIRE(cut[0].bytes == 256);
  REQUIRE(cut[1].stream == 256);
  REQUIRE(cut[1].memory == 256 + 5 * 32);
  REQUIRE(cut[1].bytes == 3 * 32);
  REQUIRE(cut[2].stream == 6 * 64);  // 352 bytes of keys fill six flits
  REQUIRE(cut[2].memory == 768 + 5 * 40);
  REQUIRE(cut[2].bytes == 3 * 40);
}

TEST_CASE("Numbers come back from a slice as their format has them", "[data][slice]") {
  std::mt19937 random(3);
  std::normal_distribution<float> number(0.0F, 2.0F);
  for (const int bits : {16, 8, 4, 2}) {
    for (const bool bf16 : {false, true}) {
      if (bf16 && bits != 16) continue;
      const int dim = 20, tokens = 7, line = 3;
      const SliceCodec codec(SliceLayout(shape(dim), {9, line, bits}, 512), bf16);
      std::vector<unsigned char> slice(codec.layout().slice_bytes());
      std::vector<std::vector<float>> keys(line), values(line);
      for (int h = 0; h < line; ++h) {
        keys[static_cast<std::size_t>(h)].resize(tokens * dim);
        values[static_cast<std::size_t>(h)].resize(tokens * dim);
        for (float& x : keys[static_cast<std::size_t>(h)]) x = number(random);
        for (float& x : values[static_cast<std::size_t>(h)]) x = number(random);
        codec.write(slice.data(), h, tokens, keys[static_cast<std::size_t>(h)].data(),
                    values[static_cast<std::size_t>(h)].data());
      }
      const int first = 2, n = 4;
      const auto stream = stream_of(codec.layout(), slice, first, n);
      std::vector<float> out(n * dim);
      for (int h = 0; h < line; ++h) {
        const auto check = [&](const std::vector<float>& exact) {
          for (std::size_t i = 0; i < out.size(); ++i) {
            const float x = exact[i + first * dim];
            const double step = bits == 16 ? 0 : 16.0 / ((1 << bits) - 1);  // the numbers lie within +-8
            const double relative = bits == 16 && !bf16 ? 0x1p-11 : 0x1p-8;
            REQUIRE(std::abs(out[i] - x) <= 0.5 * step + relative * 8);
            if (bits == 16) REQUIRE(out[i] == codec.round16(x));
          }
        };
        codec.read_keys(stream.data(), h, n, out.data());
        check(keys[static_cast<std::size_t>(h)]);
        codec.read_values(stream.data(), h, n, out.data());
        check(values[static_cast<std::size_t>(h)]);
      }
    }
  }
}

TEST_CASE("Appending one by one gives 16-bit slices bit for bit, quantised ones within the steps",
          "[data][slice]") {
  std::mt19937 random(4);
  std::uniform_real_distribution<float> number(-4.0F, 4.0F);
  for (const int bits : {16, 8, 4, 2}) {
    const int dim = 16, tokens = 12;
    const SliceCodec codec(SliceLayout(shape(dim), {tokens, 1, bits}, 512), false);
    std::vector<float> keys(tokens * dim), values(tokens * dim);
    for (float& x : keys) x = number(random);
    for (float& x : values) x = number(random);
    std::vector<unsigned char> whole(codec.layout().slice_bytes()), grown(whole.size());
    codec.write(whole.data(), 0, tokens, keys.data(), values.data());
    for (int t = 0; t < tokens; ++t)
      codec.append(grown.data(), 0, t, keys.data() + t * dim, values.data() + t * dim);
    if (bits == 16) REQUIRE(whole == grown);
    std::vector<float> out(tokens * dim);
    codec.read_keys(grown.data(), 0, tokens, out.data());
    const double step = 8.0 / ((1 << bits) - 1);
    double mean = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double error = std::abs(out[i] - keys[i]);
      // Each widening of the range rounds anew, by at most half a step of the widest range; it widens rarely.
      REQUIRE(error <= (bits == 16 ? 0x1p-8 : 0.5 * step * tokens));
      mean += error / static_cast<double>(out.size());
    }
    if (bits != 16) REQUIRE(mean <= step);
    // Values are a group a token: appending is writing.
    std::vector<float> out_grown(tokens * dim);
    codec.read_values(whole.data(), 0, tokens, out.data());
    codec.read_values(grown.data(), 0, tokens, out_grown.data());
    REQUIRE(out == out_grown);
  }
}
