// The router's rules and state, without SystemC sockets: an input-buffered virtual-channel router with
// separable input-first round-robin allocators, per-VC credits and non-atomic VC reuse (DESIGN section 3;
// the pipeline is NocContext::profile). Ports are thin modules that call it and are called by it.
//
// Indices: an input VC is 8 * input port + vc, an output VC is 8 * output port + vc, so a 64-bit mask holds
// one byte a port and an arbiter is a mask and a count of trailing zeros. What is announced for a later cycle
// (a visible flit, a usable credit, the end of routing) waits in a calendar of masks for the next eight
// cycles.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/common/clocked.h"
#include "models/mare/tag_filter.h"
#include "models/noc/credit_counter.h"
#include "models/noc/link_statistics.h"
#include "models/noc/loose_router.h"
#include "models/noc/noc_context.h"
#include "models/noc/noc_protocol.h"

namespace meshkv::noc {

/// Counters side by side in a word, a lane a port: what to add for a set of ports.
struct PortLanes {
  static constexpr unsigned kBits = 12;
  static constexpr unsigned kMost = (1U << kBits) - 1U;
  std::uint64_t of[1U << kPorts];
  constexpr PortLanes() : of() {
    for (unsigned ports = 0; ports < 1U << kPorts; ++ports)
      for (unsigned p = 0; p < kPorts; ++p) of[ports] |= std::uint64_t{ports >> p & 1U} << p * kBits;
  }
};
inline constexpr PortLanes kPortLanes;

class alignas(64) RouterCore final : public Clocked {
 public:
  static constexpr unsigned kStride = 8;  ///< VCs a port at most
  static constexpr unsigned kIndices = kStride * kPorts;
  static constexpr unsigned kSlots = 8;  ///< calendar: delays are 1 to 7 cycles

  RouterCore(NocContext& context, NodeId node);

  /// Where a port's flits go (the next router or interface) and where its input's credits go. Null: no link.
  /// `credit_delay` is profile.credit_cycles towards a router, .interface_credit_cycles towards an interface.
  void connect_output(Port port, NocFlitIf* next);
  void connect_input(Port port, NocCreditIf* previous, int credit_delay);

  /// One input VC's FIFO and the packet at its front.
  struct InputVc : Announced {   // announced: visible flits
    std::uint8_t out = 0;        // output VC; before VC allocation, 8 * output port
    std::uint8_t occupancy = 0;  // flits in the FIFO, those on the link included
    std::uint8_t ring_head = 0;
    std::uint8_t ring_count = 0;
    std::uint8_t state = 0;  // of the front packet: FlitKind, kHeadNext, kMulti, class
    std::uint16_t left = 0;  // flits of the front packet that have not left the FIFO
    Packet* front = nullptr;
  };
  static_assert(sizeof(InputVc) == 24, "two input VCs and what goes with them in a cache line");
  static constexpr unsigned kKindBits = 3;
  static constexpr unsigned kHeadNext = 4;  // the front packet's head has not left
  static constexpr unsigned kMulti = 8;     // front packet is in branches_
  static constexpr unsigned kClassShift = 4;

  /// What a port module points into: the port's VCs in both directions. VN0's are in the first line each way,
  /// those of VN1 in the second.
  struct alignas(64) PortState {
    NocCreditIf* previous = nullptr;                 // takes the input's credits
    std::array<std::uint8_t, kStride> va_pointer{};  // round robin over the output VCs to bid for
    std::array<InputVc, kStride> in{};
    RouterCore* core = nullptr;
    unsigned first = 0;                     // index of VC 0
    alignas(64) NocFlitIf* next = nullptr;  // takes the output's flits
    std::array<std::uint64_t, kFlitKinds> sent{};
    std::array<CreditCounter, kStride> out{};
    std::uint64_t back_pressure = 0;
    std::uint64_t spare[8] = {};  // a power of two, for the address arithmetic

    /// A flit of `packet` will be visible in input VC `vc` from cycle `visible_at` on.
    void receive_flit(unsigned vc, bool head, Packet* packet, Cycle visible_at) {
      InputVc& v = in[vc];
      v.add(visible_at);
      // Wakes the router only if the flit is at its VC's front.
      if (++v.occupancy == 1) {
        if (head) {
          v.front = packet;
          core->schedule(&Slot::routed, bit(first + vc), visible_at + core->routing_cycles_);
        } else {
          core->schedule(&Slot::flit, bit(first + vc), visible_at);
        }
      } else if (head || (v.state & kMulti) != 0) {
        core->receive_behind(first + vc, head, packet, visible_at);
      }
    }
    /// A slot of VC `vc` behind the output may be used from cycle `usable_at` on.
    void receive_credit(unsigned vc, Cycle usable_at) {
      CreditCounter& c = out[vc];
      c.give_back(usable_at);
      // With credits left nobody starves for this one. With the output VC free, whoever gets it will look.
      if (c.count == 1 && (core->free_outputs_ & bit(first + vc)) == 0)
        core->schedule(&Slot::credit, bit(first + vc), usable_at);
    }
  };
  PortState& port_state(Port port) { return ports_[static_cast<unsigned>(port)]; }

