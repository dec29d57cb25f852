// The router's rules and state, without SystemC sockets: an input-buffered virtual-channel router with
// separable input-first round-robin allocators, per-VC credits and non-atomic VC reuse (DESIGN section 3;
// the pipeline is NocContext::profile). RouterPort modules own the sockets; the calls go to Input and Output
// here.
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
#include "models/noc/router_watch.h"

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

  /// The packet at the front of an input VC's FIFO, and how many wait behind it.
  struct InputVc {
    Packet* front = nullptr;
    std::uint16_t left = 0;      // flits of the front packet that have not left the FIFO
    std::uint8_t out = 0;        // output VC; before VC allocation, 8 * output port
    std::uint8_t state = 0;      // of the front packet: FlitKind, kHeadNext, kMulti, class
    std::uint8_t ring_head = 0;  // packets behind the front
    std::uint8_t ring_count = 0;
    std::uint8_t va_pointer = 0;  // round robin over the output VCs to bid for
    bool fresh = false;           // the front's head came into an empty FIFO and is not in visible_ yet
  };
  static_assert(sizeof(InputVc) == 16, "VN0's two and what goes with them in a cache line");
  static constexpr unsigned kKindBits = 3;
  static constexpr unsigned kHeadNext = 4;  // the front packet's head has not left
  static constexpr unsigned kMulti = 8;     // front packet is in branches_
  static constexpr unsigned kClassShift = 4;

  /// What a port module's sockets are bound to: the port's VCs in each direction, which take the calls
  /// themselves, so that a flit or a credit touches no line of the module. VN0's are in the first line, those
  /// of VN1 in the second.
  class alignas(64) Input final : public NocForwardIf {
   public:
    /// at: a flit from the neighbour.
    tlm::tlm_sync_enum nb_transport_fw(Packet& packet, NocPhase& phase, sc_core::sc_time& delay) override;
    /// lt: a whole packet or chunk from the neighbour.
    void b_transport(Packet& packet, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(Packet&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(Packet&) override { return 0; }

   private:
    friend class RouterCore;
    RouterCore* core_ = nullptr;
    NocCreditIf* previous_ = nullptr;  // takes the input's credits
    std::uint8_t first_ = 0;           // index of VC 0
    std::uint8_t credit_delay_ = 0;
    std::array<InputVc, kStride> in_{};
  };
  class alignas(64) Output final : public NocBackwardIf {
   public:
    /// at: a credit from the neighbour.
    tlm::tlm_sync_enum nb_transport_bw(Packet& packet, NocPhase& phase, sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

   private:
    friend class RouterCore;
    /// A slot of VC `vc` behind the output may be used from cycle `usable_at` on.
    void receive_credit(unsigned vc, Cycle usable_at);
    RouterCore* core_ = nullptr;
    NocFlitIf* next_ = nullptr;  // takes the output's flits
    std::uint8_t first_ = 0;     // index of VC 0
    std::array<CreditCounter, kStride> out_{};
  };
  Input& input(Port port) { return inputs_[static_cast<unsigned>(port)]; }
  Output& output(Port port) { return outputs_[static_cast<unsigned>(port)]; }

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
  /// Fault on demand: the tag filter (if there is one) believes that this router has forwarded the payload.
  void pretend_forwarded(const Packet& packet, Cycle now) {
    if (filter_ != nullptr) filter_->record(packet.key, packet.tree, packet.destination, node_, now);
  }
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
  /// All VCs and links at once, as the begin of cycle `now` finds them.
  void watch(Cycle now, RouterWatch& watch) const;
  int credits(Port port, int vc) const;
  bool output_free(Port port, int vc) const;
  /// Input VC that holds an output VC, only where !output_free().
  unsigned holder(Port port, int vc) const;
  bool connected(Port port) const { return outputs_[static_cast<unsigned>(port)].next_ != nullptr; }
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
    Mask flit = 0;    // input VCs in which one more flit gets visible
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
  /// Ports (bytes) with more than one VC in `vcs`: some bit of theirs.
  static Mask crowded(Mask vcs) {
    constexpr Mask kLows = 0x0101010101010101U;
    constexpr Mask kHighs = kLows << (kStride - 1);
    const Mask low = vcs & ~kHighs;
    return (low & ((low | kHighs) - kLows)) | ((low + ~kHighs) & vcs & kHighs);
  }
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
  void receive_head(unsigned i, Packet* packet, Cycle visible_at);
  void take_credits(Mask outputs);
  void begin_bids(Mask routed, Cycle now);
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
  void allocate_switch_unicast(Mask ready, Cycle now);
  unsigned choose_unicast(unsigned port, unsigned candidates) const;

  // router_multicast.cpp
  void begin_branches(unsigned i, std::uint8_t ports);
  void grant_branch(unsigned i, unsigned out, Cycle now);
  int visible_flits(unsigned i) const;
  Mask ready_multi();
  void send_branch(unsigned i, unsigned port, Cycle now);
  Mask send_lockstep(Mask multi, Cycle now);
  void settle_branches(Cycle now);
  void free_slot(unsigned i, Cycle now);
  unsigned waiting_branches() const;

  // router_statistics.cpp
  /// Ports for which some flit of the input VCs `waiting` (unicast) or of a tree packet is ready.
  unsigned stalled_ports(Mask waiting) const {
    unsigned ports = multi_ == 0 ? 0 : waiting_branches();
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
  void count_sent(unsigned port, unsigned kind) {
    sent_lanes_[kind] += std::uint64_t{1} << port * PortLanes::kBits;
  }
  void flush_sent();
  std::uint64_t sent(unsigned port, unsigned kind) const {
    return sent_[port][kind] + (sent_lanes_[kind] >> port * PortLanes::kBits & PortLanes::kMost);
  }

  InputVc& in_vc(unsigned i) { return inputs_[i / kStride].in_[i % kStride]; }
  const InputVc& in_vc(unsigned i) const { return inputs_[i / kStride].in_[i % kStride]; }
  CreditCounter& out_vc(unsigned o) { return outputs_[o / kStride].out_[o % kStride]; }
  const CreditCounter& out_vc(unsigned o) const { return outputs_[o / kStride].out_[o % kStride]; }

  /// Visible flits of each input VC: a number of kPlanes bits, bit k of VC i being bit i of visible_[k]. All
  /// are counted up or down in one go, without a branch.
  static constexpr unsigned kPlanes = 7;       // FIFOs of 64 flits
  static constexpr unsigned kUsualPlanes = 4;  // of at most 15
  /// Counts `up` up and `down` down; a VC in both stays.
  void count_visible(Mask up, Mask down) {
    Mask toggle = up ^ down;
#pragma GCC unroll 4
    for (unsigned k = 0; k < kUsualPlanes; ++k) {
      const Mask plane = visible_[k];
      visible_[k] = plane ^ toggle;
      toggle &= plane ^ down;  // what carries or borrows
    }
    if (toggle != 0) count_visible_above(toggle, down);
  }
  void count_visible_above(Mask toggle, Mask down);
  Mask visible_above() const {
    return visible_above_[0] | visible_above_[1] | visible_above_[2];
  }
  /// Of VC `i`, without the flit that has left in this cycle.
  unsigned visible(unsigned i) const {
    unsigned n = 0;
    for (unsigned k = 0; k < kUsualPlanes; ++k) n |= static_cast<unsigned>(visible_[k] >> i & 1U) << k;
    if (deep_)
      for (unsigned k = 0; k < visible_above_.size(); ++k)
        n |= static_cast<unsigned>(visible_above_[k] >> i & 1U) << (kUsualPlanes + k);
    return n - static_cast<unsigned>(left_vcs_ >> i & 1U);
  }

  // A flit-hop costs what it misses in the cache, so what is used together lies together: the lines that each
  // tick touches, the calendar, and a line a port and direction for the VCs of VN0, the next one for VN1.
  Mask va_wait_ = 0;     // input VCs that bid for an output VC
  Mask blocked_ = 0;     // input VCs that wait for an output VC to be freed
  Mask active_ = 0;      // unicast front packet holds an output VC
  Mask has_credit_ = 0;  // and has room downstream
  Mask free_outputs_ = 0;
  Mask multi_ = 0;       // front packet branches
  Mask multi_live_ = 0;  // of those: may be able to send
  std::array<Mask, kUsualPlanes> visible_{};
  ClockDomain* domain_;
  int id_;
  std::uint8_t routing_cycles_;
  std::uint8_t flit_cycles_;
  bool speculative_;
  MulticastAllocation allocation_;
  Mask several_ = 0;                 // this cycle: VCs with more than one visible flit
  Mask left_vcs_ = 0;                // last tick: VCs that a flit left, not yet counted in visible_
  std::array<Mask, kPorts> want_{};  // input VCs whose front packet leaves by this port
  std::array<std::uint64_t, kFlitKinds> sent_lanes_{};  // flits not yet in sent_: 12 bits a port
  std::uint64_t stall_lanes_ = 0;  // back-pressure cycles not yet in back_pressure_: 12 bits a port
  Cycle last_tick_ = 0;
  const sc_core::sc_time* delay_times_;  // NocContext's
  std::uint16_t stall_cycles_ = 0;       // upper bound of a lane
  std::uint16_t sent_cycles_ = 0;
  std::uint8_t sleep_stalls_ = 0;  // ports with a flit ready, while the router sleeps
  std::uint8_t sent_ports_ = 0;    // this cycle
  bool deep_;                      // the FIFOs need all of kPlanes
  std::array<std::uint8_t, kPorts> sw_input_pointer_{};
  std::array<std::uint8_t, kPorts> sw_output_pointer_{};
  std::array<std::uint8_t, kPorts> sw_vc_pointer_{};
  std::array<std::uint8_t, kPacketClasses> class_vcs_{};
  alignas(64) std::array<Slot, kSlots> calendar_{};
  std::array<Input, kPorts> inputs_{};
  std::array<Output, kPorts> outputs_{};
  std::array<std::array<std::uint64_t, kFlitKinds>, kPorts> sent_{};
  std::array<std::uint64_t, kPorts> back_pressure_{};
  std::array<Mask, kPlanes - kUsualPlanes> visible_above_{};
  std::vector<Packet*> ring_;  // packets of each input VC's FIFO
  unsigned ring_size_ = 1;
  std::vector<Branches> branches_;
  std::unique_ptr<mare::TagFilter> filter_;
  Statistics statistics_;
  LooseRouter loose_;
  NocContext& context_;
  NodeId node_;
  Coord at_;
};

inline void RouterCore::Output::receive_credit(unsigned vc, Cycle usable_at) {
  CreditCounter& c = out_[vc];
  c.give_back(usable_at);
  // With credits left nobody starves for this one. With the output VC free, whoever gets it will look.
  if (c.count == 1 && (core_->free_outputs_ & bit(first_ + vc)) == 0)
    core_->schedule(&Slot::credit, bit(first_ + vc), usable_at);
}

}  // namespace meshkv::noc
