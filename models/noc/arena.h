// Memory for what every flit touches: side by side, and in huge pages where a mesh has many megabytes of it
// (a 32x32 mesh is bound by misses of cache and TLB).
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace meshkv::noc {

class Arena {
 public:
  /// Objects are destroyed by their owners; the memory goes with the arena, which must outlive them.
  template <class T>
  struct Destroy {
    void operator()(T* object) const { object->~T(); }
  };
  template <class T>
  using Pointer = std::unique_ptr<T, Destroy<T>>;

  explicit Arena(bool huge_pages) : huge_pages_(huge_pages) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  template <class T, class... Arguments>
  Pointer<T> make(Arguments&&... arguments) {
    return Pointer<T>(::new (allocate(sizeof(T), alignof(T))) T(std::forward<Arguments>(arguments)...));
  }

 private:
  void* allocate(std::size_t bytes, std::size_t alignment);
  bool huge_pages_;
  std::vector<void*> blocks_;
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
};

}  // namespace meshkv::noc
