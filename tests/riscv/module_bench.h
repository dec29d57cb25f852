// Harts as SystemC modules with a device behind each bus.
#pragma once

#include <tlm_utils/simple_target_socket.h>
#include <cstring>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/riscv/hart_module.h"
#include "tests/riscv/elf_builder.h"
#include "tests/riscv/encode.h"

namespace meshkv::test {

constexpr std::uint32_t kWords = 0x10000000;  ///< sixteen words

/// Sixteen words; notes when they are accessed, in fabric cycles of the initiator's local time.
class WordDevice : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<WordDevice> port;
  WordDevice(sc_core::sc_module_name name, sc_core::sc_time period)
      : sc_module(name), port("port"), period_(period) {
    port.register_b_transport(this, &WordDevice::b_transport);
    port.register_transport_dbg(this, &WordDevice::transport_dbg);
    port.register_get_direct_mem_ptr(this, &WordDevice::get_direct_mem_ptr);
  }
  struct Access {
    bool write;
    std::uint32_t index, value;
    std::uint64_t cycle;
  };
  std::vector<Access> accesses;
  std::uint32_t words[16] = {};
  std::function<void(const Access&)> on_access;
  int extra_cycles = 0;
  bool constant = false;  ///< words change through change() only, and are granted by DMI until then
  void change(std::uint32_t index, std::uint32_t value) {
    if (constant) port->invalidate_direct_mem_ptr(kWords, kWords + sizeof words - 1);
    words[index] = value;
  }

 private:
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    const std::uint64_t offset = p.get_address() - kWords;
    if (offset >= sizeof words || p.get_data_length() != 4) {
      p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    std::uint32_t& word = words[offset / 4];
    std::memcpy(p.is_write() ? static_cast<void*>(&word) : p.get_data_ptr(),
                p.is_write() ? static_cast<void*>(p.get_data_ptr()) : &word, 4);
    const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
    accesses.push_back(
        {p.is_write(), static_cast<std::uint32_t>(offset / 4), word, at.value() / period_.value()});
    delay += period_ * extra_cycles;
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    p.set_dmi_allowed(constant && p.is_read());
    if (on_access) on_access(accesses.back());
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& p, tlm::tlm_dmi& dmi) {
    const std::uint64_t offset = p.get_address() - kWords;
    if (!constant || offset >= sizeof words) return false;
    dmi.allow_read();
    dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(words));
    dmi.set_start_address(kWords);
    dmi.set_end_address(kWords + sizeof words - 1);
    dmi.set_read_latency(period_ * extra_cycles);
    return true;
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& p) {
    const std::uint64_t offset = p.get_address() - kWords;
    if (offset >= sizeof words || p.get_data_length() > sizeof words - offset) return 0;
    auto* bytes = reinterpret_cast<unsigned char*>(words) + offset;
    if (p.is_write())
      std::memcpy(bytes, p.get_data_ptr(), p.get_data_length());
    else
      std::memcpy(p.get_data_ptr(), bytes, p.get_data_length());
    return p.get_data_length();
  }
  sc_core::sc_time period_;
};

/// Runs a function at a cycle.
class At : public sc_core::sc_module {
 public:
  At(sc_core::sc_module_name name, sc_core::sc_time when, std::function<void()> what)
      : sc_module(name), what_(std::move(what)) {
    SC_HAS_PROCESS(At);
    SC_METHOD(act);
    dont_initialize();
    sensitive << event_;
    event_.notify(when);
  }

 private:
  void act() { what_(); }
  sc_core::sc_event event_;
  std::function<void()> what_;
};

inline riscv::ElfImage image_of(const encode::Program& program,
                                std::vector<ElfBuilder::Symbol> symbols = {}) {
  ElfBuilder b;
  b.segments = {{0x80000000, program.bytes(), 0}};
  b.symbols = std::move(symbols);
  return riscv::ElfImage::parse(b.build());
}

struct ModuleBench {
  explicit ModuleBench(std::uint64_t quantum, int harts = 1) {
    for (int k = 0; k < harts; ++k) {
      riscv::HartModuleConfig config;
      config.hart.hart_id = static_cast<std::uint32_t>(k);
      config.ram_bytes = 16384;
      config.quantum_cycles = quantum;
      config.period = period;
      const std::string number = std::to_string(k);
      devices.push_back(std::make_unique<WordDevice>(("device_" + number).c_str(), period));
      modules.push_back(std::make_unique<riscv::HartModule>(("hart_" + number).c_str(), config));
      modules.back()->bus.bind(devices.back()->port);
    }
  }
  void at(std::uint64_t cycle, std::function<void()> what) {
    events.push_back(std::make_unique<At>(sc_core::sc_gen_unique_name("at"),
                                          period * static_cast<double>(cycle), std::move(what)));
  }
  void run(std::uint64_t cycles) { sc_core::sc_start(period * static_cast<double>(cycles)); }
  riscv::HartModule& module(std::size_t k = 0) { return *modules[k]; }
  WordDevice& device(std::size_t k = 0) { return *devices[k]; }

  sc_core::sc_time period{10, sc_core::SC_NS};
  std::vector<std::unique_ptr<WordDevice>> devices;
  std::vector<std::unique_ptr<riscv::HartModule>> modules;
  std::vector<std::unique_ptr<At>> events;
};

}  // namespace meshkv::test
