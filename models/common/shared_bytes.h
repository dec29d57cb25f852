// Bytes that several parts of the chip hold at a time: a chunk in the KV SRAM and the packets that left with
// it.
#pragma once

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstddef>
#include <memory>

namespace meshkv {

/// Written by whoever makes it, constant once somebody else holds it. One thread only.
class SharedBytes : public boost::intrusive_ref_counter<SharedBytes, boost::thread_unsafe_counter> {
 public:
  using Pointer = boost::intrusive_ptr<const SharedBytes>;

  /// What nobody wrote reads as NaN in every format.
  explicit SharedBytes(std::size_t size);
  std::size_t size() const { return size_; }
  unsigned char* data() { return bytes_.get(); }
  const unsigned char* data() const { return bytes_.get(); }

 private:
  std::size_t size_;
  std::unique_ptr<unsigned char[]> bytes_;
};

}  // namespace meshkv
