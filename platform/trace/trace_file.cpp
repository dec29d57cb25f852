#include "platform/trace/trace_file.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace meshkv::platform {

TraceFile::TraceFile(const std::string& file, std::uint64_t limit, std::uint64_t reserve)
    : name_(file),
      limit_(limit),
      claimed_(reserve),
      buffer_(1U << 18),
      file_(std::fopen(file.c_str(), "wb")) {
  if (!file_) throw std::runtime_error(file + ": cannot be written: " + std::strerror(errno));
  std::setvbuf(file_.get(), buffer_.data(), _IOFBF, buffer_.size());
}

TraceFile::~TraceFile() = default;

bool TraceFile::claim(std::uint64_t bytes) {
  if (bytes > limit_ || claimed_ > limit_ - bytes) return false;
  claimed_ += bytes;
  return true;
}

void TraceFile::write(std::string_view text) {
  written_ += text.size();
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size())
    throw std::runtime_error(name_ + ": cannot be written: " + std::strerror(errno));
}

void TraceFile::close() {
  const bool whole = std::fflush(file_.get()) == 0;
  file_.reset();
  if (!whole) throw std::runtime_error(name_ + ": cannot be written: " + std::strerror(errno));
}

}  // namespace meshkv::platform
