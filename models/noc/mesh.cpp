#include "models/noc/mesh.h"

#include <string>

namespace meshkv::noc {

void connect_mesh(const MeshShape& mesh, const std::vector<Router*>& routers, const LinkBinder& bind) {
  for (int n = 0; n < mesh.nodes(); ++n) {
    const auto from = static_cast<NodeId>(n);
    for (const Port p : {Port::kEast, Port::kWest, Port::kSouth, Port::kNorth}) {
      const NodeId to = mesh.neighbour(from, p);
      if (to == kNoNode) continue;
      bind({from, static_cast<std::uint8_t>(p)}, routers[from]->port(p).out,
           routers[to]->port(opposite(p)).in);
    }
  }
}

void connect_interface(NetworkInterface& interface, Router& router, const LinkBinder& bind) {
  bind({router.node(), LinkId::kInjection}, interface.injection(0), router.port(Port::kTile).in);
  bind({router.node(), static_cast<std::uint8_t>(Port::kTile)}, router.port(Port::kTile).out,
       interface.ejection);
}

void connect_second_injection(NetworkInterface& interface, Router& router, Port edge,
                              const LinkBinder& bind) {
  router.port(edge).feed_from_interface();
  bind({router.node(), LinkId::kInjection}, interface.injection(1), router.port(edge).in);
}

MeshTile::MeshTile(sc_core::sc_module_name name, NocContext& context, NodeId node)
    : sc_module(name), router("router", context, node), interface("interface", context, node) {
  connect_interface(interface, router);
}

Mesh::Mesh(sc_core::sc_module_name name, const NocConfig& config, ClockDomain& domain)
    : sc_module(name), context_(config, domain) {
  std::vector<Router*> routers;
  for (int n = 0; n < nodes(); ++n) {
    const Coord c = context_.coord(static_cast<NodeId>(n));
    const std::string tile = "tile_" + std::to_string(c.x) + "_" + std::to_string(c.y);
    tiles_.push_back(std::make_unique<MeshTile>(tile.c_str(), context_, static_cast<NodeId>(n)));
    routers.push_back(&tiles_.back()->router);
  }
  connect_mesh(config.mesh, routers);
  std::vector<const NetworkInterface*> interfaces;
  for (const auto& tile : tiles_) interfaces.push_back(&tile->interface);
  watchdog_ = std::make_unique<Watchdog>(context_, std::vector<const Router*>(routers.begin(), routers.end()),
                                         interfaces);
}

}  // namespace meshkv::noc
