#include "models/noc/watchdog.h"

#include <algorithm>
#include <utility>

namespace meshkv::noc {

Watchdog::Watchdog(NocContext& context, std::vector<const Router*> routers,
                   std::vector<const NetworkInterface*> interfaces)
    : context_(context), routers_(std::move(routers)), interfaces_(std::move(interfaces)) {
  context_.watchdog_id = context_.domain.add(*this);
}

std::uint64_t Watchdog::progress() const {
  std::uint64_t moved = 0;
  for (const Router* r : routers_) moved += r->core().flits_sent();
  for (const NetworkInterface* n : interfaces_) {
    for (const std::uint64_t packets : n->statistics().ejected_packets) moved += packets;
    for (int k = 0; k < n->injection_ports(); ++k) moved += n->injection_link(k).flits_sent();
  }
  return moved;
}

/// Something could move: not only packets whose creation lies ahead.
bool Watchdog::under_way(Cycle now) const {
  const int vcs = context_.config.vcs();
  for (const NetworkInterface* n : interfaces_) {
    for (int k = 0; k < n->injection_ports(); ++k)
      if (n->injection_link(k).busy()) return true;
    for (int c = 0; c < kPacketClasses; ++c) {
      const Packet* p = n->queue_front(static_cast<PacketClass>(c));
      if (p != nullptr && p->injected <= now) return true;
    }
    for (int vc = 0; vc < vcs; ++vc)
      if (n->ejection_view(vc).front != nullptr) return true;
  }
  for (const Router* r : routers_)
    for (unsigned p = 0; p < kPorts; ++p)
      for (int vc = 0; vc < vcs; ++vc)
        if (r->core().view(static_cast<Port>(p), vc).packets != 0) return true;
  return false;
}

/// An endpoint has named the cycle in which it will drain: nothing is stuck before.
Cycle Watchdog::next_drain(Cycle now) const {
  Cycle latest = now;
  for (const NetworkInterface* n : interfaces_) {
    for (int vc = 0; vc < context_.config.vcs(); ++vc) {
      const Cycle from = n->ejection_view(vc).drains_from;
      if (from != kNever) latest = std::max(latest, from);
    }
  }
  return latest;
}

/// When the first of the packets that were created ahead of their cycle may leave.
Cycle Watchdog::next_packet() const {
  Cycle next = kNever;
  for (const NetworkInterface* n : interfaces_) {
    for (int c = 0; c < kPacketClasses; ++c) {
      const Packet* p = n->queue_front(static_cast<PacketClass>(c));
      if (p != nullptr) next = std::min(next, p->injected);
    }
  }
  return next;
}

void Watchdog::tick(Cycle now) {
  if (context_.pool.live() == 0 || deadlock_) {
    context_.watchdog_armed = false;
    return;
  }
  const Cycle period = std::max<Cycle>(context_.config.watchdog_cycles, 1);
  const std::uint64_t moved = progress();
  if (moved != last_progress_) {
    last_progress_ = moved;
    moved_at_ = now;
    context_.domain.wake(context_.watchdog_id, now + period);
    return;
  }
  Cycle resumes = next_drain(now);
  if (resumes <= now && !under_way(now)) resumes = next_packet();
  if (resumes == kNever) {
    context_.watchdog_armed = false;
    return;
  }
  if (resumes > now) {
    moved_at_ = resumes;
    context_.domain.wake(context_.watchdog_id, resumes + period);
    return;
  }
  deadlock_ = find_deadlock(context_.config.mesh, routers_, interfaces_);
  deadlock_->at = now;
  deadlock_->still_cycles = now - moved_at_;
  deadlock_->packets = context_.pool.live();
  context_.watchdog_armed = false;
  if (on_deadlock) on_deadlock(*deadlock_);
}

}  // namespace meshkv::noc
