// The lines of a value change dump, put together fast: values are cut from a table of bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace meshkv::platform {

/// A signal's name in the dump: printable characters, shortest first.
class VcdIdentifier {
 public:
  explicit VcdIdentifier(std::size_t number);
  /// " !a\n", as it stands behind a vector's value.
  std::string_view line_end() const { return {text_, size_}; }
  std::string_view name() const { return {text_ + 1, size_ - 2U}; }

 private:
  char text_[15] = {};
  std::uint8_t size_ = 0;
};

/// Lines of one moment. The room for them is asked for once, so that appending checks nothing.
class VcdText {
 public:
  static constexpr std::size_t kLongestLine = 1 + 64 + 15;

  void reserve(std::size_t lines) { text_.resize(lines * kLongestLine); }
  void clear() { size_ = 0; }
  std::string_view view() const { return {text_.data(), size_}; }

  void time(std::uint64_t cycle);
  void bit(bool value, const VcdIdentifier& id) {
    text_[size_++] = value ? '1' : '0';
    append(id.line_end().substr(1));
  }
  void vector(std::uint64_t value, const VcdIdentifier& id);

 private:
  void append(std::string_view text) {
    std::memcpy(text_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }
  std::vector<char> text_;
  std::size_t size_ = 0;
};

}  // namespace meshkv::platform
