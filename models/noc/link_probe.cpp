#include "models/noc/link_probe.h"

namespace meshkv::noc {

LinkProbe::LinkProbe(sc_core::sc_module_name name, NocContext& context, LinkId link, LinkMonitor& monitor)
    : sc_module(name), in("in"), out("out"), context_(context), link_(link), monitor_(monitor) {
  in.bind(static_cast<NocForwardIf&>(*this));
  out.bind(static_cast<NocBackwardIf&>(*this));
}

void LinkProbe::end_of_elaboration() {
  next_ = dynamic_cast<NocForwardIf*>(out.get_base_port()[0]);
  previous_ = dynamic_cast<NocBackwardIf*>(in.get_base_port()[0]);
}

bool LinkProbe::begins_faulty(const Packet& packet) {
  return packet.packet_class == PacketClass::kKvData && passed_++ == fault_.packet &&
         fault_.kind != LinkFault::Kind::kNone;
}

/// The packet with another header, as a packet of its own: other copies of a multicast are not hit.
Packet* LinkProbe::corrupted(const Packet& packet) {
  Packet* other = context_.pool.allocate();
  const std::uint64_t id = other->id;
  *other = packet;
  if (other->payload != nullptr) intrusive_ptr_add_ref(other->payload);
  other->id = id;
  other->next = nullptr;
  other->tree = nullptr;
  other->destination = fault_.to;
  other->live_copies = 1;
  return other;
}

void LinkProbe::watch(const Packet& packet, const NocPhase& phase) {
  Vc& vc = vcs_[phase.vc];
  if (phase.head == (vc.packet != nullptr) || (!phase.head && vc.packet != &packet)) {
    monitor_.out_of_order(link_, phase.head && vc.packet != nullptr ? *vc.packet : packet);
    return;
  }
  if (phase.head) vc = {&packet, 0};
  ++vc.flits;
  if (!phase.tail) return;
  monitor_.crossed(link_, packet, vc.flits);
  vc = {};
}

tlm::tlm_sync_enum LinkProbe::nb_transport_fw(Packet& packet, NocPhase& phase, sc_core::sc_time& delay) {
  Packet* carried = &packet;
  if (phase.head) {
    if (on_head) on_head(packet);
    if (begins_faulty(packet)) {
      broken_ = &packet;
      flit_ = 0;
      if (fault_.kind == LinkFault::Kind::kMisroute) replacement_ = corrupted(packet);
    }
  }
  if (broken_ == &packet) {
    const bool lost = fault_.kind == LinkFault::Kind::kLoseFlit && flit_++ == fault_.flit;
    if (replacement_ != nullptr) carried = replacement_;
    if (phase.tail) {
      broken_ = nullptr;
      if (replacement_ != nullptr) context_.pool.drop_copy(&packet);
      replacement_ = nullptr;
    }
    if (lost) return tlm::TLM_ACCEPTED;
  }
  watch(*carried, phase);
  if (!monitor_.intact()) return tlm::TLM_ACCEPTED;
  return next_->nb_transport_fw(*carried, phase, delay);
}

tlm::tlm_sync_enum LinkProbe::nb_transport_bw(Packet& packet, NocPhase& phase, sc_core::sc_time& delay) {
  return previous_->nb_transport_bw(packet, phase, delay);
}

void LinkProbe::b_transport(Packet& packet, sc_core::sc_time& delay) {
  Packet* carried = &packet;
  if (on_head) on_head(packet);
  if (begins_faulty(packet)) {
    if (fault_.kind == LinkFault::Kind::kLoseFlit) {
      context_.pool.drop_copy(&packet);
      return;
    }
    carried = corrupted(packet);
    context_.pool.drop_copy(&packet);
  }
  monitor_.crossed(link_, *carried, carried->flits);
  if (!monitor_.intact()) {
    context_.pool.drop_copy(carried);
    return;
  }
  next_->b_transport(*carried, delay);
}

}  // namespace meshkv::noc
