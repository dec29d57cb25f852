#include "models/noc/router.h"

#include <string>

namespace meshkv::noc {

Router::Router(sc_core::sc_module_name name, NocContext& context, NodeId node)
    : sc_module(name), core_(std::make_unique<RouterCore>(context, node)) {
  for (unsigned p = 0; p < kPorts; ++p) {
    const auto port = static_cast<Port>(p);
    ports_[p] =
        std::make_unique<RouterPort>((std::string("port_") + port_name(port)).c_str(), context, *core_, port);
  }
}

}  // namespace meshkv::noc
