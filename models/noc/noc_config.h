// Configuration of the mesh (paper Table I). Plain aggregates with defaults; validated by the platform.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/types.h"
#include "models/noc/packet.h"

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

/// Router pipeline as data, not as three routers. Delays in cycles; SA is the cycle in which the switch
/// grants a flit.
struct PipelineProfile {
  std::string name = "fpga";
  int routing_cycles = 0;  ///< route computation ahead of VC allocation; 0: looked ahead in the router before
  bool speculative =
      true;               ///< VA and SA in the same cycle, SA wasted where VA fails; false: SA a cycle later
  int flit_cycles = 2;    ///< SA -> visible at the head end of the next router, or ejected
  int credit_cycles = 2;  ///< SA -> its credit usable in the router upstream
  int inject_cycles = 2;  ///< leaves the network interface -> visible in the router
  /// Of a head from router to router, at zero load.
  int hop_cycles() const { return routing_cycles + (speculative ? 0 : 1) + flit_cycles; }
  int interface_credit_cycles = 2;  ///< SA -> its credit usable in the network interface
};

/// "fpga" (one-cycle router, one-cycle link), "b1", "b2" (as BookSim2's input-queued router with RC, VA, SA,
/// ST stages, and with lookahead and speculation). Throws std::invalid_argument for another name.
PipelineProfile pipeline_profile(const std::string& name);

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

  int vcs() const { return 2 * vcs_per_vn; }
  /// VCs (bits) that a class may use: PART those of VN0, KV_FETCH and KV_DATA those of VN1 by the policy.
  std::uint8_t class_vcs(PacketClass c) const;
};

/// Everything that is wrong with a configuration, one sentence each; empty: valid.
std::vector<std::string> validate(const NocConfig& config);

}  // namespace meshkv::noc
