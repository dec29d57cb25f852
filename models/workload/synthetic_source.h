// What one node of a synthetic run creates and receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/noc/network_interface_module.h"
#include "models/workload/synthetic_config.h"

namespace meshkv::workload {

/// What the sources of a run report to it.
class SyntheticObserver {
 public:
  virtual ~SyntheticObserver() = default;
  /// A packet (kRequestReply: a request) that `copies` destinations will get.
  virtual void created(Cycle at, int flits, int copies) = 0;
  /// A copy has been ejected. `since`: its creation; kRequestReply: that of the request it answers.
  virtual void arrived(const noc::Packet& packet, NodeId here, Cycle since, Cycle at) = 0;
};

/// Creates a node's packets, each when the one before has begun to leave: a source queue without bound that
/// holds one packet. When packets are created does not depend on that.
class SyntheticSource final : public noc::NetworkClient {
 public:
  SyntheticSource(const SyntheticConfig& config, SyntheticObserver& observer, noc::NocContext& context,
                  noc::NetworkInterface& interface);

  /// kReplay: index into SyntheticConfig::packets, in the order of creation.
  void add_replay(std::size_t packet) { replay_.push_back(packet); }
  void start();
  /// No packet is created in this cycle or later.
  void stop_at(Cycle cycle) { stop_ = cycle; }

  bool drains_at_once() const override { return config_.pattern != TrafficPattern::kRequestReply; }
  Cycle on_head(const noc::Packet& packet, Cycle now) override;
  void on_tail(const noc::Packet& packet, Cycle now) override;
  void on_refill(noc::PacketClass packet_class, Cycle now) override;

 private:
  struct Request {
    NodeId from;
    Cycle created;
  };
  std::uint64_t random();
  std::uint64_t below(std::uint64_t n) { return ((random() >> 32) * n) >> 32; }
  Cycle gap();
  NodeId destination();
  void create(noc::PacketClass c, Cycle at, NodeId to, int flits, std::uint64_t user);
  void reply(Cycle now);
  void serve();

  const SyntheticConfig& config_;
  SyntheticObserver& observer_;
  noc::NetworkInterface& interface_;
  std::uint64_t state_;
  double log_miss_ = 0;
  bool never_ = false;
  Cycle next_created_ = 0;
  Cycle stop_ = kNever;
  std::vector<std::size_t> replay_;
  std::size_t next_ = 0;
  std::vector<const noc::MulticastTree*> trees_;
  // kRequestReply
  std::deque<Request> requests_;
  std::vector<const noc::Packet*> refused_;  // in the ejection buffer, not drained
  int held_ = 0;                             // requests taken, replies not yet sent
  bool serving_ = false;
};

}  // namespace meshkv::workload
