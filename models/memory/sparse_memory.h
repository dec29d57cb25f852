// Contents of a memory: pages on demand; what it began with where nothing was written.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

namespace meshkv::memory {

class SparseMemory {
 public:
  static constexpr std::uint64_t kPageBytes = 65536;
  /// Gives the bytes [address, address + bytes) of what the memory began with.
  using Background = std::function<void(std::uint64_t address, unsigned char* data, std::uint64_t bytes)>;
  /// Before the first access; zeros without it.
  void set_background(Background background) { background_ = std::move(background); }
  void read(std::uint64_t address, unsigned char* data, std::uint64_t bytes) const;
  void write(std::uint64_t address, const unsigned char* data, std::uint64_t bytes);
  /// The page that holds `address`, made if absent: stays where it is as long as the memory lives.
  unsigned char* page(std::uint64_t address);
  std::uint64_t resident_bytes() const { return pages_.size() * kPageBytes; }

 private:
  void begin_with(std::uint64_t address, unsigned char* data, std::uint64_t bytes) const;
  std::unordered_map<std::uint64_t, std::unique_ptr<unsigned char[]>> pages_;
  Background background_;
};

}  // namespace meshkv::memory
