#include "platform/scenario/json_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <unordered_set>

namespace meshkv::platform {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxKeys = 4096;  // objects are searched linearly
constexpr std::uintmax_t kMaxFileBytes = 16U << 20;

/// Builds the value from parser events, since the library's own builder keeps the last of duplicate keys.
class Builder : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(const std::string& text) : text_(text) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool v) override { return add(v); }
  bool number_integer(number_integer_t v) override { return add(v); }
  bool number_unsigned(number_unsigned_t v) override { return add(v); }
  bool number_float(number_float_t v, const string_t&) override { return add(v); }
  bool string(string_t& v) override { return add(std::move(v)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Level& level = levels_.back();
    if (!level.keys.insert(name).second) {
      error_ = path(name) + ": duplicate key";
      return false;
    }
    if (level.keys.size() > kMaxKeys) {
      error_ = path(name) + ": more than " + std::to_string(kMaxKeys) + " keys in one object";
      return false;
    }
    level.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& e) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error ..."
    std::string text = e.what();
    const std::size_t line = text.find("line ");
    if (line != std::string::npos) {
      error_ = text.substr(line);
    } else {
      // "[json.exception.out_of_range.406] number overflow parsing '1e400'"
      if (text.find("] ") != std::string::npos) text = text.substr(text.find("] ") + 2);
      error_ = place(position) + ": " + text;
    }
    return false;
  }

  const std::string& error() const { return error_; }
  Json take() { return std::move(root_); }

 private:
  struct Level {
    Json value;
    std::string key;
    std::unordered_set<std::string> keys;
  };

  std::string path(const std::string& last) const {
    std::string p;
    for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
      const Level& l = levels_[i];
      if (l.value.is_array())
        p += "[" + std::to_string(l.value.size()) + "]";
      else
        p += (p.empty() ? "" : ".") + l.key;
    }
    return p + (p.empty() ? "" : ".") + last;
  }

  std::string place(std::size_t position) const {
    const std::string before = text_.substr(0, position);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    const std::size_t column = start == std::string::npos ? before.size() : before.size() - start - 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
  }

  bool add(Json value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Level& level = levels_.back();
    if (level.value.is_array()) {
      level.value.push_back(std::move(value));
    } else {
      // Keys are known to be distinct here; operator[] would search all of them again.
      level.value.get_ref<Json::object_t&>().push_back({std::move(level.key), std::move(value)});
    }
    return true;
  }

  bool open(Json empty) {
    if (levels_.size() >= kMaxDepth) {
      error_ = "nested deeper than " + std::to_string(kMaxDepth) + " levels";
      return false;
    }
    levels_.push_back({std::move(empty), {}, {}});
    return true;
  }

  bool close() {
    Json value = std::move(levels_.back().value);
    levels_.pop_back();
    return add(std::move(value));
  }

  const std::string& text_;
  std::vector<Level> levels_;
  Json root_;
  std::string error_;
};

}  // namespace

std::string read_text_file(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) throw std::runtime_error("no such file");
  if (error) throw std::runtime_error("cannot be opened: " + error.message());
  if (fs::is_directory(status)) throw std::runtime_error("is a directory, not a file");
  if (!fs::is_regular_file(status)) throw std::runtime_error("is not a regular file");
  if (fs::file_size(file, error) > kMaxFileBytes) throw std::runtime_error("is larger than 16 MiB");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in) throw std::runtime_error(std::string("cannot be opened: ") + std::strerror(errno));
  if (fs::file_size(file, error) > 0) text << in.rdbuf();
  if (in.bad()) throw std::runtime_error(std::string("cannot be read: ") + std::strerror(errno));
  return text.str();
}

Json parse_json(const std::string& text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw std::runtime_error("the file is empty");
  Builder builder(text);
  if (!Json::sax_parse(text, &builder))
    throw std::runtime_error(builder.error().empty() ? "not JSON" : builder.error());
  return builder.take();
}

}  // namespace meshkv::platform
