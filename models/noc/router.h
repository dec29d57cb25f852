// A router: five port modules around one core. To be made by a tile, so that names read
// chip.tile_3_4.router.port_east.
#pragma once

#include <array>
#include <memory>
#include <systemc>

#include "models/noc/router_core.h"
#include "models/noc/router_port.h"

namespace meshkv::noc {

class Router final : public sc_core::sc_module {
 public:
  Router(sc_core::sc_module_name name, NocContext& context, NodeId node);

  RouterPort& port(Port p) { return *ports_[static_cast<unsigned>(p)]; }
  const RouterPort& port(Port p) const { return *ports_[static_cast<unsigned>(p)]; }
  RouterCore& core() { return *core_; }
  const RouterCore& core() const { return *core_; }
  NodeId node() const { return core_->node(); }

 private:
  Arena::Pointer<RouterCore> core_;
  std::array<Arena::Pointer<RouterPort>, kPorts> ports_;
};

}  // namespace meshkv::noc
