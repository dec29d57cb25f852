#include "models/riscv/profile.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "models/riscv/hart.h"

namespace meshkv::riscv {

Profile::Profile(std::uint32_t ram_base, std::uint32_t ram_bytes)
    : base_(ram_base), counts_(ram_bytes / 2 + 1) {}

void Profile::instruction(const Hart& hart, std::uint64_t cycle) {
  const std::size_t index = std::min<std::size_t>((hart.pc() - base_) / 2, counts_.size() - 1);
  if (any_) counts_[last_].cycles += cycle - last_cycle_;
  ++counts_[index].instructions;
  last_ = index;
  last_cycle_ = cycle;
  any_ = true;
}

void Profile::trap(const Hart&, std::uint32_t cause, std::uint32_t) {
  // What traps does not retire.
  if ((cause & kInterruptFlag) == 0 && any_ && counts_[last_].instructions > 0) --counts_[last_].instructions;
}

std::vector<Profile::Row> Profile::rows(const SymbolTable& symbols) const {
  std::map<std::string, Row> by_name;
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    if (counts_[k].instructions == 0 && counts_[k].cycles == 0) continue;
    const Symbol* symbol = symbols.covering(base_ + 2 * static_cast<std::uint32_t>(k));
    Row& row = by_name[symbol == nullptr ? "(no symbol)" : symbol->name];
    row.instructions += counts_[k].instructions;
    row.cycles += counts_[k].cycles;
  }
  std::vector<Row> rows;
  for (auto& [name, row] : by_name) {
    row.function = name;
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.cycles > b.cycles; });
  return rows;
}

void Profile::print(std::ostream& out, const SymbolTable& symbols) const {
  const std::vector<Row> all = rows(symbols);
  std::uint64_t total = 0;
  for (const Row& row : all) total += row.cycles;
  out << "      cycles  share  instructions  function\n";
  for (const Row& row : all) {
    char text[80];
    std::snprintf(text, sizeof text, "%12llu  %4.1f%%  %12llu  ", static_cast<unsigned long long>(row.cycles),
                  total == 0 ? 0.0 : 100.0 * static_cast<double>(row.cycles) / static_cast<double>(total),
                  static_cast<unsigned long long>(row.instructions));
    out << text << row.function << '\n';
  }
}

}  // namespace meshkv::riscv
