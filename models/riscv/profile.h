// Where a program spends its instructions and cycles, by function.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "models/riscv/hart_observer.h"
#include "models/riscv/symbol_table.h"

namespace meshkv::riscv {

/// Counts each instruction where it stands. Cycles of waiting (device accesses, WFI) belong to the
/// instruction that waited.
class Profile : public HartObserver {
 public:
  Profile(std::uint32_t ram_base, std::uint32_t ram_bytes);

  void instruction(const Hart& hart, std::uint64_t cycle) override;
  void trap(const Hart& hart, std::uint32_t cause, std::uint32_t from) override;

  struct Row {
    std::string function;
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
  };
  /// By cycles, the most first.
  std::vector<Row> rows(const SymbolTable& symbols) const;
  void print(std::ostream& out, const SymbolTable& symbols) const;

 private:
  struct Counts {
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
  };
  std::uint32_t base_;
  std::vector<Counts> counts_;  ///< one a halfword of RAM
  std::size_t last_ = 0;
  std::uint64_t last_cycle_ = 0;
  bool any_ = false;
};

/// Tells several observers.
class ObserverList : public HartObserver {
 public:
  void add(HartObserver& observer) { observers_.push_back(&observer); }
  bool empty() const { return observers_.empty(); }
  void instruction(const Hart& hart, std::uint64_t cycle) override {
    for (HartObserver* o : observers_) o->instruction(hart, cycle);
  }
  void trap(const Hart& hart, std::uint32_t cause, std::uint32_t from) override {
    for (HartObserver* o : observers_) o->trap(hart, cause, from);
  }

 private:
  std::vector<HartObserver*> observers_;
};

}  // namespace meshkv::riscv
