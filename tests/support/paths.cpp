#include "tests/support/paths.h"

namespace meshkv::test {

const std::string& source_dir() {
  static const std::string path = MESHKV_SOURCE_DIR;
  return path;
}

const std::string& program_path() {
  static const std::string path = MESHKV_BINARY;
  return path;
}

}  // namespace meshkv::test
