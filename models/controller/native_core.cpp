#include "models/controller/native_core.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "models/controller/devices/column_bus.h"

namespace meshkv::controller {

namespace fs = std::filesystem;

NativeCore::NativeCore(sc_core::sc_module_name name, const NativeCoreConfig& config, ColumnBus& column_bus,
                       FirmwareCoreListener& listener)
    : sc_module(name), bus("bus"), config_(config), listener_(listener) {
  bus.bind(column_bus.from_core);
  host_.context = this;
  host_.read = [](void* self, std::uint32_t address, std::uint32_t* value) -> int {
    const NativeGuard::Outside outside(core_of(self).guard_);
    return core_of(self).access(false, address, *value) ? 1 : 0;
  };
  host_.write = [](void* self, std::uint32_t address, std::uint32_t value) -> int {
    const NativeGuard::Outside outside(core_of(self).guard_);
    return core_of(self).access(true, address, value) ? 1 : 0;
  };
  host_.enable = [](void* self, std::uint32_t lines) { core_of(self).enabled_ = lines; };
  host_.pending = [](void* self) { return core_of(self).pending_; };
  host_.wait = [](void* self) {
    const NativeGuard::Outside outside(core_of(self).guard_);
    core_of(self).wait_for_interrupt();
  };
  load();
  SC_HAS_PROCESS(NativeCore);
  SC_THREAD(run);
  constexpr std::size_t kStackBytes = 1 << 20;  // a sanitizer's frames are large
  set_stack_size(kStackBytes);
}

NativeCore::~NativeCore() {
  unload();
}

void NativeCore::load() {
  // The loader knows files by their inode: a copy is another program, with globals of its own.
  std::string folder = (fs::temp_directory_path() / "meshkv-native-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("cannot make " + folder);
  folder_ = folder;
  const std::string copy = folder_ + "/" + config_.name + "." + fs::path(config_.file).filename().string();
  std::error_code error;
  fs::copy_file(config_.file, copy, error);
  library_ = error ? nullptr : dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  const std::string why = error ? error.message() : library_ == nullptr ? dlerror() : "";
  if (library_ != nullptr) {
    start_ = reinterpret_cast<void (*)(const native_host*)>(dlsym(library_, "firmware_start"));
    if (start_ != nullptr) return;
  }
  unload();
  throw std::runtime_error(config_.file + ": " + (why.empty() ? "has no firmware_start()" : why));
}

void NativeCore::unload() {
  if (library_ != nullptr) dlclose(library_);
  library_ = nullptr;
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

void NativeCore::run() {
  const auto start = [](const void* self) {
    const auto* core = static_cast<const NativeCore*>(self);
    core->start_(&core->host_);
  };
  const bool returned = guard_.run(start, this);
  stopped_ = true;
  ended_at_ = cycle();
  if (!returned) listener_.core_crashed(crash_report());
}

void NativeCore::set_interrupt(riscv::Interrupt line, bool level) {
  const std::uint32_t bit = 1U << static_cast<unsigned>(line);
  if (level && (pending_ & bit) == 0 && (enabled_ & bit) != 0) ++interrupts_;
  pending_ = level ? pending_ | bit : pending_ & ~bit;
  if (waiting_ && (pending_ & enabled_) != 0) wake_event_.notify(sc_core::SC_ZERO_TIME);
}

void NativeCore::synchronise() {
  const sc_core::sc_time ahead = ahead_;
  ahead_ = sc_core::SC_ZERO_TIME;
  if (ahead > sc_core::SC_ZERO_TIME) wait(ahead);
}

bool NativeCore::access(bool write, std::uint32_t address, std::uint32_t& value) {
  ahead_ += sc_core::sc_time::from_value(config_.cycles_per_access * config_.period.value());
  // As a hart: devices are seen at the core's own time, and the fabric as it is then.
  if (sc_core::sc_time_to_pending_activity(sc_core::sc_get_curr_simcontext()) <= ahead_) synchronise();
  tlm::tlm_generic_payload payload;
  payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(sizeof value);
  payload.set_streaming_width(sizeof value);
  const Cycle at = cycle();
  bus->b_transport(payload, ahead_);
  static const std::uint32_t console = block_info("Console").base + reg::kConsoleData;
  if (address != console) last_[accesses_++ % last_.size()] = {at, write, address, value};
  return payload.is_response_ok();
}

void NativeCore::wait_for_interrupt() {
  synchronise();
  waits_since_ = cycle();
  waiting_ = true;
  while ((pending_ & enabled_) == 0) wait(wake_event_);
  waiting_ = false;
  slept_ += cycle() - waits_since_;
}

// ---- reports

CoreStatistics NativeCore::statistics() const {
  const Cycle until = ended_at_ != 0 ? ended_at_ : waiting_ ? waits_since_ : cycle();
  return {0, until - slept_, interrupts_};
}

std::string NativeCore::describe() const {
  if (stopped_) return "stopped in cycle " + std::to_string(ended_at_);
  if (waiting_) return "waits for an interrupt since cycle " + std::to_string(waits_since_);
  if (accesses_ == 0) return "runs";
  const Access& last = last_[(accesses_ - 1) % last_.size()];
  char text[80];
  std::snprintf(text, sizeof text, "runs; its last access was a %s of 0x%08x in cycle %llu",
                last.write ? "write" : "read", last.address, static_cast<unsigned long long>(last.at));
  return text;
}

std::string NativeCore::crash_report() const {
  std::string text = std::string(name()) + ", " + config_.file + ", cycle " + std::to_string(cycle()) + "\n";
  const NativeFault& fault = guard_.fault();
  if (!fault.calls.empty()) text += describe_fault(fault);
  // Without a fault it is the program itself that says it has crashed, in an access.
  text += describe_calls(fault.calls.empty() ? calls_to_here() : fault.calls, config_.file,
                         reinterpret_cast<const void*>(start_));
  text += "  last accesses to registers\n";
  const std::size_t count = std::min(accesses_, last_.size());
  for (std::size_t k = accesses_ - count; k < accesses_; ++k) {
    const Access& a = last_[k % last_.size()];
    char line[80];
    std::snprintf(line, sizeof line, "    %10llu %s 0x%08x 0x%08x\n", static_cast<unsigned long long>(a.at),
                  a.write ? "write" : "read ", a.address, a.value);
    text += line;
  }
  return text;
}

namespace {

/// Class and machine of an ELF file; empty: it is none.
std::string elf_machine(const std::string& file) {
  std::array<char, 20> header{};
  std::ifstream in(file, std::ios::binary);
  if (!in.read(header.data(), header.size()) || std::string(header.data(), 4) !=
                                                    "\x7f"
                                                    "ELF")
    return {};
  return {header[4], header[18], header[19]};
}

}  // namespace

std::string native_problem(const std::string& file) {
  // The loader says of some files for other machines that they do not exist.
  const std::string machine = elf_machine(file);
  if (!machine.empty() && machine != elf_machine("/proc/self/exe")) return "for another architecture";
  void* library = dlopen(fs::absolute(file).c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return dlerror();
  const bool has = dlsym(library, "firmware_start") != nullptr;
  dlclose(library);
  return has ? "" : "has no firmware_start()";
}

}  // namespace meshkv::controller
