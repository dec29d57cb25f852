#include "models/memory/sparse_memory.h"

#include <algorithm>
#include <cstring>

namespace meshkv::memory {

void SparseMemory::begin_with(std::uint64_t address, unsigned char* data, std::uint64_t bytes) const {
  if (background_)
    background_(address, data, bytes);
  else
    std::memset(data, 0, bytes);
}

unsigned char* SparseMemory::page(std::uint64_t address) {
  auto& page = pages_[address / kPageBytes];
  if (!page) {
    page.reset(new unsigned char[kPageBytes]);
    begin_with(address / kPageBytes * kPageBytes, page.get(), kPageBytes);
  }
  return page.get();
}

void SparseMemory::read(std::uint64_t address, unsigned char* data, std::uint64_t bytes) const {
  while (bytes > 0) {
    const std::uint64_t offset = address % kPageBytes;
    const std::uint64_t n = std::min(bytes, kPageBytes - offset);
    const auto it = pages_.find(address / kPageBytes);
    if (it == pages_.end())
      begin_with(address, data, n);
    else
      std::memcpy(data, it->second.get() + offset, n);
    address += n, data += n, bytes -= n;
  }
}

void SparseMemory::write(std::uint64_t address, const unsigned char* data, std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t offset = address % kPageBytes;
    const std::uint64_t n = std::min(bytes, kPageBytes - offset);
    std::memcpy(page(address) + offset, data, n);
    address += n, data += n, bytes -= n;
  }
}

}  // namespace meshkv::memory
