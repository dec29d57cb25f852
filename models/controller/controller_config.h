#pragma once
#include <cstdint>
#include <string>

#include "models/common/types.h"

namespace meshkv::controller {

enum class ControllerKind : std::uint8_t { kSequencer, kRv32, kNative };

struct ControllerConfig {
  ControllerKind kind = ControllerKind::kSequencer;
  std::string firmware = "decode";  ///< kRv32, kNative: a program of ours, or a file
  int max_lead_segments = 3;        ///< a tile may be at most so many segments ahead of the slowest one
  int descriptor_cycles =
      4;  ///< control bus: descriptor written -> tile may act ("4-cycle combinational TaKV", section IV)
  int barrier_cycles =
      16;  ///< layer barrier between the columns' controllers; a mailbox word takes half of it
  int quantum_cycles = 100;       ///< kRv32: a hart may run so far ahead of its interrupts
  int register_cycles = 2;        ///< kRv32, kNative: an access to a register takes so long
  int native_cycles = 8;          ///< kNative: what the code before an access to a register takes, on average
  Cycle timeout_cycles = 200000;  ///< firmware: a tile that computes nothing for so long is told again
  Cycle watchdog_cycles = 5000000;  ///< firmware that moves nothing for so long is reported
};

}  // namespace meshkv::controller
