// Numbers of the machine mode that the hart, its debugger and its reports share (The RISC-V Instruction Set
// Manual, volume II).
#pragma once

#include <cstdint>

namespace meshkv::riscv {

/// Interrupt lines of a hart; the value is the bit in mip and mie and the code in mcause.
enum class Interrupt : std::uint8_t { kSoftware = 3, kTimer = 7, kExternal = 11 };

/// Exceptions, as in mcause.
enum class Cause : std::uint32_t {
  kFetchFault = 1,
  kIllegalInstruction = 2,
  kBreakpoint = 3,
  kMisalignedLoad = 4,
  kLoadFault = 5,
  kMisalignedStore = 6,
  kStoreFault = 7,
  kMachineCall = 11,
};
constexpr std::uint32_t kInterruptFlag = 0x80000000U;  ///< of mcause

/// "load access fault", "timer interrupt", ...
const char* cause_name(std::uint32_t mcause);

namespace csr {
constexpr std::uint32_t kMstatus = 0x300, kMisa = 0x301, kMie = 0x304, kMtvec = 0x305, kMstatush = 0x310;
constexpr std::uint32_t kMcountinhibit = 0x320, kMhpmevent3 = 0x323, kMhpmevent31 = 0x33f;
constexpr std::uint32_t kMscratch = 0x340, kMepc = 0x341, kMcause = 0x342, kMtval = 0x343, kMip = 0x344;
constexpr std::uint32_t kMcycle = 0xb00, kMinstret = 0xb02, kMhpmcounter3 = 0xb03, kMhpmcounter31 = 0xb1f;
constexpr std::uint32_t kHighHalf = 0x80;  ///< added to a counter's number: its upper 32 bits
constexpr std::uint32_t kCycle = 0xc00, kTime = 0xc01, kInstret = 0xc02, kHpmcounter3 = 0xc03,
                        kHpmcounter31 = 0xc1f;
constexpr std::uint32_t kMvendorid = 0xf11, kMarchid = 0xf12, kMimpid = 0xf13, kMhartid = 0xf14,
                        kMconfigptr = 0xf15;
}  // namespace csr

constexpr std::uint32_t kMstatusMie = 1U << 3, kMstatusMpie = 1U << 7, kMstatusMpp = 3U << 11;

}  // namespace meshkv::riscv
