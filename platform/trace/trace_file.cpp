#include "platform/trace/trace_file.h"

#include <cerrno>
#include <cstring>

namespace meshkv::platform {

TraceFile::TraceFile(const std::string& file, std::uint64_t limit, std::uint64_t reserve)
    : limit_(limit), claimed_(reserve), buffer_(1U << 18), file_(std::fopen(file.c_str(), "wb")) {
  if (file_)
    std::setvbuf(file_.get(), buffer_.data(), _IOFBF, buffer_.size());
  else
    fail();
}

void TraceFile::fail() {
  if (failure_.empty()) failure_ = std::strerror(errno);
}

TraceFile::~TraceFile() = default;

bool TraceFile::claim(std::uint64_t bytes) {
  if (bytes > limit_ || claimed_ > limit_ - bytes) return false;
  claimed_ += bytes;
  return true;
}

void TraceFile::write(std::string_view text) {
  if (!failure_.empty()) return;
  written_ += text.size();
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail();
}

void TraceFile::close() {
  if (file_ && std::fflush(file_.get()) != 0) fail();
  file_.reset();
}

}  // namespace meshkv::platform
