#include "platform/trace/trace_config.h"

#include <fnmatch.h>

#include <stdexcept>

namespace meshkv::platform {

bool TraceConfig::wants(const std::string& name) const {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = name.find('.', end + 1);
    if (fnmatch(instances.c_str(), name.substr(0, end).c_str(), 0) == 0) return true;
  }
  return false;
}

namespace {

std::uint64_t whole_number(const std::string& text) {
  std::size_t used = 0;
  unsigned long long value = 0;
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
    throw std::invalid_argument("");
  value = std::stoull(text, &used);
  return value;
}

}  // namespace

std::uint64_t parse_bytes(const std::string& text) {
  try {
    const std::size_t suffix = text.empty() ? std::string::npos : std::string("KMG").find(text.back());
    const unsigned shift = suffix == std::string::npos ? 0 : 10 * (static_cast<unsigned>(suffix) + 1);
    const std::uint64_t value = whole_number(shift == 0 ? text : text.substr(0, text.size() - 1));
    const std::uint64_t bytes = value << shift;
    if (bytes >> shift != value || bytes < 4096) throw std::invalid_argument("");
    return bytes;
  } catch (const std::exception&) {
    throw std::invalid_argument("found \"" + text + "\"; allowed: bytes, 4K or more, as 100000, 64M or 2G");
  }
}

void parse_window(const std::string& text, TraceConfig& config) {
  try {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) throw std::invalid_argument("");
    config.from = colon == 0 ? 0 : whole_number(text.substr(0, colon));
    config.to = colon + 1 == text.size() ? kNever : whole_number(text.substr(colon + 1));
    if (config.from >= config.to) throw std::invalid_argument("");
  } catch (const std::exception&) {
    throw std::invalid_argument("found \"" + text +
                                "\"; allowed: FROM:TO in cycles, FROM less than TO, either may be empty");
  }
}

}  // namespace meshkv::platform
