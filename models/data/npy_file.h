// NumPy's .npy files (format versions 1 to 3): little-endian float16 or float32, C order. No SystemC.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace meshkv::data {

/// The whole file, read at once.
class NpyFile {
 public:
  /// Throws std::runtime_error: what is wrong with the file, without its name.
  explicit NpyFile(const std::string& path);

  const std::vector<std::size_t>& shape() const { return shape_; }
  std::size_t size() const { return size_; }  ///< numbers
  /// Numbers [first, first + count) of the array, flat.
  void read(std::size_t first, std::size_t count, float* out) const;
  /// "(2, 1, 8, 64, 32)"
  static std::string shape_text(const std::vector<std::size_t>& shape);

 private:
  void parse_header(const std::string& header);
  std::vector<std::size_t> shape_;
  std::size_t size_ = 1;
  std::size_t item_bytes_ = 0;
  std::vector<unsigned char> bytes_;
};

}  // namespace meshkv::data
