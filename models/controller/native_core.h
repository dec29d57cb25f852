#pragma once

#include <tlm_utils/simple_initiator_socket.h>
#include <array>
#include <string>
#include <systemc>
#include <tlm>

#include "firmware/hal/native.h"
#include "models/controller/firmware_core.h"
#include "models/controller/native_fault.h"

namespace meshkv::controller {

struct NativeCoreConfig {
  std::string file;  ///< shared object with firmware_start()
  std::string name;  ///< of the column, for the file that a debugger sees
  sc_core::sc_time period;
  Cycle cycles_per_access = 8;  ///< that the code before an access takes, on average
};

/// Firmware that is compiled for the host and runs as a process of the simulation (module `native`). Each
/// core loads a copy of the file of its own, and so has globals of its own. Time passes in accesses to
/// registers and in waits only.
class NativeCore : public sc_core::sc_module, public FirmwareCore {
 public:
  tlm_utils::simple_initiator_socket<NativeCore> bus;

  /// Throws std::runtime_error where the file cannot be loaded.
  NativeCore(sc_core::sc_module_name name, const NativeCoreConfig& config, ColumnBus& bus,
             FirmwareCoreListener& listener);
  ~NativeCore() override;

  void set_interrupt(riscv::Interrupt line, bool level) override;
  void stop() override { stopped_ = true; }
  CoreStatistics statistics() const override;
  std::string describe() const override;
  std::string crash_report() const override;

 private:
  struct Access {
    Cycle at = 0;
    bool write = false;
    std::uint32_t address = 0;
    std::uint32_t value = 0;
  };

  void load();
  void unload();
  void run();
  static NativeCore& core_of(void* context) { return *static_cast<NativeCore*>(context); }
  bool access(bool write, std::uint32_t address, std::uint32_t& value);
  void wait_for_interrupt();
  /// Lets the kernel catch up with the core.
  void synchronise();
  Cycle cycle() const { return (sc_core::sc_time_stamp() + ahead_).value() / config_.period.value(); }

  NativeCoreConfig config_;
  FirmwareCoreListener& listener_;
  NativeGuard guard_;
  std::string folder_;  ///< of the copy
  void* library_ = nullptr;
  void (*start_)(const native_host*) = nullptr;
  native_host host_{};
  sc_core::sc_event wake_event_;
  sc_core::sc_event never_;
  sc_core::sc_time ahead_;  ///< of the kernel
  std::uint32_t pending_ = 0;
  std::uint32_t enabled_ = 0;
  bool waiting_ = false;
  bool stopped_ = false;
  Cycle waits_since_ = 0;
  Cycle slept_ = 0;
  Cycle ended_at_ = 0;
  std::uint64_t interrupts_ = 0;
  std::array<Access, 16> last_{};
  std::size_t accesses_ = 0;  ///< that are kept: text on the console is not
};

/// Whether the file can be loaded as firmware; "" or why not.
std::string native_problem(const std::string& file);

}  // namespace meshkv::controller
