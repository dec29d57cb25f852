// Registers as GDB numbers them: x0 to x31, pc, then the CSRs of this list.
#pragma once

#include <cstdint>
#include <string>

#include "models/riscv/hart.h"

namespace meshkv::riscv::gdb {

constexpr unsigned kPcNumber = 32;
unsigned register_count();
/// False: no such register.
bool read_register(const Hart& hart, unsigned number, std::uint32_t& value);
bool write_register(Hart& hart, unsigned number, std::uint32_t value);
/// target.xml
std::string description_document();

}  // namespace meshkv::riscv::gdb
