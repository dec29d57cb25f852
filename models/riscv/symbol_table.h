// Names of addresses in a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace meshkv::riscv {

struct Symbol {
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;  ///< 0: unknown, up to the next symbol
  std::string name;
  bool is_function = false;
};

class SymbolTable {
 public:
  SymbolTable() = default;
  explicit SymbolTable(std::vector<Symbol> symbols);

  bool empty() const { return symbols_.empty(); }
  const std::vector<Symbol>& symbols() const { return symbols_; }  ///< by address
  /// The symbol that covers an address, functions before others; null if none does.
  const Symbol* covering(std::uint32_t address) const;
  std::optional<std::uint32_t> address_of(const std::string& name) const;
  /// "main+0x12", or "" where nothing is known.
  std::string describe(std::uint32_t address) const;

 private:
  std::vector<Symbol> symbols_;
};

/// "0x80000012 (main+0x12)"
std::string address_text(std::uint32_t address, const SymbolTable& symbols);

}  // namespace meshkv::riscv
