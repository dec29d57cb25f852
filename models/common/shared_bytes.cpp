#include "models/common/shared_bytes.h"

#include <cstring>

namespace meshkv {

SharedBytes::SharedBytes(std::size_t size) : size_(size), bytes_(new unsigned char[size]) {
  std::memset(bytes_.get(), 0xff, size);
}

}  // namespace meshkv
