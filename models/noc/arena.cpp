#include "models/noc/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace meshkv::noc {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kSmallBlock = std::size_t{64} << 10;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

Arena::~Arena() {
  for (void* block : blocks_) std::free(block);
}

void* Arena::allocate(std::size_t bytes, std::size_t alignment) {
  std::size_t skip =
      round_up(reinterpret_cast<std::uintptr_t>(next_), alignment) - reinterpret_cast<std::uintptr_t>(next_);
  if (next_ == nullptr || skip + bytes > static_cast<std::size_t>(end_ - next_)) {
    const std::size_t unit = huge_pages_ ? kHugePage : kSmallBlock;
    const std::size_t size = round_up(bytes, unit);
    void* block = std::aligned_alloc(huge_pages_ ? kHugePage : std::max<std::size_t>(alignment, 4096), size);
    if (block == nullptr) throw std::bad_alloc();
    // A request only: without huge pages everything works, a little slower.
    if (huge_pages_) madvise(block, size, MADV_HUGEPAGE);
    blocks_.push_back(block);
    next_ = static_cast<std::byte*>(block);
    end_ = next_ + size;
    skip = 0;
  }
  void* place = next_ + skip;
  next_ += skip + bytes;
  return place;
}

}  // namespace meshkv::noc
