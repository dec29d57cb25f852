// The register description for others than C++.
#pragma once

#include <string>

namespace meshkv::controller {

std::string register_c_header();  ///< firmware/include/meshkv_registers.h
std::string register_markdown();  ///< docs/registers.md

}  // namespace meshkv::controller
