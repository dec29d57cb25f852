#include "models/data/npy_file.h"

#include <cstring>
#include <fstream>
#include <regex>
#include <stdexcept>

#include "models/data/number_format.h"

namespace meshkv::data {

NpyFile::NpyFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot be read");
  unsigned char start[12] = {};
  file.read(reinterpret_cast<char*>(start), 10);
  if (!file || std::memcmp(start, "\x93NUMPY", 6) != 0) throw std::runtime_error("is no .npy file");
  const unsigned version = start[6];
  if (version < 1 || version > 3)
    throw std::runtime_error("is of .npy version " + std::to_string(version) + "; allowed: 1 to 3");
  std::size_t length = start[8] | std::size_t{start[9]} << 8;
  if (version > 1) {
    file.read(reinterpret_cast<char*>(start + 10), 2);
    length |= std::size_t{start[10]} << 16 | std::size_t{start[11]} << 24;
  }
  constexpr std::size_t kLongestHeader = 1 << 20;
  if (length > kLongestHeader) throw std::runtime_error("has a damaged header");
  std::string header(length, '\0');
  file.read(header.data(), static_cast<std::streamsize>(length));
  if (!file) throw std::runtime_error("ends within its header");
  parse_header(header);
  const std::streampos begin = file.tellg();
  file.seekg(0, std::ios::end);
  const auto have = static_cast<std::size_t>(file.tellg() - begin);
  if (have != size_ * item_bytes_)
    throw std::runtime_error("has " + std::to_string(have) + " bytes of numbers; its shape " +
                             shape_text(shape_) + " needs " + std::to_string(size_ * item_bytes_));
  bytes_.resize(have);
  file.seekg(begin);
  file.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(have));
  if (!file) throw std::runtime_error("cannot be read whole");
}

/// {'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }
void NpyFile::parse_header(const std::string& header) {
  std::smatch match;
  if (!std::regex_search(header, match, std::regex("'descr':\\s*'([^']*)'")))
    throw std::runtime_error("has no plain data type; allowed: float16 or float32, little-endian");
  const std::string type = match[1];
  if (type != "<f2" && type != "<f4")
    throw std::runtime_error("holds '" + type + "'; allowed: '<f2' (float16) or '<f4' (float32)");
  item_bytes_ = type == "<f2" ? 2 : 4;
  if (!std::regex_search(header, std::regex("'fortran_order':\\s*False")))
    throw std::runtime_error("is in Fortran order; allowed: C order (numpy.ascontiguousarray)");
  if (!std::regex_search(header, match, std::regex("'shape':\\s*\\(([0-9, ]*)\\)")))
    throw std::runtime_error("has a damaged header");
  const std::string list = match[1];
  const std::regex number("[0-9]{1,12}");
  for (auto it = std::sregex_iterator(list.begin(), list.end(), number); it != std::sregex_iterator(); ++it) {
    shape_.push_back(std::stoull(it->str()));
    if (shape_.back() != 0 && size_ > (std::size_t{1} << 40) / shape_.back())
      throw std::runtime_error("has more than 2^40 numbers");
    size_ *= shape_.back();
  }
}

void NpyFile::read(std::size_t first, std::size_t count, float* out) const {
  const unsigned char* in = bytes_.data() + first * item_bytes_;
  if (item_bytes_ == 4) {
    std::memcpy(out, in, count * 4);
    return;
  }
  std::uint16_t half;
  for (std::size_t i = 0; i < count; ++i) std::memcpy(&half, in + 2 * i, 2), out[i] = from_fp16(half);
}

std::string NpyFile::shape_text(const std::vector<std::size_t>& shape) {
  std::string text = "(";
  for (const std::size_t n : shape) text += (text.size() == 1 ? "" : ", ") + std::to_string(n);
  return text + ")";
}

}  // namespace meshkv::data
