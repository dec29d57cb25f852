#include "platform/elf/elf_run.h"

#include <fstream>
#include <memory>
#include <systemc>

#include "models/controller/devices/column_devices.h"
#include "models/controller/devices/idle_fabric.h"
#include "models/riscv/gdb/gdb_server.h"
#include "models/riscv/hart_module.h"
#include "models/riscv/host_interface.h"
#include "models/riscv/instruction_trace.h"
#include "models/riscv/profile.h"
#include "platform/run/run_report.h"
#include "platform/scenario/input_error.h"

namespace meshkv::platform {
namespace {

using riscv::HartModule;
using riscv::StopReason;

riscv::ElfImage load_image(const ElfOptions& options) {
  try {
    return riscv::ElfImage::load(options.file);
  } catch (const riscv::ElfError& e) {
    throw InputError(options.file, "", e.what());
  }
}

int process_code(std::uint32_t code) {
  const int low = static_cast<int>(code & 0xffU);
  return code != 0 && low == 0 ? 255 : low;
}

/// Everything that lives as long as the simulation.
class ElfRun : private riscv::HartListener, private controller::ColumnProcessor {
 public:
  ElfRun(const ElfOptions& options, const riscv::ElfImage& image, std::ostream& out, std::ostream& errors)
      : options_(options),
        out_(out),
        errors_(errors),
        hart_("hart", module_config(options)),
        fabric_(identity(options)),
        devices_("devices", devices_config(hart_.config()), fabric_, *this) {
    hart_.bus.bind(devices_.bus.from_core);
    controller::connect_mailboxes({&devices_});
    hart_.set_listener(this);
    hart_.limit_instructions(options.max_instructions);
    hart_.limit_cycles(options.max_cycles);
    try {
      hart_.load(image);
    } catch (const riscv::ElfError& e) {
      throw InputError(options.file, "", e.what());
    }
    const auto tohost = image.symbols().address_of("tohost");
    if (tohost) {
      host_ =
          std::make_unique<riscv::HostInterface>(hart_.ram.data(), hart_.config().ram_base, options.ram_bytes,
                                                 *tohost, image.symbols().address_of("fromhost").value_or(0));
    }
    observe();
    if (options.gdb_port) serve_debugger(*options.gdb_port);
  }

  int run() {
    if (options_.max_cycles != kNever)
      sc_core::sc_start(sc_core::sc_time::from_value(options_.max_cycles * hart_.config().period.value()));
    else
      sc_core::sc_start();
    devices_.console.flush();
    out_.flush();
    if (trace_) end_trace();
    const int code = judge();
    if (gdb_) gdb_->finish(code);
    if (profile_) profile_->print(errors_, hart_.symbols());
    if (options_.statistics) print_statistics();
    return code;
  }

 private:
  static riscv::HartModuleConfig module_config(const ElfOptions& options) {
    riscv::HartModuleConfig config;
    config.ram_bytes = options.ram_bytes;
    config.quantum_cycles = options.quantum_cycles;
    config.period = sc_core::sc_time(1000.0 / options.clock_mhz, sc_core::SC_NS);
    config.hart.trap_misaligned = options.trap_misaligned;
    return config;
  }

  static controller::ColumnIdentity identity(const ElfOptions& options) {
    controller::ColumnIdentity identity;
    identity.clock_khz = static_cast<std::uint32_t>(options.clock_mhz * 1000);
    return identity;
  }

  static controller::ColumnDevicesConfig devices_config(const riscv::HartModuleConfig& hart) {
    controller::ColumnDevicesConfig config;
    config.bus.period = hart.period;
    return config;
  }

  void set_interrupt(riscv::Interrupt line, bool level) override { hart_.set_interrupt(line, level); }
  void console_line(const std::string& line) override { out_ << line << std::endl; }
  void program_ended(const controller::ExitDevice::End& end) override {
    faulted_ = end.fault;
    exit_code_ = end.code;
    hart_.request_stop();
  }

  void serve_debugger(int port) {
    try {
      gdb_ = std::make_unique<riscv::gdb::GdbServer>("gdb", port, std::vector<HartModule*>{&hart_}, errors_);
    } catch (const std::runtime_error& e) {
      throw InputError("--gdb", "", e.what());
    }
  }

