// The network interface of a tile: source queues, one or two injection links, ejection with back-pressure.
#pragma once

#include <array>
#include <boost/container/static_vector.hpp>
#include <memory>
#include <systemc>
#include <vector>

#include "models/noc/injection_link.h"
#include "models/noc/network_interface.h"
#include "models/noc/noc_context.h"
#include "models/noc/noc_protocol.h"

namespace meshkv::noc {

class NetworkInterface final : public sc_core::sc_module,
                               public NetworkAccess,
                               public Clocked,
                               public NocForwardIf {
  // First what every tick touches: right behind the Clocked that the domain knows.
  int id_;
  bool drains_at_once_ = false;
  unsigned refill_wanted_ = 0;  // classes
  NocContext& context_;
  boost::container::static_vector<std::unique_ptr<InjectionLink>, 2> links_;
  SourceQueues queues_{};
  NetworkClient* client_;

 public:
  NocTargetSocket ejection;  ///< from the router's tile port
  /// Injection link `k`: 0 goes to the router's tile port; 1 (if any) to an unused edge port.
  NocInitiatorSocket& injection(int k) { return links_[static_cast<unsigned>(k)]->socket; }

  /// `client` may be set later, before the first packet arrives. `injection_links`: 1 or 2.
  NetworkInterface(sc_core::sc_module_name name, NocContext& context, NodeId node,
                   NetworkClient* client = nullptr, int injection_links = 1);
  void set_client(NetworkClient& client);

  // NetworkAccess
  Packet* allocate() override { return context_.pool.allocate(); }
  void send(Packet* packet, Cycle now) override;
  Cycle transfer(Packet* chunk, Cycle earliest) override;
  int queued(PacketClass c) const override { return queues_.of[static_cast<unsigned>(c)].size(); }
  void want_refill(PacketClass c) override;
  void drain(const Packet& packet, Cycle from) override;
  int injection_ports() const override { return static_cast<int>(links_.size()); }

  void tick(Cycle now) override;
  /// at: a flit from the router.
  tlm::tlm_sync_enum nb_transport_fw(Packet& packet, NocPhase& phase, sc_core::sc_time& delay) override;
  /// lt: a whole packet or chunk from the router (network_interface_lt.cpp).
  void b_transport(Packet& packet, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(Packet&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(Packet&) override { return 0; }

  struct Statistics {
    std::array<std::uint64_t, kPacketClasses> sent_packets{};  ///< entered the source queue
    std::array<std::uint64_t, kPacketClasses> sent_flits{};
    std::array<std::uint64_t, kPacketClasses> ejected_packets{};  ///< copies
    std::array<std::uint64_t, kPacketClasses> ejected_flits{};
  };
  const Statistics& statistics() const { return statistics_; }
  /// Injection link `k`, all cycles before `now`. (The ejection link is the router's tile port.)
  LinkStatistics injection_statistics(int k, Cycle now) const {
    return links_[static_cast<unsigned>(k)]->statistics(now);
  }
  /// The packet that leaves next, or null.
  const Packet* queue_front(PacketClass c) const { return queues_.of[static_cast<unsigned>(c)].front(); }
  const InjectionLink& injection_link(int k) const { return *links_[static_cast<unsigned>(k)]; }
  NodeId node() const { return node_; }

  /// Ejection VC: the packet at its front and what it waits for; for the watchdog.
  struct EjectionView {
    const Packet* front = nullptr;
    int packets = 0;
    Cycle drains_from = kNever;  ///< what the client said, kNever before it was asked
  };
  EjectionView ejection_view(int vc) const;

 private:
  void end_of_elaboration() override;
  void inject(Cycle now);

  // network_interface_lt.cpp
  Cycle carry(Packet& packet, Cycle earliest);

  // ejection.cpp
  struct EjectionVc {
    std::vector<Packet*> packets;  // ring; front first
    std::vector<Cycle> heads;      // ring: when the head of each arrived
    std::vector<Cycle> flits;      // ring: arrivals of flits that have no drain cycle yet
    std::vector<Cycle> credits;    // ring: cycles in which slots are drained, credit not yet returned
    unsigned packet_first = 0, packet_count = 0;
    unsigned flit_first = 0, flit_count = 0;
    unsigned credit_first = 0, credit_count = 0;
    unsigned undrained = 0;     // flits of the front packet without a drain cycle
    Cycle next_drain = kNever;  // known once the client was asked for the front packet
    Cycle drain_from = kNever;
    Cycle head_due = kNever;  // ask the client then
    Cycle tail_due = kNever;  // the front packet's last flit is drained then
  };
  void eject(Cycle now);
  void ask_client(EjectionVc& v, Cycle now);
  void finish(EjectionVc& v, Cycle now);
  void begin_drain(EjectionVc& v, Cycle from);
  void drain_flit(EjectionVc& v, Cycle arrival);
  void return_credits(unsigned vc, EjectionVc& v, Cycle now);
  void wake_at(Cycle at);

  NodeId node_;
  NocCreditIf* router_ = nullptr;
  sc_core::sc_time credit_time_;
  std::vector<EjectionVc> vcs_;
  unsigned ring_mask_;
  Statistics statistics_;
};

}  // namespace meshkv::noc
