// Configuration of the mesh (paper Table I). Plain aggregates with defaults; validated by the platform.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/types.h"

namespace meshkv::noc {

enum class Vn1VcPolicy : std::uint8_t {
  kPerClass,  ///< KV_FETCH has the first VC of VN1, KV_DATA the others (default: no message-dependent
              ///< deadlock)
  kShared     ///< both classes use every VC of VN1 (a reply can wait behind a request that waits for a reply)
};
enum class MulticastAllocation : std::uint8_t {
  kIndependent,  ///< branches advance independently, each with its own flit counter (default, safe)
  kCutThrough,   ///< a branch needs room for the whole packet downstream (safe, slower)
  kLockstep      ///< all branches move together (deadlocks: shown by a scenario)
};

/// Router pipeline as data, not as three routers. Delays in cycles.
struct PipelineProfile {
  std::string name = "fpga";
  int routing_cycles = 0;
  int vc_allocation_cycles = 0;
  int switch_allocation_cycles = 0;
  bool speculative = false;      ///< VA and SA in one cycle, SA wasted where VA fails
  int sa_to_visible_cycles = 2;  ///< flit granted in SA -> at the front end of the next router
  int credit_cycles = 2;         ///< flit granted in SA -> its credit usable upstream
};

struct NocConfig {
  MeshShape mesh;
  std::string profile = "fpga";  ///< "fpga", "b1", "b2": see reference in docs
  int vcs_per_vn = 2;
  int vc_depth_flits = 8;
  int flit_bits = 512;
  Vn1VcPolicy vn1_vc_policy = Vn1VcPolicy::kPerClass;
  MulticastAllocation multicast_allocation = MulticastAllocation::kIndependent;
  // In-router duplicate filter (Mare, section VI).
  bool tag_filter = false;
  int tags = 16;
  int bloom_bits = 256;
  int bloom_refresh_cycles = 96;
  Cycle watchdog_cycles = 10000;  ///< nothing moves for so long while packets are in flight: deadlock
};

}  // namespace meshkv::noc
