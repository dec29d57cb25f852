// One of a router's five ports: the sockets of a link in each direction. Thin: they are bound to the port's
// state in the router's core, which takes the calls.
#pragma once

#include <systemc>

#include "models/noc/noc_context.h"
#include "models/noc/noc_protocol.h"
#include "models/noc/router_core.h"

namespace meshkv::noc {

class RouterPort final : public sc_core::sc_module {
 public:
  NocInitiatorSocket out;  ///< flits that leave the router; their credits come back here
  NocTargetSocket in;      ///< flits that arrive; their credits are returned here

  RouterPort(sc_core::sc_module_name name, NocContext& context, RouterCore& core, Port port);

  /// The link that leaves by this port, all cycles before `now`.
  LinkStatistics statistics(Cycle now) const { return core_->link(port_, now); }
  Port port() const { return port_; }
  /// This port's input is fed by a network interface rather than by a router (decides the credit delay). Set
  /// by whoever binds it, before the end of elaboration; true from the start for the tile port.
  void feed_from_interface() { interface_input_ = true; }

 private:
  void end_of_elaboration() override;

  RouterCore* core_;
  NocContext* context_;
  Port port_;
  bool interface_input_;
};

}  // namespace meshkv::noc
