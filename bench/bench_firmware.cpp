#include <tlm_utils/simple_target_socket.h>
#include <algorithm>
#include <array>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "bench/bench.h"
#include "bench/in_child.h"
#include "models/controller/devices/column_devices.h"
#include "models/controller/devices/idle_fabric.h"
#include "models/riscv/hart_module.h"

namespace meshkv::bench {
namespace {

// Machine code of firmware_workload.c, to be loaded at 0x80000000.
constexpr unsigned kWorkload[] = {
#include "bench/firmware_workload.inc"
};
// lui a1, 0x10000; lw a0, 0(a1); beqz a0, -4
constexpr unsigned kPolling[] = {0x100005b7U, 0x0005a503U, 0xfe050ee3U};
// The same with lui a1, 0x10010; lw a0, 8(a1): TILE_SEGMENTS_DONE of row 0.
constexpr unsigned kPollingTile[] = {0x100105b7U, 0x0085a503U, 0xfe050ee3U};

enum class Polling { kNone, kAnyTime, kWithNotice, kTileStatus };

/// 1000 cycles of a hart.
sc_core::sc_time notice_time() {
  return {10, sc_core::SC_US};
}

/// A register that reads as 0 and takes no time. kWithNotice: it may change every 1000 cycles only, and says
/// so then.
class Register : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Register> port;
  Register(sc_core::sc_module_name name, bool notice) : sc_module(name), port("port"), notice_(notice) {
    SC_HAS_PROCESS(Register);
    SC_METHOD(change);
    dont_initialize();
    sensitive << change_;
    if (notice) change_.notify(notice_time());
    port.register_b_transport(this, &Register::b_transport);
    port.register_get_direct_mem_ptr(this, &Register::get_direct_mem_ptr);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
    std::fill_n(payload.get_data_ptr(), payload.get_data_length(), 0);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    payload.set_dmi_allowed(notice_);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    dmi.allow_read();
    dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(&value_));
    dmi.set_start_address(payload.get_address());
    dmi.set_end_address(payload.get_address() + 3);
    return notice_;
  }
  void change() {
    port->invalidate_direct_mem_ptr(0, ~sc_dt::uint64{0});
    if (++changes_ < 100000) change_.notify(notice_time());
  }
  sc_core::sc_event change_;
  int changes_ = 0;
  bool notice_;
  std::uint32_t value_ = 0;
};

/// The devices of a column whose tiles do nothing, and say every 1000 cycles that they have done something.
class IdleColumn : public sc_core::sc_module, private controller::ColumnProcessor {
 public:
  explicit IdleColumn(sc_core::sc_module_name name)
      : sc_module(name), devices("devices", {}, fabric_, *this) {
    SC_HAS_PROCESS(IdleColumn);
    SC_METHOD(change);
  }

 private:
  void set_interrupt(riscv::Interrupt, bool) override {}
  void console_line(const std::string&) override {}
  void program_ended(const controller::ExitDevice::End&) override {}
  void change() {
    devices.tiles.about_to_change();
    if (++changes_ < 100000) next_trigger(notice_time());
  }

  controller::IdleFabric fabric_{{}};
  int changes_ = 0;

 public:
  controller::ColumnDevices devices;
};

struct Sample {
  double cpu_s = 0;
  double instructions = 0;
  double accesses = 0;
  double activations = 0;
};

struct Row {
  const char* what;
  int harts;
  Cycle quantum;
  Polling polling;
  std::uint64_t instructions;  ///< of each hart
};

template <std::size_t N>
void load(riscv::HartModule& hart, const unsigned (&code)[N]) {
  for (std::size_t k = 0; k < N; ++k) {
    for (std::size_t b = 0; b < 4; ++b)
      hart.ram.data()[4 * k + b] = static_cast<std::uint8_t>(code[k] >> (8 * b));
  }
  hart.start(hart.config().ram_base);
}

