// A program in ELF (System V ABI, RISC-V ELF psABI): what has to be loaded, where it begins, its symbols. A
// reader of our own: of the format only headers, segments and symbols matter here, and every offset of a file
// that somebody else wrote has to be checked anyway.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/riscv/symbol_table.h"

namespace meshkv::riscv {

/// What is wrong with the file, for the user; without the file's name.
class ElfError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ElfSegment {
  std::uint32_t address = 0;        ///< physical: where it is loaded
  std::uint32_t memory_bytes = 0;   ///< behind the file's bytes: zeros
  std::vector<std::uint8_t> bytes;  ///< from the file
  std::uint64_t end() const { return std::uint64_t{address} + memory_bytes; }
};

class ElfImage {
 public:
  /// An executable for RV32 with soft floats; everything else is an ElfError that says what it is. Segments
  /// that take no memory are left out, those that overlap refused. A file without symbols is fine.
  static ElfImage parse(const std::vector<std::uint8_t>& file);
  static constexpr std::size_t kMostFileBytes = std::size_t{256} << 20;  ///< debugging information included
  /// Reads a file first. Throws ElfError too if that fails, or the file is larger than that.
  static ElfImage load(const std::string& path);

  std::uint32_t entry() const { return entry_; }
  const std::vector<ElfSegment>& segments() const { return segments_; }  ///< by address
  const SymbolTable& symbols() const { return symbols_; }
  /// Copies the segments to RAM that begins at `base`. ElfError if one does not fit; nothing has been written
  /// then.
  void copy_to(std::uint8_t* ram, std::uint32_t base, std::uint32_t bytes) const;

 private:
  std::uint32_t entry_ = 0;
  std::vector<ElfSegment> segments_;
  SymbolTable symbols_;
};

}  // namespace meshkv::riscv
