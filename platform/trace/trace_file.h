// Where a trace goes: a file that is written as the simulation goes on, within a limit.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace meshkv::platform {

class TraceFile {
 public:
  /// Throws std::runtime_error if the file cannot be made. What is written as the end is taken from the limit
  /// at once: `reserve` bytes.
  TraceFile(const std::string& file, std::uint64_t limit, std::uint64_t reserve);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Claims room for text that is written later. False: there is none, and nothing was claimed.
  bool claim(std::uint64_t bytes);
  /// Writes text for which room was claimed, or which belongs to the end.
  void write(std::string_view text);
  /// Flushes and closes. Throws std::runtime_error if not all could be written.
  void close();
  std::uint64_t written() const { return written_; }

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::string name_;
  std::uint64_t limit_;
  std::uint64_t claimed_;
  std::uint64_t written_ = 0;
  std::vector<char> buffer_;  // before the file, which uses it until it is closed
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace meshkv::platform