Sample measure(const Row& row) {
  std::vector<std::unique_ptr<riscv::HartModule>> harts;
  std::vector<std::unique_ptr<Register>> registers;
  std::vector<std::unique_ptr<IdleColumn>> columns;
  for (int k = 0; k < row.harts; ++k) {
    riscv::HartModuleConfig config;
    config.hart.hart_id = static_cast<std::uint32_t>(k);
    config.quantum_cycles = row.quantum;
    harts.push_back(std::make_unique<riscv::HartModule>(("hart_" + std::to_string(k)).c_str(), config));
    if (row.polling == Polling::kTileStatus) {
      columns.push_back(std::make_unique<IdleColumn>(("column_" + std::to_string(k)).c_str()));
      harts.back()->bus.bind(columns.back()->devices.bus.from_core);
    } else {
      registers.push_back(std::make_unique<Register>(("register_" + std::to_string(k)).c_str(),
                                                     row.polling == Polling::kWithNotice));
      harts.back()->bus.bind(registers.back()->port);
    }
    harts.back()->limit_instructions(row.instructions);
    if (row.polling == Polling::kTileStatus)
      load(*harts.back(), kPollingTile);
    else if (row.polling != Polling::kNone)
      load(*harts.back(), kPolling);
    else
      load(*harts.back(), kWorkload);
  }
  // Elaboration is not part of it.
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  Sample s;
  for (const auto& hart : harts) s.instructions -= static_cast<double>(hart->statistics().instructions);
  const std::clock_t begin = std::clock();
  sc_core::sc_start();
  s.cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  for (const auto& hart : harts) {
    s.instructions += static_cast<double>(hart->statistics().instructions);
    s.accesses += static_cast<double>(hart->statistics().accesses);
    s.activations += static_cast<double>(hart->statistics().activations);
  }
  return s;
}

}  // namespace

int bench_firmware(std::ostream& out) {
  const Cycle usual = riscv::HartModuleConfig().quantum_cycles;
  const std::array<Row, 12> rows = {{{"1 hart", 1, usual, Polling::kNone, 200'000'000},
                                     {"8 harts together", 8, usual, Polling::kNone, 25'000'000},
                                     {"1 hart", 1, 1, Polling::kNone, 2'000'000},
                                     {"1 hart", 1, 10, Polling::kNone, 10'000'000},
                                     {"1 hart", 1, 100, Polling::kNone, 50'000'000},
                                     {"8 harts together", 8, 100, Polling::kNone, 6'000'000},
                                     {"1 hart polls, notice", 1, usual, Polling::kWithNotice, 20'000'000},
                                     {"8 harts poll, notice", 8, usual, Polling::kWithNotice, 20'000'000},
                                     {"1 hart polls a tile", 1, usual, Polling::kTileStatus, 20'000'000},
                                     {"8 harts poll tiles", 8, usual, Polling::kTileStatus, 20'000'000},
                                     {"1 hart polls, no notice", 1, usual, Polling::kAnyTime, 10'000'000},
                                     {"8 harts poll, no notice", 8, usual, Polling::kAnyTime, 500'000}}};
  out << "Harts in lt, machine code of bench/firmware_workload.c; host CPU time. Instruction counts are "
         "exact.\n"
      << std::left << std::setw(28) << "  run" << std::right << std::setw(8) << "quantum" << std::setw(20)
      << "million instr./s" << std::setw(10) << "ns each" << std::setw(14) << "activations" << std::setw(22)
      << "a poll, in instr.\n";
  double plain_ns = 0;
  for (const Row& row : rows) {
    Sample s;
    if (!in_child(
            "bench firmware", [&] { return measure(row); }, s))
      return 1;
    const double ns = s.cpu_s / s.instructions * 1e9;
    if (plain_ns == 0) plain_ns = ns;
    out << "  " << std::left << std::setw(26) << row.what << std::right << std::setw(8) << row.quantum
        << std::fixed << std::setprecision(1) << std::setw(20) << s.instructions / s.cpu_s / 1e6
        << std::setprecision(2) << std::setw(10) << ns << std::setprecision(0) << std::setw(14)
        << s.activations << std::setprecision(1);
    if (row.polling != Polling::kNone) out << std::setw(20) << (s.cpu_s / s.accesses * 1e9) / plain_ns;
    out << '\n';
  }
  return 0;
}

}  // namespace meshkv::bench