  void observe() {
    if (!options_.trace_file.empty()) {
      trace_stream_.open(options_.trace_file);
      if (!trace_stream_) throw InputError("--trace", "", "cannot write " + options_.trace_file);
      trace_ = std::make_unique<riscv::InstructionTrace>(trace_stream_, hart_.symbols(), "hart",
                                                         options_.trace_lines);
      observers_.add(*trace_);
    }
    if (options_.profile) {
      profile_ = std::make_unique<riscv::Profile>(hart_.config().ram_base, options_.ram_bytes);
      observers_.add(*profile_);
    }
    if (!observers_.empty()) hart_.hart().set_observer(&observers_);
  }

  void end_trace() {
    trace_.reset();
    trace_stream_.flush();
    if (!trace_stream_) throw InputError("--trace", "", "writing " + options_.trace_file + " has failed");
  }

  void quantum_done(HartModule& hart) override {
    if (!host_ || exit_code_) return;
    exit_code_ = host_->poll();
    if (host_->answered()) hart.ram_written();
    out_ << host_->take_output();
    if (exit_code_) hart.request_stop();
  }

  void hart_stopped(HartModule& hart, StopReason reason) override {
    stop_reason_ = reason;
    // A program that ended right before a limit has ended.
    if (reason == StopReason::kBudget) quantum_done(hart);
    sc_core::sc_pause();
  }

  int judge() {
    const riscv::HartModule::Statistics s = hart_.statistics();
    if (gdb_ && gdb_->killed()) {
      errors_ << options_.file << ": killed by the debugger\n";
      return static_cast<int>(ExitCode::kCheckFailed);
    }
    if (stop_reason_ == StopReason::kLockup || faulted_) {
      errors_ << options_.file << ": the program has crashed\n" << hart_.crash_report() << bus_report();
      return static_cast<int>(ExitCode::kBadSimulation);
    }
    if (exit_code_) {
      if (*exit_code_ != 0)
        errors_ << options_.file << ": the program ended with code " << *exit_code_ << '\n';
      return process_code(*exit_code_);
    }
    if ((hart_.waiting() || hart_.polling()) && !sc_core::sc_pending_activity()) {
      errors_ << options_.file
              << (hart_.waiting() ? ": the program waits for an interrupt that nothing will raise\n"
                                  : ": the program polls a register that nothing will change\n  " +
                                        hart_.describe() + '\n')
              << hart_.crash_report() << "  interrupts " << devices_.interrupts.describe() << '\n';
      return static_cast<int>(ExitCode::kBadSimulation);
    }
    errors_ << options_.file << ": stopped by its limit after " << s.instructions << " instructions, "
            << hart_.describe() << '\n';
    return static_cast<int>(ExitCode::kCheckFailed);
  }

  std::string bus_report() const {
    return devices_.bus.errors() == 0 ? "" : "  bus      " + devices_.bus.last_error() + '\n';
  }

  void print_statistics() {
    const riscv::HartModule::Statistics s = hart_.statistics();
    errors_ << "instructions " << s.instructions << ", cycles " << s.cycles << " (waiting " << s.wfi_cycles
            << "), exceptions " << s.exceptions << ", interrupts " << s.interrupts << ", device accesses "
            << s.accesses << '\n';
  }

  const ElfOptions& options_;
  std::ostream& out_;
  std::ostream& errors_;
  HartModule hart_;
  controller::IdleFabric fabric_;
  controller::ColumnDevices devices_;
  std::unique_ptr<riscv::gdb::GdbServer> gdb_;
  std::unique_ptr<riscv::HostInterface> host_;
  std::ofstream trace_stream_;
  std::unique_ptr<riscv::InstructionTrace> trace_;
  std::unique_ptr<riscv::Profile> profile_;
  riscv::ObserverList observers_;
  std::optional<std::uint32_t> exit_code_;
  bool faulted_ = false;  ///< the program has ended itself after an exception
  StopReason stop_reason_ = StopReason::kWaiting;
};

}  // namespace

int run_elf(const ElfOptions& options, std::ostream& out, std::ostream& errors) {
  const riscv::ElfImage image = load_image(options);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  ElfRun run(options, image, out, errors);
  return run.run();
}

}  // namespace meshkv::platform
