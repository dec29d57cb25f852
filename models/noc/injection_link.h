// The link from a network interface into a router: per-VC credits, round robin over the classes by flit.
#pragma once

#include <array>
#include <cstdint>

#include "models/noc/credit_counter.h"
#include "models/noc/link_statistics.h"
#include "models/noc/loose_link.h"
#include "models/noc/noc_context.h"
#include "models/noc/noc_protocol.h"

namespace meshkv::noc {

/// Packets of one class that wait for an injection link, oldest first; linked through Packet::next.
class SourceQueue {
 public:
  void push(Packet* p) {
    p->next = nullptr;
    (head_ == nullptr ? head_ : tail_->next) = p;
    tail_ = p;
    ++size_;
  }
  Packet* pop() {
    Packet* p = head_;
    head_ = p->next;
    p->next = nullptr;
    --size_;
    return p;
  }
  Packet* front() const { return head_; }
  int size() const { return size_; }

 private:
  Packet* head_ = nullptr;
  Packet* tail_ = nullptr;
  int size_ = 0;
};

struct SourceQueues {
  std::array<SourceQueue, kPacketClasses> of;
  unsigned waiting = 0;  ///< classes (bits) with packets
  void push(Packet* p) {
    const auto c = static_cast<unsigned>(p->packet_class);
    of[c].push(p);
    waiting |= 1U << c;
  }
  Packet* pop(unsigned c) {
    Packet* p = of[c].pop();
    if (of[c].front() == nullptr) waiting &= ~(1U << c);
    return p;
  }
};

class alignas(64) InjectionLink final : public NocBackwardIf {
  // First what every flit touches.
  NocContext* context_;
  NocFlitIf* next_ = nullptr;
  sc_core::sc_time delay_;
  Cycle last_step_ = 0;
  int wake_id_;
  std::uint8_t busy_vcs_ = 0;  // VCs whose packet has not left whole
  std::uint8_t sending_ = 0;   // classes in current_
  std::uint8_t last_class_ = 0;
  bool starved_ = false;  // waits for a credit or a VC
  bool stalled_ = false;  // a flit was ready in last_step_ and none left
  std::array<std::uint8_t, kPacketClasses> last_vc_{};
  std::array<CreditCounter, 8> vcs_{};

 public:
  NocInitiatorSocket socket;

  /// `wake_id`: the interface's id in the domain.
  InjectionLink(const char* name, NocContext& context, int wake_id);

  /// Sends at most one flit in cycle `now`. Returns the first cycle in which it may be able to send another
  /// one, or kNever: until a credit or a packet comes. `popped`: classes (bits) whose queue lost a packet.
  Cycle step(SourceQueues& queues, Cycle now, unsigned& popped);
  tlm::tlm_sync_enum nb_transport_bw(Packet& packet, NocPhase& phase, sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  void cache_interface();
  LooseLink& loose() { return loose_; }

  /// The link from the interface to the router, all cycles before `now`.
  LinkStatistics statistics(Cycle now) const;
  int credits(int vc) const { return vcs_[static_cast<unsigned>(vc)].count; }
  std::uint64_t flits_sent() const { return sent_[0] + sent_[1] + sent_[2]; }
  bool busy() const { return sending_ != 0; }
  /// A packet that has begun to leave, or null; for the deadlock report.
  const Packet* current(PacketClass c) const { return current_[static_cast<unsigned>(c)].packet; }
  int current_vc(PacketClass c) const { return current_[static_cast<unsigned>(c)].vc; }

 private:
  struct Current {
    Packet* packet = nullptr;
    std::uint16_t left = 0;
    std::uint8_t vc = 0;
    std::uint8_t kind = 0;
    bool head_sent = false;
  };
  bool take(SourceQueues& queues, unsigned c, Cycle now);
  void transmit(unsigned c, Cycle now);

  std::array<Current, kPacketClasses> current_{};
  std::array<std::uint64_t, kFlitKinds> sent_{};
  LinkStatistics statistics_;  // back_pressure only
  LooseLink loose_;
};

}  // namespace meshkv::noc
