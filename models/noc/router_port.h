// One of a router's five ports: the sockets of a link in each direction. Thin: in `at` it points into the
// router's core.
#pragma once

#include <systemc>

#include "models/noc/noc_context.h"
#include "models/noc/noc_protocol.h"
#include "models/noc/router_core.h"

namespace meshkv::noc {

class alignas(64) RouterPort final : public sc_core::sc_module, public NocForwardIf, public NocBackwardIf {
  // First, and the object aligned: in one cache line with the interfaces' virtual tables, so that a flit's
  // call touches one line of this module.
  RouterCore::PortState* state_;

 public:
  NocInitiatorSocket out;  ///< flits that leave the router; their credits come back here
  NocTargetSocket in;      ///< flits that arrive; their credits are returned here

  RouterPort(sc_core::sc_module_name name, NocContext& context, RouterCore& core, Port port);

  /// at: a flit from the neighbour.
  tlm::tlm_sync_enum nb_transport_fw(Packet& packet, NocPhase& phase, sc_core::sc_time& delay) override;
  /// at: a credit from the neighbour.
  tlm::tlm_sync_enum nb_transport_bw(Packet& packet, NocPhase& phase, sc_core::sc_time& delay) override;
  /// lt: a whole packet or chunk from the neighbour (router_port_lt.cpp).
  void b_transport(Packet& packet, sc_core::sc_time& delay) override;

  bool get_direct_mem_ptr(Packet&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Packet&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  /// The link that leaves by this port, all cycles before `now`.
  LinkStatistics statistics(Cycle now) const { return core_->link(port_, now); }
  Port port() const { return port_; }
  /// This port's input is fed by a network interface rather than by a router (decides the credit delay). Set
  /// by whoever binds it, before the end of elaboration; true from the start for the tile port.
  void feed_from_interface() { interface_input_ = true; }

 private:
  void end_of_elaboration() override;

  RouterCore* core_;
  LooseRouter* loose_;
  NocContext* context_;
  Port port_;
  bool interface_input_;
};

}  // namespace meshkv::noc
