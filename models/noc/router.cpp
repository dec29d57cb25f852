#include "models/noc/router.h"

#include <string>

namespace meshkv::noc {

Router::Router(sc_core::sc_module_name name, NocContext& context, NodeId node)
    : sc_module(name), core_(context.arena.make<RouterCore>(context, node)) {
  for (unsigned p = 0; p < kPorts; ++p) {
    const auto port = static_cast<Port>(p);
    ports_[p] = context.arena.make<RouterPort>((std::string("port_") + port_name(port)).c_str(), context,
                                               *core_, port);
  }
}

}  // namespace meshkv::noc
