// Wiring of routers into a mesh, and a mesh of bare tiles that can be used from anybody's sc_main.
#pragma once

#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "models/noc/link_probe.h"
#include "models/noc/network_interface_module.h"
#include "models/noc/noc_context.h"
#include "models/noc/router.h"
#include "models/noc/watchdog.h"

namespace meshkv::noc {

/// Binds the two ends of a link, directly or with something between them.
using LinkBinder = std::function<void(const LinkId& link, NocInitiatorSocket& from, NocTargetSocket& to)>;
inline void bind_directly(const LinkId&, NocInitiatorSocket& from, NocTargetSocket& to) {
  from.bind(to);
}

/// Binds each router's cardinal ports to its neighbours'. `routers` is indexed by NodeId.
void connect_mesh(const MeshShape& mesh, const std::vector<Router*>& routers,
                  const LinkBinder& bind = bind_directly);
/// Binds an interface to the tile port of its router.
void connect_interface(NetworkInterface& interface, Router& router, const LinkBinder& bind = bind_directly);
/// Binds the interface's second injection link to an edge port of `router` that has no neighbour.
void connect_second_injection(NetworkInterface& interface, Router& router, Port edge,
                              const LinkBinder& bind = bind_directly);

/// Router and interface of one node.
class MeshTile final : public sc_core::sc_module {
 public:
  MeshTile(sc_core::sc_module_name name, NocContext& context, NodeId node);
  Router router;
  NetworkInterface interface;
};

/// Width x height tiles named tile_x_y, without agents: clients are set from outside.
class Mesh final : public sc_core::sc_module {
 public:
  Mesh(sc_core::sc_module_name name, const NocConfig& config, ClockDomain& domain);

  NocContext& context() { return context_; }
  MeshTile& tile(NodeId n) { return *tiles_[n]; }
  Router& router(NodeId n) { return tiles_[n]->router; }
  NetworkInterface& interface(NodeId n) { return tiles_[n]->interface; }
  const Watchdog& watchdog() const { return *watchdog_; }
  Watchdog& watchdog() { return *watchdog_; }
  int nodes() const { return context_.config.mesh.nodes(); }

 private:
  NocContext context_;
  std::vector<std::unique_ptr<MeshTile>> tiles_;
  std::unique_ptr<Watchdog> watchdog_;
};

}  // namespace meshkv::noc
