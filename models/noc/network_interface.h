// Between a tile and its router: source queues per class, injection with per-VC credits, ejection with
// back-pressure.
#pragma once

#include "models/common/types.h"
#include "models/noc/packet.h"

namespace meshkv::noc {

/// What a tile gives to its network interface. In `at` the calls come in the cycle that they name. In `lt`
/// they come from within a b_transport, and name cycles that may lie ahead of the kernel's time (temporal
/// decoupling): a client keeps to the cycles that it is given and uses ClockDomain::wake for what it must do
/// later.
class NetworkClient {
 public:
  virtual ~NetworkClient() = default;

  /// The head of a packet is in the ejection buffer. Returns the first cycle (>= now) from which the client
  /// drains the packet at one flit a cycle; until then the flits keep their credits (back-pressure into the
  /// mesh). `at` only: kNever if that depends on something else; then the client calls
  /// NetworkAccess::drain().
  virtual Cycle on_head(const Packet& packet, Cycle now) = 0;
  /// The last flit has been drained at `now`. `packet` is valid during the call only.
  virtual void on_tail(const Packet& packet, Cycle now) = 0;
  /// `at` only. The source queue of `packet_class` has room for another packet: the client may call send().
  /// Only called after want_refill(packet_class); lets a home choose its next packet late (interleaving is
  /// the home's policy).
  virtual void on_refill(PacketClass packet_class, Cycle now) = 0;
  /// True for a sink that never holds a flit back. Then on_head() is not called, and on_tail() comes ahead of
  /// time, once the cycle that it names is certain: cheaper by two calls a packet. Must not change.
  virtual bool drains_at_once() const { return false; }
};

/// What a network interface gives to its tile.
class NetworkAccess {
 public:
  virtual ~NetworkAccess() = default;
  /// A packet from the pool, fields reset, `id` set.
  virtual Packet* allocate() = 0;
  /// Appends to the unbounded source queue of the packet's class (unicast: tree == nullptr). Sets created to
  /// `now`, which may lie ahead of the domain's cycle, and live_copies. The head leaves at the earliest in
  /// cycle `now`, or in the next cycle if the domain has reached `now`. In `lt`: carries the packet to its
  /// destinations at once by b_transport, with annotated delays.
  virtual void send(Packet* packet, Cycle now) = 0;
  /// `lt` only. As send(), for a chunk of up to a few hundred flits of one KV_DATA slice (`key.index` is the
  /// first packet of the chunk). Returns the cycle in which to call
  /// for the next chunk, so that the injection port is not idle in between.
  virtual Cycle transfer(Packet* chunk, Cycle earliest) = 0;
  /// Packets in the source queue of a class, not counting the one whose flits are leaving.
  virtual int queued(PacketClass packet_class) const = 0;
  /// `at` only. Calls on_refill once when queued(packet_class) < 1 (at once is allowed: from within this
  /// call).
  virtual void want_refill(PacketClass packet_class) = 0;
  /// `at` only. The packet for which on_head() returned kNever is drained from cycle `from` on (the next
  /// cycle at the earliest).
  virtual void drain(const Packet& /*packet*/, Cycle /*from*/) {}
  /// Injection links of this interface: 1, or 2 at a `cent` corner with an extra memory port on an unused
  /// edge.
  virtual int injection_ports() const = 0;
};

}  // namespace meshkv::noc
