#include "models/noc/injection_link.h"

namespace meshkv::noc {

InjectionLink::InjectionLink(const char* name, NocContext& context, int wake_id)
    : context_(&context), wake_id_(wake_id), socket(name) {
  socket.bind(static_cast<NocBackwardIf&>(*this));
  delay_ = context.domain.period() * context.profile.inject_cycles;
  for (int vc = 0; vc < context.config.vcs(); ++vc)
    vcs_[static_cast<unsigned>(vc)].count = static_cast<std::uint16_t>(context.config.vc_depth_flits);
  // The first packet of a class takes the lowest VC that the class may use.
  last_vc_.fill(7);
}

void InjectionLink::cache_interface() {
  if (socket.get_base_port().size() == 0) return;
  next_ = socket.get_base_port()[0];
  loose_.next = socket.get_base_port()[0];
}

/// Gives the first packet of class `c` a VC with room, the next one in turn after the last that was used.
bool InjectionLink::take(SourceQueues& queues, unsigned c, Cycle now) {
  Packet* p = queues.of[c].front();
  const unsigned allowed = context_->class_vcs(static_cast<PacketClass>(c)) & ~unsigned{busy_vcs_};
  const unsigned above = allowed & (0xfeU << last_vc_[c]);
  for (unsigned pass : {above, allowed & ~above}) {
    for (unsigned m = pass; m != 0; m &= m - 1) {
      const auto vc = static_cast<unsigned>(__builtin_ctz(m));
      if (vcs_[vc].usable(now) <= 0) continue;
      queues.pop(c);
      p->injected = now;
      current_[c] = {p, p->flits, static_cast<std::uint8_t>(vc), static_cast<std::uint8_t>(flit_kind(*p))};
      last_vc_[c] = static_cast<std::uint8_t>(vc);
      busy_vcs_ = static_cast<std::uint8_t>(busy_vcs_ | 1U << vc);
      sending_ = static_cast<std::uint8_t>(sending_ | 1U << c);
      return true;
    }
  }
  return false;
}

void InjectionLink::transmit(unsigned c, Cycle now) {
  Current& cur = current_[c];
  NocPhase phase;
  phase.vc = cur.vc;
  phase.head = !cur.head_sent;
  cur.head_sent = true;
  phase.tail = cur.left == 1;
  phase.at = now + static_cast<Cycle>(context_->profile.inject_cycles);
  sc_core::sc_time delay = delay_;
  --vcs_[cur.vc].count;
  ++sent_[cur.kind];
  Packet& packet = *cur.packet;
  if (--cur.left == 0) {
    busy_vcs_ = static_cast<std::uint8_t>(busy_vcs_ & ~(1U << cur.vc));
    sending_ = static_cast<std::uint8_t>(sending_ & ~(1U << c));
    cur.packet = nullptr;
  }
  if (next_->nb_transport_fw(packet, phase, delay) == tlm::TLM_UPDATED) vcs_[phase.vc].give_back(phase.at);
}

Cycle InjectionLink::step(SourceQueues& queues, Cycle now, unsigned& popped) {
  if (stalled_) statistics_.back_pressure += now - last_step_ - 1;
  last_step_ = now;
  stalled_ = false;
  starved_ = false;
  Cycle later = kNever;
  bool ready = false;
  // Classes in turn, after the one that sent last.
  unsigned rest = sending_ | queues.waiting;
  for (unsigned above = rest & (0xfeU << last_class_); rest != 0; above = 0) {
    for (unsigned pass = above != 0 ? above : rest; pass != 0; pass &= pass - 1) {
      const auto c = static_cast<unsigned>(__builtin_ctz(pass));
      rest &= ~(1U << c);
      if ((sending_ >> c & 1U) != 0) {
        ready = true;
        if (vcs_[current_[c].vc].usable(now) <= 0) continue;
      } else {
        const Cycle from = queues.of[c].front()->injected;
        if (from > now) {
          if (from < later) later = from;
          continue;
        }
        ready = true;
        if (!take(queues, c, now)) continue;
        popped |= 1U << c;
      }
      last_class_ = static_cast<std::uint8_t>(c);
      transmit(c, now);
      return (sending_ | queues.waiting) != 0 ? now + 1 : kNever;
    }
  }
  if (!ready) return later;
  stalled_ = true;
  ++statistics_.back_pressure;
  // Credits may be on their way already.
  for (const CreditCounter& vc : vcs_)
    if (vc.last > now) return now + 1;
  starved_ = true;
  return later;
}

tlm::tlm_sync_enum InjectionLink::nb_transport_bw(Packet&, NocPhase& phase, sc_core::sc_time&) {
  vcs_[phase.vc].give_back(phase.at);
  if (starved_) context_->domain.wake(wake_id_, phase.at);
  return tlm::TLM_ACCEPTED;
}

LinkStatistics InjectionLink::statistics(Cycle now) const {
  LinkStatistics s = statistics_;
  s.useful = sent_[static_cast<unsigned>(FlitKind::kUseful)];
  s.duplicate = sent_[static_cast<unsigned>(FlitKind::kDuplicate)];
  s.control = sent_[static_cast<unsigned>(FlitKind::kControl)];
  if (stalled_ && now > last_step_ + 1) s.back_pressure += now - last_step_ - 1;
  s += loose_.statistics();
  return s;
}

}  // namespace meshkv::noc
