// Looks at, or breaks, what goes over one link: a module between the two sides' sockets that hands everything
// on. Without it a link costs nothing, and with it not a cycle.
#pragma once

#include <array>
#include <functional>
#include <systemc>

#include "models/noc/network_interface.h"
#include "models/noc/noc_context.h"
#include "models/noc/noc_protocol.h"

namespace meshkv::noc {

/// Where a link begins: a router's output port, or (kInjection) a network interface.
struct LinkId {
  NodeId node = kNoNode;
  std::uint8_t port = 0;  ///< Port; kInjection: from the interface into the router of `node`
  static constexpr std::uint8_t kInjection = kPorts;
  friend bool operator==(const LinkId& a, const LinkId& b) { return a.node == b.node && a.port == b.port; }
};

/// Hears of what the receiving end of a link gets.
class LinkMonitor {
 public:
  virtual ~LinkMonitor() = default;
  /// The packet's last flit has crossed after `flits` flits in all. lt: a chunk, whole.
  virtual void crossed(const LinkId& link, const Packet& packet, unsigned flits) = 0;
  /// A flit that belongs to no packet whose head came this way, or a head while the packet before it in its
  /// VC has not ended.
  virtual void out_of_order(const LinkId& link, const Packet& packet) = 0;
  /// False once something was wrong: nothing is handed on any more, so that the model's own invariants are
  /// not asked of a broken fabric.
  virtual bool intact() const = 0;
};

/// Breaks one packet of a link, once.
struct LinkFault {
  enum class Kind : std::uint8_t { kNone, kLoseFlit, kMisroute };
  Kind kind = Kind::kNone;
  std::uint64_t packet = 0;  ///< how many KV_DATA packets (lt: chunks) pass before it
  unsigned flit = 0;         ///< kLoseFlit: which of its flits is lost (lt: the whole chunk)
  NodeId to = kNoNode;       ///< kMisroute: where it goes, as a unicast packet with a corrupted header
};

class LinkProbe final : public sc_core::sc_module, public NocForwardIf, public NocBackwardIf {
 public:
  NocTargetSocket in;
  NocInitiatorSocket out;

  LinkProbe(sc_core::sc_module_name name, NocContext& context, LinkId link, LinkMonitor& monitor);
  const LinkId& link() const { return link_; }
  void set_fault(const LinkFault& fault) { fault_ = fault; }
  /// Called with the head of every packet before it is handed on.
  std::function<void(const Packet&)> on_head;

  tlm::tlm_sync_enum nb_transport_fw(Packet& packet, NocPhase& phase, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(Packet& packet, NocPhase& phase, sc_core::sc_time& delay) override;
  void b_transport(Packet& packet, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(Packet&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Packet&) override { return 0; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

 private:
  struct Vc {
    const Packet* packet = nullptr;
    unsigned flits = 0;
  };
  void end_of_elaboration() override;
  bool begins_faulty(const Packet& packet);
  Packet* corrupted(const Packet& packet);
  void watch(const Packet& packet, const NocPhase& phase);

  NocContext& context_;
  LinkId link_;
  LinkMonitor& monitor_;
  LinkFault fault_;
  NocForwardIf* next_ = nullptr;
  NocBackwardIf* previous_ = nullptr;
  std::array<Vc, 8> vcs_{};
  std::uint64_t passed_ = 0;        // KV_DATA packets
  const Packet* broken_ = nullptr;  // at: the packet that the fault has hit, until its tail
  Packet* replacement_ = nullptr;   // kMisroute
  unsigned flit_ = 0;               // of broken_
};

}  // namespace meshkv::noc