  void tick(Cycle now) override;

  /// lt: the same router, loosely timed.
  LooseRouter& loose() { return loose_; }

  struct Statistics {
    std::uint64_t suppressed_packets = 0;  ///< KV_DATA copies dropped by the tag filter
    std::uint64_t suppressed_flits = 0;
    std::uint64_t branch_copies = 0;  ///< copies made where trees branch
  };
  Statistics statistics() const {
    Statistics s = statistics_;
    s.branch_copies += loose_.branch_copies();
    return s;
  }
  /// Output link of `port`, all cycles before `now`.
  LinkStatistics link(Port port, Cycle now) const;
  const mare::TagFilter* tag_filter() const { return filter_.get(); }
  /// To be called where no KV_DATA packet is in flight.
  void clear_tags() {
    if (filter_ != nullptr) filter_->clear();
  }

  // For the watchdog and its reports, and for the tests.
  struct BranchView {
    Port out;
    int out_vc;   ///< -1: still waits for one
    bool credit;  ///< a slot downstream is free
    int sent;     ///< flits of the packet that went this way
  };
  struct VcView {
    const Packet* front = nullptr;  ///< null: the VC is empty between packets
    int occupancy = 0;              ///< flits in the FIFO, those on the link included
    int packets = 0;                ///< packets in the FIFO
    std::vector<BranchView> branches;
  };
  VcView view(Port port, int vc) const;
  int credits(Port port, int vc) const;
  bool output_free(Port port, int vc) const;
  /// Input VC that holds an output VC, only where !output_free().
  unsigned holder(Port port, int vc) const;
  bool connected(Port port) const { return ports_[static_cast<unsigned>(port)].next != nullptr; }
  NodeId node() const { return node_; }
  int vcs() const { return context_.config.vcs(); }
  std::uint8_t class_vcs(const Packet& p) const { return context_.class_vcs(p.packet_class); }
  std::uint64_t flits_sent() const;

 private:
  using Mask = std::uint64_t;

  /// The front packet of a VC whose tree branches here, or which is being dropped (no branches).
  struct Branches {
    std::uint8_t bidding = 0;  // ports that bid for an output VC
    std::uint8_t blocked = 0;  // ports that found none free
    std::uint8_t active = 0;   // ports with an output VC
    std::uint8_t credit = 0;   // of those, with a usable credit
    std::array<std::uint8_t, kPorts> out{};
    std::uint16_t flits = 0;
    std::uint16_t freed = 0;  // flits that all branches have sent
    std::array<std::uint16_t, kPorts> sent{};
    std::uint8_t ports = 0;  // all branches
    std::uint8_t ready = 0;  // branches that may use the switch in this cycle
  };

  struct Slot {
    Mask routed = 0;  // input VCs whose front packet begins to bid
    Mask flit = 0;    // input VCs whose front flit gets visible
    Mask credit = 0;  // output VCs whose first credit gets usable
    Mask spare = 0;   // two slots a cache line
  };

  /// What VC allocation tells switch allocation in the same cycle.
  struct Bids {
    Mask granted = 0;      // unicast input VCs that were given an output VC
    Mask speculative = 0;  // unicast input VCs that bid for the switch before they hold a VC
  };

  static Mask bit(unsigned i) { return Mask{1} << i; }
  static unsigned first(Mask m) { return static_cast<unsigned>(__builtin_ctzll(m)); }
  /// Round robin: first set bit at or after `from`, else the lowest.
  static unsigned rotate(Mask m, unsigned from) {
    const Mask above = m & (~Mask{0} << from);
    return first(above != 0 ? above : m);
  }

  // What bid() says instead of an output VC.
  static constexpr unsigned kNoRoom = kIndices;       // cut-through: asks again in the next cycle
  static constexpr unsigned kBlocked = kIndices + 1;  // none is free: waits until one is

  // router_core.cpp: what a flit-hop costs.
  void schedule(Mask Slot::*what, Mask bits, Cycle at) {
    calendar_[at % kSlots].*what |= bits;
    domain_->wake(id_, at);
  }
  void receive_behind(unsigned i, bool head, Packet* packet, Cycle visible_at);
  void take_credits(Mask outputs);
  void begin_bid(unsigned i, Cycle now);
  void new_front(unsigned i, Cycle now);
  void send(unsigned i, Cycle now);
  void send_tail(unsigned i, unsigned out, Cycle now);
  void match(unsigned i, unsigned port, unsigned output);
  void release_output(unsigned out);
  Bids allocate_vcs(Cycle now);
  unsigned bid(unsigned i, unsigned port, Cycle now, Bids& bids);
  void allocate_vcs_contended(Cycle now, Bids& bids);
  void grant(unsigned i, unsigned out, Cycle now, Bids& bids);
  void grant_vc(unsigned i, unsigned out, Cycle now, Bids& bids);
  template <bool kSpeculative>
  void allocate_switch(Mask ready, Mask multi, const Bids& bids, Cycle now);
  Mask choose(unsigned port, unsigned candidates, std::uint8_t* chosen_vc);

