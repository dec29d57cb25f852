#include "models/riscv/hart_module.h"

#include <algorithm>

#include "models/riscv/crash_report.h"

namespace meshkv::riscv {

HartModule::HartModule(sc_core::sc_module_name name, const HartModuleConfig& config)
    : sc_module(name),
      bus("bus"),
      memory("memory"),
      ram("ram", config.ram_bytes),
      config_(config),
      period_(config.period.value()),
      hart_(config.hart, *this) {
  memory.bind(ram.port);
  memory.register_invalidate_direct_mem_ptr(this, &HartModule::invalidate_dmi);
  bus.register_invalidate_direct_mem_ptr(this, &HartModule::invalidate_constant);
  SC_HAS_PROCESS(HartModule);
  SC_METHOD(activate);
}

void HartModule::load(const ElfImage& image) {
  image.copy_to(ram.data(), config_.ram_base, config_.ram_bytes);
  symbols_ = image.symbols();
  start(image.entry());
}

void HartModule::start(std::uint32_t pc) {
  hart_.invalidate_code();
  hart_.set_pc(pc);
  loaded_ = true;
  if (asleep_) wake_event_.notify(sc_core::SC_ZERO_TIME);
}

void HartModule::set_interrupt(Interrupt line, bool level) {
  if (polling_) live_until(cycle_now());
  const bool waited = hart_.waiting();
  hart_.set_interrupt(line, level);
  if (waited && !hart_.waiting() && asleep_) wake_event_.notify(sc_core::SC_ZERO_TIME);
}

void HartModule::request_stop() {
  if (polling_) live_until(cycle_now());
  hart_.request_stop();
  if (asleep_) wake_event_.notify(sc_core::SC_ZERO_TIME);
}

void HartModule::hold(bool held) {
  if (polling_) live_until(cycle_now());
  held_ = held;
  if (!held && asleep_) wake_event_.notify(sc_core::SC_ZERO_TIME);
}

void HartModule::set_debugger(HartDebugger* debugger) {
  if (polling_) live_until(cycle_now());
  debugger_ = debugger;
}

// Direct memory access.

void HartModule::acquire_dmi() {
  tlm::tlm_dmi dmi;
  payload_.set_command(tlm::TLM_READ_COMMAND);
  payload_.set_address(0);
  const bool granted = memory->get_direct_mem_ptr(payload_, dmi) && dmi.is_read_write_allowed();
  const bool whole =
      granted && dmi.get_start_address() == 0 && dmi.get_end_address() >= config_.ram_bytes - 1;
  if (!whole)
    SC_REPORT_FATAL(name(), "its RAM grants no direct access; a hart fetches instructions in no other way");
  hart_.set_ram(dmi.get_dmi_ptr(), config_.ram_base, config_.ram_bytes);
  dmi_ = true;
}

void HartModule::invalidate_dmi(sc_dt::uint64, sc_dt::uint64) {
  dmi_ = false;
  dmi_revoked_ = true;
  hart_.request_stop();  // it holds the pointer while it runs, and may be in the middle of that
}

// The bus.

BusStatus HartModule::transport(tlm::tlm_command command, std::uint32_t address, unsigned bytes,
                                std::uint32_t& value) {
  const bool read = command == tlm::TLM_READ_COMMAND;
  if (catching_up_) return read ? catch_up_read(address, bytes, value) : BusStatus::kLater;
  if (read && !constants_.empty() && polls(address, bytes)) return BusStatus::kLater;
  const std::uint64_t ahead = hart_.cycles() * period_ - sc_core::sc_time_stamp().value();
  if (ahead != 0 && sc_core::sc_time_to_pending_activity(sc_core::sc_get_curr_simcontext()).value() <= ahead)
    return BusStatus::kLater;
  ++accesses_;
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload_.set_data_length(bytes);
  payload_.set_streaming_width(bytes);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_dmi_allowed(false);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::sc_time::from_value(ahead);
  bus->b_transport(payload_, delay);
  const std::uint64_t taken = delay.value() - std::min<std::uint64_t>(delay.value(), ahead);
  if (taken > 0) hart_.stall((taken + period_ - 1) / period_);
  const BusStatus status = payload_.is_response_ok() ? BusStatus::kOk : BusStatus::kError;
  if (!read || constant_at(address, bytes) == nullptr) {
    poll_.forget();
    if (read && payload_.is_dmi_allowed()) ask_for_constant(address, bytes);
  }
  return status;
}

BusStatus HartModule::read(std::uint32_t address, unsigned bytes, std::uint32_t& value) {
  value = 0;
  return transport(tlm::TLM_READ_COMMAND, address, bytes, value);
}

BusStatus HartModule::write(std::uint32_t address, unsigned bytes, std::uint32_t value) {
  return transport(tlm::TLM_WRITE_COMMAND, address, bytes, value);
}

unsigned HartModule::debug_transport(tlm::tlm_command command, std::uint32_t address, std::uint8_t* data,
                                     std::uint32_t bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_data_ptr(data);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  const std::uint32_t offset = address - config_.ram_base;
  const bool in_ram = offset < config_.ram_bytes;
  payload.set_address(in_ram ? offset : address);
  return in_ram ? memory->transport_dbg(payload) : bus->transport_dbg(payload);
}

bool HartModule::debug_access(tlm::tlm_command command, std::uint32_t address, std::uint8_t* data,
                              std::uint32_t bytes) {
  const std::uint32_t offset = address - config_.ram_base;
  if (offset < config_.ram_bytes) return debug_transport(command, address, data, bytes) == bytes;
  // Registers are words; a debugger asks for many at once.
  for (std::uint32_t done = 0; done < bytes;) {
    const std::uint32_t at = address + done;
    const std::uint32_t step = at % 4 == 0 && bytes - done >= 4   ? 4
                               : at % 2 == 0 && bytes - done >= 2 ? 2
                                                                  : 1;
    if (debug_transport(command, at, data + done, step) != step) return false;
    done += step;
  }
  return true;
}

bool HartModule::debug_read(std::uint32_t address, std::uint8_t* data, std::uint32_t bytes) {
  return debug_access(tlm::TLM_READ_COMMAND, address, data, bytes);
}

bool HartModule::debug_write(std::uint32_t address, const std::uint8_t* data, std::uint32_t bytes) {
  std::vector<std::uint8_t> copy(data, data + bytes);
  const bool done = debug_access(tlm::TLM_WRITE_COMMAND, address, copy.data(), bytes);
  hart_.invalidate_code();
  return done;
}

// Time.

void HartModule::activate() {
  ++activations_;
  asleep_ = false;
  const Cycle now = cycle_now();
  if (polling_) skip_rounds(rounds_until(now));
  polling_ = false;
  if (!loaded_ || stopped_ || held_) {
    asleep_ = true;
    next_trigger(wake_event_);
    return;
  }
  if (hart_.cycles() > now) {  // woken before the time that it has already lived
    next_trigger(until(hart_.cycles()));
    return;
  }
  const Cycle slept = now - hart_.cycles();
  if (slept > 0) {
    hart_.idle(slept);
    wfi_cycles_ += slept;
  }
  if (!dmi_) acquire_dmi();
  run_quantum(now);
}

void HartModule::run_quantum(Cycle now) {
  const Cycle end = now + config_.quantum_cycles;
  for (;;) {
    Cycle budget = end > hart_.cycles() ? end - hart_.cycles() : 0;
    budget = std::min(budget, instruction_limit_ - std::min(instruction_limit_, hart_.instructions()));
    budget = std::min(budget, cycle_limit_ - std::min(cycle_limit_, hart_.cycles()));
    if (step_) budget = std::min<Cycle>(budget, 1);
    const RunResult result = hart_.run(budget);
    // A step into WFI is done, as the debug specification has it.
    const bool stepped =
        (result.reason == StopReason::kBudget && result.cycles > 0) || result.reason == StopReason::kWaiting;
    if (step_ && stepped) {
      step_ = false;
      debugger_->hart_stopped(*this, StopReason::kBudget);
      if (!held_) continue;
    }
    if (!go_on(result.reason)) return;
  }
}

bool HartModule::go_on(StopReason reason) {
  switch (reason) {
    case StopReason::kRequested:
      if (dmi_revoked_) {  // nobody asked for it but us
        dmi_revoked_ = false;
        acquire_dmi();
        return true;
      }
      stop(reason);
      break;
    case StopReason::kLockup:
      stop(reason);
      break;
    case StopReason::kBreakpoint:
    case StopReason::kWatchpoint:
      step_ = false;
      if (debugger_ == nullptr) return true;
      debugger_->hart_stopped(*this, reason);
      if (!held_) return true;
      break;
    case StopReason::kBudget:
      if (hart_.instructions() >= instruction_limit_ || hart_.cycles() >= cycle_limit_) stop(reason);
      break;
    case StopReason::kBusLater:
      if (poll_found_ && !fall_asleep_polling()) return true;
      break;
    case StopReason::kWaiting:
      break;
  }
  if (!stopped_ && listener_ != nullptr) listener_->quantum_done(*this);
  if (polling_) return false;
  asleep_ = stopped_ || held_ || reason == StopReason::kWaiting;
  if (asleep_)
    next_trigger(wake_event_);
  else
    next_trigger(until(hart_.cycles()));
  return false;
}

void HartModule::stop(StopReason reason) {
  if (debugger_ != nullptr) debugger_->hart_stopped(*this, reason);
  stopped_ = true;
  stop_reason_ = reason;
  if (listener_ != nullptr) listener_->hart_stopped(*this, reason);
}

// Reports.

HartModule::Statistics HartModule::statistics() const {
  Statistics s;
  s.instructions = hart_.instructions();
  s.cycles = hart_.cycles();
  s.wfi_cycles = wfi_cycles_;
  s.accesses = accesses_;
  const Cycle now = cycle_now();
  if (waiting() && now > s.cycles) {
    s.wfi_cycles += now - s.cycles;
    s.cycles = now;
  }
  if (polling_) {
    s.instructions += rounds_until(now) * poll_.instructions();
    s.cycles += rounds_until(now) * poll_.cycles();
    s.accesses += rounds_until(now);
  }
  s.interrupts = hart_.interrupts();
  s.exceptions = hart_.traps() - hart_.interrupts();
  s.activations = activations_;
  return s;
}

std::string HartModule::describe() const {
  const std::string at = " at " + address_text(hart_.pc(), symbols_);
  const std::string cycle = std::to_string(hart_.cycles());
  if (!loaded_) return "has no program";
  if (stopped_) return std::string("stopped (") + stop_reason_name(stop_reason_) + ") in cycle " + cycle + at;
  if (hart_.waiting()) return "waits for an interrupt since cycle " + cycle + at;
  if (polling_) return "polls " + address_text(poll_.address(), SymbolTable()) + " since cycle " + cycle + at;
  return "runs" + at;
}

std::string HartModule::crash_report() const {
  return riscv::crash_report(hart_, symbols_, name());
}

}  // namespace meshkv::riscv
