// What the routers and interfaces of one mesh share. Not a module: it exists before the first of them.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "models/common/clock_domain.h"
#include "models/common/types.h"
#include "models/noc/arena.h"
#include "models/noc/loose_clock.h"
#include "models/noc/multicast_tree.h"
#include "models/noc/noc_config.h"
#include "models/noc/packet_pool.h"

namespace meshkv::noc {

class NocContext {
 public:
  /// Throws std::invalid_argument if validate(config) finds a fault.
  NocContext(const NocConfig& config, ClockDomain& domain);
  NocContext(const NocContext&) = delete;
  NocContext& operator=(const NocContext&) = delete;

  const NocConfig config;
  const PipelineProfile profile;
  ClockDomain& domain;
  Arena arena;  ///< for the routers
  PacketPool pool;
  TreeCache trees;
  LooseClock loose;  ///< lt
  /// The watchdog's id in the domain (-1: none), and whether it is going to look. An interface that gets a
  /// packet to send arms it.
  int watchdog_id = -1;
  bool watchdog_armed = false;
  void arm_watchdog(Cycle now) {
    if (watchdog_armed || watchdog_id < 0) return;
    watchdog_armed = true;
    domain.wake(watchdog_id, now + config.watchdog_cycles + 1);
  }

  /// May change while no packet is in flight (pool.live() == 0) only; set_mode() reports a fatal error else.
  TimingMode mode() const { return mode_; }
  void set_mode(TimingMode mode);

  Coord coord(NodeId n) const { return {coords_[n].x, coords_[n].y}; }
  /// xy_route without divisions, and without branches: which way a packet goes is hard to predict.
  Port route(Coord at, NodeId to) const {
    constexpr Port kBySigns[9] = {Port::kWest,  Port::kWest, Port::kWest, Port::kNorth, Port::kTile,
                                  Port::kSouth, Port::kEast, Port::kEast, Port::kEast};
    const auto& c = coords_[to];
    const int x = static_cast<int>(c.x > at.x) - static_cast<int>(c.x < at.x);
    const int y = static_cast<int>(c.y > at.y) - static_cast<int>(c.y < at.y);
    return kBySigns[3 * x + y + 4];
  }
  /// 0 to 7 cycles as sc_time.
  const sc_core::sc_time* delay_times() const { return delay_times_.data(); }
  /// Ids in the domain: all routers, then all interfaces.
  int router_id(NodeId n) const { return first_id_ + n; }
  int interface_id(NodeId n) const { return first_id_ + config.mesh.nodes() + n; }
  std::uint8_t class_vcs(PacketClass c) const { return class_vcs_[static_cast<unsigned>(c)]; }

 private:
  struct SmallCoord {
    std::uint8_t x, y;
  };
  TimingMode mode_ = TimingMode::kAt;
  int first_id_;
  std::vector<SmallCoord> coords_;
  std::array<std::uint8_t, kPacketClasses> class_vcs_{};
  std::array<sc_core::sc_time, 8> delay_times_{};
};

}  // namespace meshkv::noc
