#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/types.h"

namespace meshkv::takv {

enum class PlacementKind : std::uint8_t { kTakv, kShared, kCent };
enum class SharedOrder : std::uint8_t { kColumnMajor, kRowMajor };
/// Where the central memory path enters the mesh in `cent` (the paper does not say; study.md prefers four
/// corners).
enum class CentPorts : std::uint8_t { kCorner, kCorners, kEdge, kCentre };

enum class SwapsBy : std::uint8_t { kHardware, kFirmware };

struct PlacementConfig {
  PlacementKind kind = PlacementKind::kTakv;
  int a = 0;  ///< stride of eq. 4; odd and coprime to the mesh height; 0: width + 1
  SharedOrder shared_order = SharedOrder::kColumnMajor;
  CentPorts cent_ports = CentPorts::kCorners;
  int cent_flits_per_cycle =
      2;  ///< injection links of a central port: 1, or 2 (second one on an unused edge port)
  bool swaps = false;
  SwapsBy swaps_by = SwapsBy::kHardware;
  int swap_period_steps = 128;  ///< K of section V
  int swaps_per_period = 1;     ///< of each layer
};

}  // namespace meshkv::takv
