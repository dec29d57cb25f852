#include "models/noc/router_port.h"

namespace meshkv::noc {

RouterPort::RouterPort(sc_core::sc_module_name name, NocContext& context, RouterCore& core, Port port)
    : sc_module(name),
      out("out"),
      in("in"),
      core_(&core),
      context_(&context),
      port_(port),
      interface_input_(port == Port::kTile) {
  out.bind(static_cast<NocBackwardIf&>(core.output(port)));
  in.bind(static_cast<NocForwardIf&>(core.input(port)));
}

void RouterPort::end_of_elaboration() {
  // The bound interfaces, so that a flit costs a virtual call and not a walk through two sockets.
  if (out.get_base_port().size() > 0) {
    core_->connect_output(port_, out.get_base_port()[0]);
    core_->loose().connect(port_, out.get_base_port()[0]);
  }
  if (in.get_base_port().size() > 0) {
    const PipelineProfile& p = context_->profile;
    core_->connect_input(port_, in.get_base_port()[0],
                         interface_input_ ? p.interface_credit_cycles : p.credit_cycles);
  }
}

}  // namespace meshkv::noc
