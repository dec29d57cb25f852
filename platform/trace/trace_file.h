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
  /// What is written as the end is taken from the limit at once: `reserve` bytes.
  TraceFile(const std::string& file, std::uint64_t limit, std::uint64_t reserve);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  /// Claims room for text that is written later. False: there is none, and nothing was claimed.
  bool claim(std::uint64_t bytes);
  /// Writes text for which room was claimed, or which belongs to the end. Nothing is thrown, since the
  /// simulation calls this from within the kernel: after a failure nothing more is written.
  void write(std::string_view text);
  void close();                                            ///< flushes, too
  const std::string& failure() const { return failure_; }  ///< why not all was written; empty: it was
  std::uint64_t written() const { return written_; }

 private:
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  void fail();

  std::uint64_t limit_;
  std::uint64_t claimed_;
  std::uint64_t written_ = 0;
  std::vector<char> buffer_;  // before the file, which uses it until it is closed
  std::unique_ptr<std::FILE, Close> file_;
  std::string failure_;
};

}  // namespace meshkv::platform
