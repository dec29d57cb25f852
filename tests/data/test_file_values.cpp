#include <catch2/catch.hpp>
#include <cstring>

#include "models/data/file_values.h"
#include "models/data/number_format.h"
#include "tests/platform/support.h"

using namespace meshkv;
using namespace meshkv::test;

namespace {

/// As numpy.save writes it.
std::string npy(const std::string& type, const std::string& shape, const std::vector<float>& numbers,
                int version = 1) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  file += static_cast<char>(header.size() % 256);
  file += static_cast<char>(header.size() / 256);
  if (version > 1) file += std::string(2, '\0');
  file += header;
  for (const float x : numbers) {
    const std::uint16_t half = data::to_fp16(x);
    const bool wide = type == "<f4";
    file.append(reinterpret_cast<const char*>(wide ? static_cast<const void*>(&x) : &half), wide ? 4 : 2);
  }
  return file;
}

std::vector<float> counted(std::size_t n) {
  std::vector<float> numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<float>(i);
  return numbers;
}

workload::DecodeConfig decode() {
  workload::DecodeConfig d;
  d.model.layers = 1;
  d.model.heads = d.model.kv_heads = 2;
  d.model.head_dim = 4;
  d.context_tokens = 3;
  d.streams = 2;
  d.shared_prefix_tokens = 1;
  return d;
}

std::string refusal(const data::ValueFiles& files) {
  try {
    data::FileValues(files, decode(), nullptr);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("Numbers come from .npy files by layer, stream, head and token", "[data][npy]") {
  TemporaryFolder folder;
  for (const std::string type : {"<f2", "<f4"}) {
    for (const int version : {1, 2, 3}) {
      folder.write("k.npy", npy(type, "(1, 2, 2, 3, 4)", counted(48), version));
      folder.write("q.npy", npy(type, "(1, 1, 2, 2, 4)", counted(16), version));
      data::FileValues values({folder.path("k.npy"), "", folder.path("q.npy")}, decode(),
                              std::make_unique<data::SeededValues>(1, 4, 1));
      float out[8] = {};
      values.keys(0, 1, 1, 1, 2, out);  // ((0 * 2 + 1) * 2 + 1) * 3 + 1 = 10 rows of 4 before
      REQUIRE(out[0] == 40);
      REQUIRE(out[7] == 47);
      values.keys(0, 1, 0, 0, 2, out);  // token 0 is shared: stream 0's
      REQUIRE(out[0] == 0);
      REQUIRE(out[4] == 28);
      values.query(0, 1, 1, 0, out);
      REQUIRE(out[0] == 12);
      float seeded[4] = {}, again[4] = {};
      values.values(0, 0, 0, 0, 1, seeded);
      data::SeededValues(1, 4, 1).values(0, 0, 0, 0, 1, again);
      REQUIRE(std::memcmp(seeded, again, sizeof seeded) == 0);
    }
  }
}

TEST_CASE("What is wrong with an .npy file is said", "[data][npy]") {
  TemporaryFolder folder;
  const std::string k = folder.path("k.npy");
  const auto refused = [&](const std::string& bytes, const std::string& because) {
    folder.write("k.npy", bytes);
    const std::string why = refusal({k, "", ""});
    INFO(why);
    REQUIRE(why.find(k + ": ") == 0);
    REQUIRE(why.find(because) != std::string::npos);
  };
  REQUIRE(refusal({folder.path("none.npy"), "", ""}).find("cannot be read") != std::string::npos);
  refused("{}", "is no .npy file");
  refused("", "is no .npy file");
  const std::string good = npy("<f2", "(1, 2, 2, 3, 4)", counted(48));
  refused(good.substr(0, 40), "ends within its header");
  refused(good.substr(0, good.size() - 1), "has 95 bytes of numbers; its shape (1, 2, 2, 3, 4) needs 96");
  refused(npy("<f8", "(1, 2, 2, 3, 4)", counted(48)), "holds '<f8'");
  refused(npy(">f2", "(1, 2, 2, 3, 4)", counted(48)), "holds '>f2'");
  refused(npy("<f2", "(1, 2, 2, 2, 4)", counted(32)), "tokens >= 3");
  refused(npy("<f2", "(48,)", counted(48)), "has the shape (48)");
  refused(npy("<f4", "(1, 2, 2, 3, 4)", std::vector<float>(48, 70000.0F)), "number 0 is 70000");
  refused(npy("<f4", "(1, 2, 2, 3, 4)", std::vector<float>(48, std::nanf(""))), "number 0 is nan");
  std::string fortran = good;
  fortran.replace(fortran.find("False"), 5, "True ");
  refused(fortran, "Fortran order");
  std::string version = good;
  version[6] = 9;
  refused(version, "version 9");
}
