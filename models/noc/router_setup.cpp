// Set-up, link accounting, and the views for watchdog and tests: what is not hot.
#include "models/noc/router_core.h"

namespace meshkv::noc {

RouterCore::RouterCore(NocContext& context, NodeId node)
    : domain_(&context.domain),
      id_(context.router_id(node)),
      routing_cycles_(static_cast<std::uint8_t>(context.profile.routing_cycles)),
      flit_cycles_(static_cast<std::uint8_t>(context.profile.flit_cycles)),
      speculative_(context.profile.speculative),
      allocation_(context.config.multicast_allocation),
      delay_times_(context.delay_times()),
      deep_(context.config.vc_depth_flits >= 1 << kUsualPlanes),
      loose_(context, node),
      context_(context),
      node_(node),
      at_(context.coord(node)) {
  const auto depth = static_cast<unsigned>(context.config.vc_depth_flits);
  while (ring_size_ < depth) ring_size_ *= 2;
  ring_.assign(std::size_t{kIndices} * ring_size_, nullptr);
  branches_.resize(kIndices);
  for (unsigned c = 0; c < kPacketClasses; ++c)
    class_vcs_[c] = context.class_vcs(static_cast<PacketClass>(c));
  if (context.config.tag_filter) {
    const NocConfig& c = context.config;
    filter_ = std::make_unique<mare::TagFilter>(
        mare::TagFilterConfig{c.tags, c.bloom_bits, c.bloom_refresh_cycles});
  }
  for (unsigned port = 0; port < kPorts; ++port) {
    inputs_[port].core_ = this;
    inputs_[port].first_ = static_cast<std::uint8_t>(port * kStride);
    outputs_[port].core_ = this;
    outputs_[port].first_ = static_cast<std::uint8_t>(port * kStride);
  }
  domain_->place(id_, *this);
}

void RouterCore::connect_output(Port port, NocFlitIf* next) {
  const auto o = static_cast<unsigned>(port);
  outputs_[o].next_ = next;
  for (int vc = 0; vc < context_.config.vcs(); ++vc) {
    const unsigned out = o * kStride + static_cast<unsigned>(vc);
    free_outputs_ |= bit(out);
    out_vc(out).count = static_cast<std::uint16_t>(context_.config.vc_depth_flits);
  }
}

void RouterCore::connect_input(Port port, NocCreditIf* previous, int credit_delay) {
  const auto p = static_cast<unsigned>(port);
  inputs_[p].previous_ = previous;
  inputs_[p].credit_delay_ = static_cast<std::uint8_t>(credit_delay);
}

/// Moves the lanes to where they do not overflow, and counts `cycles` more.
void RouterCore::flush_stalls(unsigned ports, Cycle cycles) {
  for (unsigned p = 0; p < kPorts; ++p) {
    back_pressure_[p] += stall_lanes_ >> p * PortLanes::kBits & PortLanes::kMost;
    if ((ports >> p & 1U) != 0) back_pressure_[p] += cycles;
  }
  stall_lanes_ = 0;
  stall_cycles_ = 0;
}

void RouterCore::flush_sent() {
  for (unsigned p = 0; p < kPorts; ++p)
    for (unsigned k = 0; k < kFlitKinds; ++k) sent_[p][k] = sent(p, k);
  sent_lanes_.fill(0);
  sent_cycles_ = 0;
}

LinkStatistics RouterCore::link(Port port, Cycle now) const {
  const auto o = static_cast<unsigned>(port);
  LinkStatistics s;
  s.useful = sent(o, static_cast<unsigned>(FlitKind::kUseful));
  s.duplicate = sent(o, static_cast<unsigned>(FlitKind::kDuplicate));
  s.control = sent(o, static_cast<unsigned>(FlitKind::kControl));
  s.back_pressure = back_pressure_[o] + (stall_lanes_ >> o * PortLanes::kBits & PortLanes::kMost);
  if ((sleep_stalls_ >> o & 1U) != 0 && now > last_tick_ + 1) s.back_pressure += now - last_tick_ - 1;
  s += loose_.link(port).statistics();
  return s;
}

std::uint64_t RouterCore::flits_sent() const {
  std::uint64_t sum = 0;
  for (unsigned p = 0; p < kPorts; ++p)
    for (unsigned k = 0; k < kFlitKinds; ++k) sum += sent(p, k);
  return sum + statistics_.suppressed_flits;
}

int RouterCore::credits(Port port, int vc) const {
  return out_vc(static_cast<unsigned>(port) * kStride + static_cast<unsigned>(vc)).count;
}

bool RouterCore::output_free(Port port, int vc) const {
  return (free_outputs_ & bit(static_cast<unsigned>(port) * kStride + static_cast<unsigned>(vc))) != 0;
}

unsigned RouterCore::holder(Port port, int vc) const {
  return out_vc(static_cast<unsigned>(port) * kStride + static_cast<unsigned>(vc)).owner;
}

RouterCore::VcView RouterCore::view(Port port, int vc) const {
  const unsigned i = static_cast<unsigned>(port) * kStride + static_cast<unsigned>(vc);
  const InputVc& v = in_vc(i);
  VcView out;
  out.front = v.front;
  out.occupancy = static_cast<int>(visible(i)) + (v.fresh ? 1 : 0);
  for (const Slot& slot : calendar_) out.occupancy += (slot.flit & bit(i)) != 0 ? 1 : 0;
  out.packets = v.ring_count + (v.front != nullptr ? 1 : 0);
  if ((multi_ & bit(i)) != 0) {
    const Branches& b = branches_[i];
    for (unsigned p = b.bidding | b.blocked | b.active; p != 0; p &= p - 1) {
      const unsigned o = first(p);
      const bool holds = (b.active >> o & 1U) != 0;
      out.branches.push_back({static_cast<Port>(o), holds ? static_cast<int>(b.out[o] % kStride) : -1,
                              (b.credit >> o & 1U) != 0, b.sent[o]});
    }
  } else if ((active_ & bit(i)) != 0) {
    out.branches.push_back({static_cast<Port>(v.out / kStride), static_cast<int>(v.out % kStride),
                            (has_credit_ & bit(i)) != 0, v.front->flits - v.left});
  } else {
    if (((va_wait_ | blocked_) & bit(i)) != 0)
      out.branches.push_back({static_cast<Port>(v.out / kStride), -1, false, 0});
  }
  return out;
}

}  // namespace meshkv::noc
