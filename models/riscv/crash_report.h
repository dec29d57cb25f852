// Why a program does not go on, for people.
#pragma once

#include <string>

#include "models/riscv/hart.h"
#include "models/riscv/symbol_table.h"

namespace meshkv::riscv {

/// The last fault if there was one, else where the hart stands: hart, cause, pc and symbol, registers, last
/// instructions; lines that end in a line feed.
std::string crash_report(const Hart& hart, const SymbolTable& symbols, const std::string& name);

}  // namespace meshkv::riscv