  // router_multicast.cpp
  void begin_branches(unsigned i, std::uint8_t ports);
  void grant_branch(unsigned i, unsigned out, Cycle now);
  int visible_flits(const InputVc& v, Cycle now) const;
  Mask ready_multi(Cycle now);
  void send_branch(unsigned i, unsigned port, Cycle now);
  Mask send_lockstep(Mask multi, Cycle now);
  void settle_branches(Cycle now);
  void free_slot(unsigned i, Cycle now);
  unsigned waiting_branches(Cycle now) const;

  // router_statistics.cpp
  /// Ports for which some flit of the input VCs `waiting` (unicast) or of a tree packet is ready.
  unsigned stalled_ports(Mask waiting, Cycle now) const {
    unsigned ports = multi_ == 0 ? 0 : waiting_branches(now);
    for (unsigned p = 0; p < kPorts; ++p) ports |= static_cast<unsigned>((want_[p] & waiting) != 0) << p;
    return ports;
  }
  void add_stalls(unsigned ports, Cycle cycles) {
    if (cycles + stall_cycles_ > PortLanes::kMost) {
      flush_stalls(ports, cycles);
      return;
    }
    stall_cycles_ = static_cast<std::uint16_t>(stall_cycles_ + cycles);
    stall_lanes_ += kPortLanes.of[ports] * cycles;
  }
  void flush_stalls(unsigned ports, Cycle cycles);

  InputVc& in_vc(unsigned i) { return ports_[i / kStride].in[i % kStride]; }
  const InputVc& in_vc(unsigned i) const { return ports_[i / kStride].in[i % kStride]; }
  CreditCounter& out_vc(unsigned o) { return ports_[o / kStride].out[o % kStride]; }
  const CreditCounter& out_vc(unsigned o) const { return ports_[o / kStride].out[o % kStride]; }

  // A flit-hop costs what it misses in the cache, so what is used together lies together: two lines that each
  // tick touches, the calendar, and a line a port and direction for the VCs of VN0, the next one for VN1.
  Mask va_wait_ = 0;     // input VCs that bid for an output VC
  Mask blocked_ = 0;     // input VCs that wait for an output VC to be freed
  Mask active_ = 0;      // unicast front packet holds an output VC
  Mask has_flit_ = 0;    // its next flit is visible
  Mask has_credit_ = 0;  // and has room downstream
  Mask free_outputs_ = 0;
  Mask multi_ = 0;                   // front packet branches
  Mask multi_live_ = 0;              // of those: may be able to send
  std::array<Mask, kPorts> want_{};  // input VCs whose front packet leaves by this port
  ClockDomain* domain_;
  Cycle last_tick_ = 0;
  std::uint64_t stall_lanes_ = 0;        // back-pressure cycles not yet in PortState: 12 bits a port
  Mask sent_vcs_ = 0;                    // unicast input VCs that sent in this cycle
  const sc_core::sc_time* delay_times_;  // NocContext's
  int id_ = 0;
  std::uint16_t stall_cycles_ = 0;  // upper bound of a lane
  std::uint8_t sleep_stalls_ = 0;   // ports with a flit ready, while the router sleeps
  std::uint8_t sent_ports_ = 0;     // this cycle
  std::uint8_t routing_cycles_;
  std::uint8_t flit_cycles_;
  bool speculative_;
  MulticastAllocation allocation_;
  std::array<std::uint8_t, kPorts> credit_delay_{};
  std::array<std::uint8_t, kPorts> sw_input_pointer_{};
  std::array<std::uint8_t, kPorts> sw_output_pointer_{};
  std::array<std::uint8_t, kPorts> sw_vc_pointer_{};
  std::array<std::uint8_t, kPacketClasses> class_vcs_{};
  alignas(64) std::array<Slot, kSlots> calendar_{};
  std::array<PortState, kPorts> ports_{};
  std::vector<Packet*> ring_;  // packets of each input VC's FIFO
  unsigned ring_size_;
  std::vector<Branches> branches_;
  std::unique_ptr<mare::TagFilter> filter_;
  Statistics statistics_;
  LooseRouter loose_;
  NocContext& context_;
  NodeId node_;
  Coord at_;
};

}  // namespace meshkv::noc
