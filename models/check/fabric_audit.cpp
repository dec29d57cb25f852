#include "models/check/fabric_audit.h"

#include <algorithm>
#include <sstream>

#include "models/data/data_plane.h"
#include "models/mare/data_kinds.h"

namespace meshkv::check {

using noc::LinkId;
using noc::Packet;
using noc::PacketClass;

FabricAudit::FabricAudit(const workload::DecodePlan& plan, int packet_flits,
                         std::function<std::string(const LinkId&)> link_name)
    : plan_(plan),
      packet_flits_(static_cast<std::uint32_t>(packet_flits)),
      link_name_(std::move(link_name)),
      words_((static_cast<std::size_t>(plan.mesh().nodes()) * (kPorts + 1) + 63) / 64) {}

void FabricAudit::begin_layer(int layer) {
  layer_ = layer;
  const auto count = static_cast<std::size_t>(plan_.slots()) * static_cast<std::size_t>(plan_.groups());
  slices_.clear();
  slices_.resize(count);
  closed_.assign(count, 0);
}

/// Injection, the XY path, ejection: visit() returns false to stop.
template <typename Visit>
void FabricAudit::for_each_link(NodeId from, NodeId to, Visit visit) const {
  if (!visit(LinkId{from, LinkId::kInjection})) return;
  for (NodeId at = from;;) {
    const Port port = xy_route(plan_.mesh(), at, to);
    if (!visit(LinkId{at, static_cast<std::uint8_t>(port)})) return;
    if (port == Port::kTile) return;
    at = plan_.mesh().neighbour(at, port);
  }
}

FabricAudit::Slice& FabricAudit::slice(std::uint32_t segment, int group) {
  const std::size_t index = index_of(segment, group);
  auto& slice = slices_[index];
  if (slice != nullptr) return *slice;
  slice = std::make_unique<Slice>();
  const int line = plan_.decode().layout.heads_per_line;
  const NodeId home = plan_.home(layer_, segment);
  slice->ways.assign(words_, 0);
  for (int h = group * line; h < std::min((group + 1) * line, plan_.decode().model.kv_heads); ++h) {
    const NodeId tile = plan_.mapping().tile(layer_, static_cast<int>(segment), h);
    if (std::find(slice->tiles.begin(), slice->tiles.end(), tile) != slice->tiles.end()) continue;
    slice->tiles.push_back(tile);
    slice->needed.push_back(tile);
    for_each_link(home, tile, [&](const LinkId& link) {
      slice->ways[bit_of(link) / 64] |= std::uint64_t{1} << bit_of(link) % 64;
      return true;
    });
  }
  if (closed_[index] != 0) slice->tiles.clear();  // a late second copy
  const std::uint32_t flits = plan_.slice_size(plan_.tokens_of(layer_, segment)).flits;
  slice->packets = (flits + packet_flits_ - 1) / packet_flits_;
  slice->seen.assign(slice->needed.size() * slice->packets * words_, 0);
  return *slice;
}

void FabricAudit::close(NodeId tile, std::uint32_t segment, int group) {
  Slice& s = slice(segment, group);
  s.tiles.erase(std::remove(s.tiles.begin(), s.tiles.end(), tile), s.tiles.end());
  if (!s.tiles.empty()) return;
  const std::size_t index = index_of(segment, group);
  closed_[index] = 1;
  slices_[index].reset();
}

NodeId FabricAudit::destination_of(const Packet& packet) const {
  if (packet.packet_class == PacketClass::kKvFetch || mare::is_write(packet))
    return plan_.home(packet.key.layer, packet.key.segment);
  return plan_.mapping().reduce_root(packet.key.layer, packet.key.group / plan_.decode().model.group_size());
}

bool FabricAudit::on_way(const Packet& packet, const LinkId& link) {
  if (mare::is_lines(packet)) {
    const std::size_t bit = bit_of(link);
    return (slice(packet.key.segment, packet.key.group).ways[bit / 64] >> bit % 64 & 1) != 0;
  }
  bool found = false;
  for_each_link(packet.source, destination_of(packet), [&](const LinkId& way) {
    found = way == link;
    return !found;
  });
  return found;
}

void FabricAudit::crossed(const LinkId& link, const Packet& packet, unsigned flits) {
  // What still drains of a layer that has ended was vouched for by its barrier; appends and swaps come after
  // it.
  if (!intact() || (packet.key.layer != layer_ && !mare::is_write(packet))) return;
  const bool lines = mare::is_lines(packet);
  if (lines && plan_.layer(layer_).index_of_slot[packet.key.segment] < 0) return;  // a step ago it was needed
  if (!on_way(packet, link)) {
    report("misrouted: " + describe(packet) + ": this link is on the way to nobody who asked for it", link);
    return;
  }
  if (flits != packet.flits) {
    report("lost flits: " + describe(packet) + ": " + std::to_string(packet.flits - flits) + " of its " +
               std::to_string(packet.flits) + " flits are missing at the end of this link",
           link);
    return;
  }
  if (!lines) return;
  Slice& s = slice(packet.key.segment, packet.key.group);
  const std::size_t bit = bit_of(link);
  const std::uint32_t end =
      std::min(s.packets, packet.key.index + (packet.flits + packet_flits_ - 1) / packet_flits_);
  // A copy of a tree serves whoever lies behind the link, a unicast packet its destination alone.
  for (std::size_t t = 0; t < s.needed.size(); ++t) {
    if (packet.tree == nullptr && packet.destination != s.needed[t]) continue;
    for (std::uint32_t i = packet.key.index; i < end; ++i)
      s.seen_of(t, i, words_)[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
}

void FabricAudit::out_of_order(const LinkId& link, const Packet& packet) {
  if (!intact()) return;
  report("lost flits: " + describe(packet) + ": its head or its last flit is missing at the end of this link",
         link);
}

std::string FabricAudit::describe(const Packet& packet) const {
  std::ostringstream out;
  const auto& key = packet.key;
  switch (packet.packet_class) {
    case PacketClass::kKvData:
      if (mare::is_append(packet))
        out << "new token of layer " << key.layer << ", segment " << key.segment << ", KV head "
            << key.index - mare::kAppendIndex;
      else if (mare::is_move(packet))
        out << "swapped block of layer " << key.layer << ", segment " << key.segment << ", packet "
            << key.index - mare::kMoveIndex;
      else
        out << describe(key.segment, key.group, kNoNode) << ", packet " << key.index;
      break;
    case PacketClass::kKvFetch:
      out << "KV_FETCH of layer " << key.layer << ", segment " << key.segment << " by tile " << packet.source;
      break;
    case PacketClass::kPart:
      out << "PART of layer " << key.layer << ", stream " << key.segment << ", head " << key.group
          << " from tile " << packet.source;
      break;
  }
  return out.str();
}

/// `tile`: whose heads; kNoNode: all of the line.
std::string FabricAudit::describe(std::uint32_t segment, int group, NodeId tile) const {
  const int line = plan_.decode().layout.heads_per_line;
  mare::HeadMask heads;
  for (int h = group * line; h < std::min((group + 1) * line, plan_.decode().model.kv_heads); ++h)
    if (tile == kNoNode || plan_.mapping().tile(layer_, static_cast<int>(segment), h) == tile)
      heads.set(static_cast<std::size_t>(h));
  return "step " + std::to_string(plan_.step()) + ", layer " + std::to_string(layer_) + ", segment " +
         std::to_string(segment) + ", " + data::heads_text(heads, group, line);
}

void FabricAudit::report(const std::string& what, const LinkId& link) {
  violation_ = what + "; first wrong hop: " + link_name_(link);
  if (on_violation) on_violation();
}

std::string FabricAudit::first_gap() const {
  for (std::size_t index = 0; index < slices_.size(); ++index) {
    Slice* s = slices_[index].get();
    if (s == nullptr) continue;
    const auto segment = static_cast<std::uint32_t>(index / static_cast<std::size_t>(plan_.groups()));
    const int group = static_cast<int>(index % static_cast<std::size_t>(plan_.groups()));
    for (const NodeId tile : s->tiles) {
      const auto place =
          static_cast<std::size_t>(std::find(s->needed.begin(), s->needed.end(), tile) - s->needed.begin());
      for (std::uint32_t packet = 0; packet < s->packets; ++packet) {
        LinkId gap;
        bool any = false;
        for_each_link(plan_.home(layer_, segment), tile, [&](const LinkId& link) {
          const std::size_t bit = bit_of(link);
          if ((s->seen_of(place, packet, words_)[bit / 64] >> bit % 64 & 1) != 0) {
            any = true;
            return true;
          }
          gap = link;
          return false;
        });
        // What no link has seen waits for something else that is missing.
        if (gap.node == kNoNode || !any) continue;
        return "lost data: " + describe(segment, group, tile) + ", packet " + std::to_string(packet) +
               " for tile " + std::to_string(tile) + " did not get on; first wrong hop: " + link_name_(gap);
      }
    }
  }
  return {};
}

}  // namespace meshkv::check
