#include "platform/run/replay_file.h"

#include <array>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>

namespace meshkv::platform {
namespace {

enum Column { kCreated, kSource, kDestination, kFlits, kEjected, kColumns };
constexpr std::array<const char*, kColumns> kNames{"created", "src", "dst", "flits", "ejected"};
constexpr std::uint64_t kMaxCycle = 1'000'000'000'000;
constexpr std::size_t kMaxPackets = 100'000'000;

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    std::string_view field = line.substr(begin, comma - begin);
    while (!field.empty() && (field.front() == ' ' || field.front() == '\t')) field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '\t')) field.remove_suffix(1);
    fields.push_back(field);
    if (comma == std::string_view::npos) return fields;
    begin = comma + 1;
  }
}

class Reader {
 public:
  Reader(std::istream& in, int nodes) : in_(in), nodes_(nodes) {}

  std::vector<ReplayPacket> read() {
    read_header();
    std::vector<ReplayPacket> packets;
    while (next_line()) {
      if (line_.empty()) continue;
      packets.push_back(packet());
      if (packets.size() > kMaxPackets) fail("more than 100000000 packets");
    }
    if (packets.empty()) throw std::runtime_error("has no packets");
    return packets;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    throw std::runtime_error("line " + std::to_string(number_) + ": " + reason);
  }

  bool next_line() {
    if (!std::getline(in_, line_)) return false;
    ++number_;
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    return true;
  }

  void read_header() {
    if (!next_line())
      throw std::runtime_error("is empty; the first line must name the columns created,src,dst");
    if (line_.rfind("\xef\xbb\xbf", 0) == 0) line_.erase(0, 3);
    const auto names = fields_of(line_);
    width_ = names.size();
    for (std::size_t i = 0; i < names.size(); ++i)
      for (int c = 0; c < kColumns; ++c)
        if (names[i] == kNames[static_cast<std::size_t>(c)]) {
          if (index_[static_cast<std::size_t>(c)] >= 0)
            fail("column " + std::string(names[i]) + " stands twice");
          index_[static_cast<std::size_t>(c)] = static_cast<int>(i);
        }
    for (Column c : {kCreated, kSource, kDestination})
      if (index_[c] < 0) fail(std::string("has no column ") + kNames[c] + "; needed: created,src,dst");
  }

  std::optional<std::uint64_t> value(const std::vector<std::string_view>& fields, Column c,
                                     std::uint64_t maximum) const {
    if (index_[c] < 0) return std::nullopt;
    const std::string_view field = fields[static_cast<std::size_t>(index_[c])];
    if (field.empty() && (c == kEjected || c == kFlits)) return std::nullopt;
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (error != std::errc() || end != field.data() + field.size() || number > maximum)
      fail(std::string(kNames[c]) + ": found \"" + std::string(field.substr(0, 40)) +
           "\"; allowed: integer 0 to " + std::to_string(maximum));
    return number;
  }

  ReplayPacket packet() const {
    const auto fields = fields_of(line_);
    if (fields.size() != width_)
      fail("found " + std::to_string(fields.size()) + " fields, the header has " + std::to_string(width_));
    ReplayPacket p;
    const auto last_node = static_cast<std::uint64_t>(nodes_ - 1);
    p.created = *value(fields, kCreated, kMaxCycle);
    p.source = static_cast<NodeId>(*value(fields, kSource, last_node));
    p.destination = static_cast<NodeId>(*value(fields, kDestination, last_node));
    if (auto flits = value(fields, kFlits, 1024)) {
      if (*flits == 0) fail("flits: found 0; allowed: integer 1 to 1024");
      p.flits = static_cast<int>(*flits);
    }
    p.ejected = value(fields, kEjected, kMaxCycle);
    return p;
  }

  std::istream& in_;
  int nodes_;
  std::string line_;
  std::size_t number_ = 0;
  std::size_t width_ = 0;
  std::array<int, kColumns> index_{-1, -1, -1, -1, -1};
};

}  // namespace

std::vector<ReplayPacket> read_replay_file(const std::string& file, int nodes) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::exists(file, error)) throw std::runtime_error("no such file");
  if (!fs::is_regular_file(file, error)) throw std::runtime_error("is not a regular file");
  std::ifstream raw(file, std::ios::binary);
  if (!raw) throw std::runtime_error("cannot be opened");
  // By content rather than by name: a gzip file starts with 1f 8b.
  char magic[2] = {0, 0};
  raw.read(magic, 2);
  const bool zipped = raw.gcount() == 2 && magic[0] == '\x1f' && magic[1] == '\x8b';
  raw.clear();
  raw.seekg(0);
  boost::iostreams::filtering_istream in;
  if (zipped) in.push(boost::iostreams::gzip_decompressor());
  in.push(raw);
  try {
    in.exceptions(std::ios::badbit);
    return Reader(in, nodes).read();
  } catch (const boost::iostreams::gzip_error&) {
    throw std::runtime_error("is damaged: not a complete gzip file");
  } catch (const std::ios_base::failure&) {
    throw std::runtime_error("cannot be read: damaged or truncated");
  }
}

}  // namespace meshkv::platform
