#pragma once
#include <cstdint>
#include <string>

namespace meshkv::controller {

enum class ControllerKind : std::uint8_t { kSequencer, kRv32, kNative };

struct ControllerConfig {
  ControllerKind kind = ControllerKind::kSequencer;
  std::string firmware;
  int max_lead_segments = 3;  ///< a tile may be at most so many segments ahead of the slowest one
  int descriptor_cycles =
      4;  ///< control bus: descriptor written -> tile may act ("4-cycle combinational TaKV", section IV)
  int barrier_cycles = 16;  ///< layer barrier between the columns' controllers
};

}  // namespace meshkv::controller
