// A hart with RAM and a bus that remembers what it was asked.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "models/riscv/hart.h"
#include "tests/riscv/encode.h"

namespace meshkv::test {

constexpr std::uint32_t kRam = 0x80000000;
constexpr std::uint32_t kDevice = 0x10000000;  ///< four words that can be read and written

class DeviceBus : public riscv::Bus {
 public:
  struct Access {
    bool write;
    std::uint32_t address;
    unsigned bytes;
    std::uint32_t value;
    std::uint64_t cycle;
  };
  riscv::BusStatus read(std::uint32_t address, unsigned bytes, std::uint32_t& value) override {
    if (later > 0 && later--) return riscv::BusStatus::kLater;
    if (address - kDevice >= 16) return riscv::BusStatus::kError;
    value = words[(address - kDevice) / 4] >> (8 * (address % 4));
    note({false, address, bytes, value, hart->cycles()});
    return riscv::BusStatus::kOk;
  }
  riscv::BusStatus write(std::uint32_t address, unsigned bytes, std::uint32_t value) override {
    if (later > 0 && later--) return riscv::BusStatus::kLater;
    if (address - kDevice >= 16) return riscv::BusStatus::kError;
    words[(address - kDevice) / 4] = value;
    note({true, address, bytes, value, hart->cycles()});
    return riscv::BusStatus::kOk;
  }
  void note(const Access& access) {
    accesses.push_back(access);
    hart->stall(stall);
    if (on_access) on_access(access);
  }
  std::function<void(const Access&)> on_access;
  std::uint32_t words[4] = {};
  std::uint64_t stall = 0;
  int later = 0;  ///< so many accesses are put off
  std::vector<Access> accesses;
  riscv::Hart* hart = nullptr;
};

struct BenchHart {
  explicit BenchHart(const encode::Program& program = {}, riscv::HartConfig config = {},
                     std::size_t ram_bytes = 4096)
      : ram(ram_bytes), hart(config, bus) {
    bus.hart = &hart;
    std::copy(program.bytes().begin(), program.bytes().end(), ram.begin());
    hart.set_ram(ram.data(), kRam, static_cast<std::uint32_t>(ram.size()));
  }
  /// Runs `cycles` in slices of `quantum`, or until something else than the budget ends it.
  riscv::StopReason run(std::uint64_t cycles, std::uint64_t quantum) {
    const std::uint64_t end = hart.cycles() + cycles;
    while (hart.cycles() < end) {
      const riscv::RunResult r = hart.run(std::min(quantum, end - hart.cycles()));
      if (r.reason != riscv::StopReason::kBudget) return r.reason;
    }
    return riscv::StopReason::kBudget;
  }
  std::uint32_t csr(std::uint32_t number) const {
    std::uint32_t value = 0;
    if (!hart.read_csr(number, value)) throw std::runtime_error("no such CSR");
    return value;
  }
  std::uint32_t word(std::uint32_t address) const {
    std::uint32_t value = 0;
    for (unsigned k = 0; k < 4; ++k) value |= std::uint32_t{ram.at(address - kRam + k)} << (8 * k);
    return value;
  }

  std::vector<std::uint8_t> ram;
  DeviceBus bus;
  riscv::Hart hart;
};

}  // namespace meshkv::test
