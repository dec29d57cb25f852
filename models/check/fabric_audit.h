// Follows every packet over every link and says where it first went wrong: a link that is not on the way to
// anybody who asked, flits missing at the end of a packet, or the link that a payload never crossed. It knows
// what must travel from the plan alone, and nothing of trees, headers and filters.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/common/types.h"
#include "models/noc/link_probe.h"
#include "models/workload/decode_plan.h"

namespace meshkv::check {

class FabricAudit : public noc::LinkMonitor {
 public:
  /// `link_name`: what messages call a link. `packet_flits`: of a full KV_DATA packet.
  FabricAudit(const workload::DecodePlan& plan, int packet_flits,
              std::function<std::string(const noc::LinkId&)> link_name);

  void begin_layer(int layer);
  /// The tile has all of the slice. What no tile waits for any more is forgotten.
  void close(NodeId tile, std::uint32_t segment, int group);

  void crossed(const noc::LinkId& link, const noc::Packet& packet, unsigned flits) override;
  void out_of_order(const noc::LinkId& link, const noc::Packet& packet) override;
  bool intact() const override { return violation_.empty(); }

  /// What went wrong first, in words; empty if nothing did.
  const std::string& violation() const { return violation_; }
  /// After a run that came to an end, or to a halt, with payloads missing: the first of them, and the first
  /// link on its way that it did not cross. Empty if all that anybody waits for has come.
  std::string first_gap() const;
  /// Called once, at the first violation.
  std::function<void()> on_violation;

 private:
  struct Slice {
    std::vector<NodeId> tiles;        ///< that need it and do not have all of it
    std::vector<std::uint64_t> ways;  ///< links on the way to them, a bit each
    std::vector<NodeId> needed;       ///< all tiles that need it
    std::vector<std::uint64_t> seen;  ///< by needed tile and packet: links that its copy has crossed
    std::uint32_t packets = 0;

    std::uint64_t* seen_of(std::size_t tile, std::uint32_t packet, std::size_t words) {
      return &seen[(tile * packets + packet) * words];
    }
  };
  std::size_t index_of(std::uint32_t segment, int group) const {
    return std::size_t{segment} * static_cast<std::size_t>(plan_.groups()) + static_cast<std::size_t>(group);
  }
  std::size_t bit_of(const noc::LinkId& link) const {
    return std::size_t{link.node} * (kPorts + 1) + link.port;
  }
  template <typename Visit>
  void for_each_link(NodeId from, NodeId to, Visit visit) const;
  Slice& slice(std::uint32_t segment, int group);
  bool on_way(const noc::Packet& packet, const noc::LinkId& link);
  NodeId destination_of(const noc::Packet& packet) const;
  std::string describe(const noc::Packet& packet) const;
  std::string describe(std::uint32_t segment, int group, NodeId tile) const;
  void report(const std::string& what, const noc::LinkId& link);

  const workload::DecodePlan& plan_;
  std::uint32_t packet_flits_;
  std::function<std::string(const noc::LinkId&)> link_name_;
  std::size_t words_;
  int layer_ = -1;
  std::vector<std::unique_ptr<Slice>> slices_;  ///< by segment and group; made when first needed
  std::vector<std::uint8_t> closed_;            ///< by segment and group: nobody waits for it any more
  std::string violation_;
};

}  // namespace meshkv::check
