#include "models/controller/native_fault.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <sys/time.h>
#include <ucontext.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

namespace meshkv::controller {
namespace {

// A program whose stack is full is reported on another one.
std::array<unsigned char, 65536> alternate_stack;

constexpr std::array<int, 5> kFaults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

std::string hex(std::uintptr_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

void tick_every(double seconds) {
  itimerval interval{};
  interval.it_value.tv_sec = static_cast<time_t>(seconds);
  interval.it_value.tv_usec =
      static_cast<suseconds_t>(1e6 * (seconds - static_cast<double>(interval.it_value.tv_sec)));
  interval.it_interval = interval.it_value;
  setitimer(ITIMER_PROF, &interval, nullptr);
}

std::string access_of(const NativeFault& fault) {
  constexpr std::uintptr_t kNull = 4096, kNear = 65536;
  if (fault.is_call)
    return (fault.address < kNull ? "a call through a null pointer, of address " : "a call of address ") +
           hex(fault.address);
  if (fault.address < kNull) return "an access through a null pointer, to address " + hex(fault.address);
  if (fault.address - fault.stack_pointer + kNear < 2 * kNear) return "the stack is full";
  return "an access to address " + hex(fault.address);
}

std::string cause_of(const NativeFault& fault) {
  switch (fault.signal) {
    case 0:
      return "it computes on and on without an access to a register";
    case SIGFPE:
      return "a division by zero, or another arithmetic fault (SIGFPE)";
    case SIGILL:
      return "an instruction that does not exist (SIGILL)";
    case SIGABRT:
      return "abort() (SIGABRT)";
    default:
      return access_of(fault) + (fault.signal == SIGBUS ? " (SIGBUS)" : " (SIGSEGV)");
  }
}

}  // namespace

double NativeGuard::patience_seconds = 10;
NativeGuard* NativeGuard::inside_ = nullptr;
std::uint64_t NativeGuard::entries_ = 0;

std::vector<std::uintptr_t> calls_to_here() {
  std::array<void*, 32> calls{};
  const int count = backtrace(calls.data(), static_cast<int>(calls.size()));
  std::vector<std::uintptr_t> addresses;
  for (int k = 0; k < count; ++k)
    addresses.push_back(reinterpret_cast<std::uintptr_t>(calls[static_cast<std::size_t>(k)]));
  return addresses;
}

NativeGuard::Outside::Outside(NativeGuard& guard) : before_(&guard) {
  inside_ = nullptr;
  ++entries_;
}

NativeGuard::Outside::~Outside() {
  inside_ = before_;
}

void NativeGuard::handle(int signal, void* info, void* context) {
  static std::uint64_t entries_at_last_tick = 0;
  NativeGuard* guard = inside_;
  const bool tick = signal == SIGPROF;
  if (tick && (guard == nullptr || entries_ != entries_at_last_tick)) {
    entries_at_last_tick = entries_;
    return;
  }
  if (guard == nullptr) {  // a fault of the simulation: it ends as it would
    std::signal(signal, SIG_DFL);
    if (signal == SIGABRT) std::raise(signal);
    return;
  }
  inside_ = nullptr;
  if (tick) tick_every(0.1);  // the programs of the other columns do the same, in turn; the run is over
  const auto* machine = static_cast<const ucontext_t*>(context);
  guard->fault_.calls = calls_to_here();
  guard->fault_.signal = tick ? 0 : signal;
  guard->fault_.address = reinterpret_cast<std::uintptr_t>(static_cast<siginfo_t*>(info)->si_addr);
  guard->fault_.stack_pointer = static_cast<std::uintptr_t>(machine->uc_mcontext.gregs[REG_RSP]);
  const auto pc = static_cast<std::uintptr_t>(machine->uc_mcontext.gregs[REG_RIP]);
  guard->fault_.is_call = pc == guard->fault_.address;
  if (guard->fault_.is_call)  // of what is no code: who called is on the stack still
    guard->fault_.calls.insert(guard->fault_.calls.begin(),
                               *reinterpret_cast<const std::uintptr_t*>(guard->fault_.stack_pointer));
  siglongjmp(guard->end_, 1);
}

void NativeGuard::install() {
  static bool installed = false;
  if (installed) return;
  installed = true;
#if !defined(__SANITIZE_ADDRESS__)  // which says more
  std::array<void*, 2> warm_up{};
  backtrace(warm_up.data(), static_cast<int>(warm_up.size()));  // loads what it needs
  stack_t stack{};
  stack.ss_sp = alternate_stack.data();
  stack.ss_size = alternate_stack.size();
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  action.sa_sigaction = [](int signal, siginfo_t* info, void* context) { handle(signal, info, context); };
  for (const int signal : kFaults) sigaction(signal, &action, nullptr);
  sigaction(SIGPROF, &action, nullptr);
  tick_every(patience_seconds);
#endif
}

bool NativeGuard::run(void (*function)(const void*), const void* argument) {
  install();
  if (sigsetjmp(end_, 1) != 0) return false;
  inside_ = this;
  function(argument);
  inside_ = nullptr;
  return true;
}

riscv::SymbolTable symbols_of_library(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto copy = [&bytes](auto& to, std::uint64_t at) {
    if (at > bytes.size() || bytes.size() - at < sizeof to) return false;
    std::memcpy(&to, bytes.data() + at, sizeof to);
    return true;
  };
  Elf64_Ehdr header{};
  Elf64_Shdr table{}, names{};
  std::vector<riscv::Symbol> symbols;
  if (!copy(header, 0)) return {};
  for (unsigned k = 0; k < header.e_shnum; ++k) {
    if (!copy(table, header.e_shoff + k * sizeof table) || table.sh_type != SHT_SYMTAB) continue;
    if (!copy(names, header.e_shoff + table.sh_link * sizeof names)) continue;
    Elf64_Sym symbol{};
    for (std::uint64_t at = 0; at < table.sh_size && copy(symbol, table.sh_offset + at);
         at += sizeof symbol) {
      const std::uint64_t name = names.sh_offset + symbol.st_name;
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || name >= bytes.size())
        continue;
      symbols.push_back({static_cast<std::uint32_t>(symbol.st_value),
                         static_cast<std::uint32_t>(symbol.st_size), std::string(bytes.c_str() + name),
                         true});
    }
  }
  return riscv::SymbolTable(std::move(symbols));
}

std::string describe_fault(const NativeFault& fault) {
  return "  cause    " + cause_of(fault) + "\n";
}

std::string describe_calls(const std::vector<std::uintptr_t>& calls, const std::string& file,
                           const void* library) {
  std::string text;
  const riscv::SymbolTable symbols = symbols_of_library(file);
  Dl_info ours{};
  if (dladdr(library, &ours) == 0) return text;
  constexpr int kMostCalls = 8;
  int count = 0;
  for (const std::uintptr_t call : calls) {
    Dl_info of{};
    // What lies behind: the handler, the C library; before: the simulation.
    if (dladdr(reinterpret_cast<void*>(call), &of) == 0 || of.dli_fbase != ours.dli_fbase) continue;
    const auto offset = static_cast<std::uint32_t>(call - reinterpret_cast<std::uintptr_t>(ours.dli_fbase));
    if (count++ == kMostCalls) break;
    text += (count == 1 ? "  at       " : "  called   from ") + riscv::address_text(offset, symbols) + "\n";
  }
  return count == 0 ? text : text + "           (addr2line -e " + file + ")\n";
}

}  // namespace meshkv::controller
