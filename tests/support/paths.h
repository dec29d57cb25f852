#pragma once
#include <string>

namespace meshkv::test {

/// Root of the source tree, and the program under test. Only paths.cpp knows them, so that an object compiled in
/// one clone serves another through ccache.
const std::string& source_dir();
const std::string& program_path();

}  // namespace meshkv::test
