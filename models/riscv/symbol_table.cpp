#include "models/riscv/symbol_table.h"

#include <algorithm>
#include <cstdio>
#include <tuple>

namespace meshkv::riscv {

SymbolTable::SymbolTable(std::vector<Symbol> symbols) : symbols_(std::move(symbols)) {
  // Of several names for an address the last in this order is shown: functions, then those with a size.
  std::sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    return std::tie(a.address, a.is_function, a.bytes, a.name) <
           std::tie(b.address, b.is_function, b.bytes, b.name);
  });
}

const Symbol* SymbolTable::covering(std::uint32_t address) const {
  auto it = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                             [](std::uint32_t a, const Symbol& s) { return a < s.address; });
  // Local labels inside a function have no size and must not hide it, so the search goes on for a while.
  const Symbol* label = nullptr;
  for (int tries = 0; it != symbols_.begin() && tries < 64; ++tries) {
    --it;
    if (it->bytes > 0 && address - it->address < it->bytes) return &*it;
    if (it->bytes == 0 && label == nullptr) label = &*it;
  }
  return label;
}

std::optional<std::uint32_t> SymbolTable::address_of(const std::string& name) const {
  for (const Symbol& symbol : symbols_) {
    if (symbol.name == name) return symbol.address;
  }
  return std::nullopt;
}

std::string SymbolTable::describe(std::uint32_t address) const {
  const Symbol* symbol = covering(address);
  if (symbol == nullptr) return {};
  char offset[16];
  std::snprintf(offset, sizeof offset, "+0x%x", address - symbol->address);
  return symbol->name + (address == symbol->address ? "" : offset);
}

std::string address_text(std::uint32_t address, const SymbolTable& symbols) {
  char number[16];
  std::snprintf(number, sizeof number, "0x%08x", address);
  const std::string name = symbols.describe(address);
  return name.empty() ? number : std::string(number) + " (" + name + ")";
}

}  // namespace meshkv::riscv
