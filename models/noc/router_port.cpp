#include "models/noc/router_port.h"

namespace meshkv::noc {

RouterPort::RouterPort(sc_core::sc_module_name name, NocContext& context, RouterCore& core, Port port)
    : sc_module(name),
      state_(&core.port_state(port)),
      out("out"),
      in("in"),
      core_(&core),
      loose_(&core.loose()),
      context_(&context),
      port_(port),
      interface_input_(port == Port::kTile) {
  out.bind(static_cast<NocBackwardIf&>(*this));
  in.bind(static_cast<NocForwardIf&>(*this));
}

void RouterPort::end_of_elaboration() {
  // The bound interfaces, so that a flit costs a virtual call and not a walk through two sockets.
  if (out.get_base_port().size() > 0) {
    core_->connect_output(port_, out.get_base_port()[0]);
    loose_->connect(port_, out.get_base_port()[0]);
  }
  if (in.get_base_port().size() > 0) {
    const PipelineProfile& p = context_->profile;
    core_->connect_input(port_, in.get_base_port()[0],
                         interface_input_ ? p.interface_credit_cycles : p.credit_cycles);
  }
}

tlm::tlm_sync_enum RouterPort::nb_transport_fw(Packet& packet, NocPhase& phase, sc_core::sc_time&) {
  state_->receive_flit(phase.vc, phase.head, &packet, phase.at);
  return tlm::TLM_ACCEPTED;
}

tlm::tlm_sync_enum RouterPort::nb_transport_bw(Packet&, NocPhase& phase, sc_core::sc_time&) {
  state_->receive_credit(phase.vc, phase.at);
  return tlm::TLM_ACCEPTED;
}

}  // namespace meshkv::noc
