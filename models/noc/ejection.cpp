// The ejection side of a network interface. The client is asked once a packet's head is at the front of its
// VC's buffer; from the cycle that it names, one flit a cycle and VC is drained and its credit goes home.
#include <algorithm>

#include "models/noc/network_interface_module.h"

namespace meshkv::noc {

/// Credits are announced at most so many cycles ahead of their use.
constexpr Cycle kCreditHorizon = 7;

tlm::tlm_sync_enum NetworkInterface::nb_transport_fw(Packet& packet, NocPhase& phase,
                                                     sc_core::sc_time& delay) {
  const Cycle arrival = phase.at;
  const auto c = static_cast<unsigned>(packet.packet_class);
  ++statistics_.ejected_flits[c];
  if (drains_at_once_) {
    if (phase.tail) {
      ++statistics_.ejected_packets[c];
      client_->on_tail(packet, arrival);
      context_.pool.drop_copy(&packet);
    }
    phase.kind = NocPhase::kCredit;
    phase.at += static_cast<Cycle>(context_.profile.credit_cycles);
    delay += credit_time_;
    return tlm::TLM_UPDATED;
  }
  EjectionVc& v = vcs_[phase.vc];
  if (phase.head) {
    const unsigned slot = (v.packet_first + v.packet_count) & ring_mask_;
    v.packets[slot] = &packet;
    v.heads[slot] = arrival;
    if (v.packet_count++ == 0) {
      v.undrained = packet.flits;
      v.head_due = arrival;
      wake_at(arrival);
    }
  }
  if (v.packet_count != 1 || v.next_drain == kNever) {
    v.flits[(v.flit_first + v.flit_count++) & ring_mask_] = arrival;
    return tlm::TLM_ACCEPTED;
  }
  drain_flit(v, arrival);
  return_credits(phase.vc, v, context_.domain.now());
  return tlm::TLM_ACCEPTED;
}

/// Gives the next flit of the front packet its cycle.
void NetworkInterface::drain_flit(EjectionVc& v, Cycle arrival) {
  const Cycle drained = std::max(v.next_drain, arrival);
  v.next_drain = drained + 1;
  v.credits[(v.credit_first + v.credit_count++) & ring_mask_] = drained;
  if (--v.undrained == 0) {
    v.tail_due = drained;
    wake_at(drained);
  }
}

void NetworkInterface::return_credits(unsigned vc, EjectionVc& v, Cycle now) {
  const auto loop = static_cast<Cycle>(context_.profile.credit_cycles);
  while (v.credit_count != 0) {
    const Cycle usable_at = v.credits[v.credit_first & ring_mask_] + loop;
    if (usable_at > now + kCreditHorizon) {
      wake_at(usable_at - kCreditHorizon);
      return;
    }
    ++v.credit_first;
    --v.credit_count;
    NocPhase phase;
    phase.kind = NocPhase::kCredit;
    phase.vc = static_cast<std::uint8_t>(vc);
    phase.at = usable_at;
    sc_core::sc_time delay = context_.domain.period() * static_cast<double>(usable_at - now);
    router_->nb_transport_bw(*v.packets[v.packet_first & ring_mask_], phase, delay);
  }
}

void NetworkInterface::ask_client(EjectionVc& v, Cycle now) {
  v.head_due = kNever;
  const Cycle from = client_->on_head(*v.packets[v.packet_first & ring_mask_], now);
  if (from != kNever) begin_drain(v, std::max(from, now));
}

void NetworkInterface::drain(const Packet& packet, Cycle from) {
  const Cycle present = context_.domain.now();
  for (unsigned vc = 0; vc < vcs_.size(); ++vc) {
    EjectionVc& v = vcs_[vc];
    if (v.packet_count == 0 || v.packets[v.packet_first & ring_mask_] != &packet) continue;
    if (v.head_due != kNever || v.next_drain != kNever) break;
    begin_drain(v, std::max(from, present + 1));
    wake_at(v.drain_from);
    return;
  }
  SC_REPORT_FATAL(name(), "drain() of a packet that does not wait for it");
}

void NetworkInterface::begin_drain(EjectionVc& v, Cycle from) {
  v.drain_from = from;
  v.next_drain = from;
  while (v.undrained != 0 && v.flit_count != 0) {
    const Cycle arrival = v.flits[v.flit_first & ring_mask_];
    ++v.flit_first;
    --v.flit_count;
    drain_flit(v, arrival);
  }
}

void NetworkInterface::finish(EjectionVc& v, Cycle now) {
  v.tail_due = kNever;
  Packet* packet = v.packets[v.packet_first & ring_mask_];
  ++v.packet_first;
  v.next_drain = kNever;
  v.drain_from = kNever;
  if (--v.packet_count != 0) {
    const unsigned slot = v.packet_first & ring_mask_;
    v.undrained = v.packets[slot]->flits;
    v.head_due = std::max(v.heads[slot], now + 1);
    wake_at(v.head_due);
  }
  ++statistics_.ejected_packets[static_cast<unsigned>(packet->packet_class)];
  client_->on_tail(*packet, now);
  context_.pool.drop_copy(packet);
}

void NetworkInterface::eject(Cycle now) {
  for (unsigned vc = 0; vc < vcs_.size(); ++vc) {
    EjectionVc& v = vcs_[vc];
    if (v.head_due <= now) ask_client(v, now);
    if (v.credit_count != 0) return_credits(vc, v, now);
    if (v.tail_due <= now) finish(v, now);
  }
}

NetworkInterface::EjectionView NetworkInterface::ejection_view(int vc) const {
  const EjectionVc& v = vcs_[static_cast<unsigned>(vc)];
  EjectionView view;
  view.packets = static_cast<int>(v.packet_count);
  if (v.packet_count != 0) view.front = v.packets[v.packet_first & ring_mask_];
  view.drains_from = v.drain_from;
  return view;
}

}  // namespace meshkv::noc
