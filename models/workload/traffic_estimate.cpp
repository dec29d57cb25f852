#include "models/workload/traffic_estimate.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "models/noc/multicast_tree.h"

namespace meshkv::workload {
namespace {

using Loads = TrafficEstimate::Loads;

constexpr Port kCardinal[] = {Port::kEast, Port::kWest, Port::kSouth, Port::kNorth};

std::size_t link_index(NodeId node, Port port) {
  return std::size_t{4} * node + static_cast<std::size_t>(port);
}

template <typename T>
double largest(const std::vector<T>& v) {
  return v.empty() ? 0.0 : static_cast<double>(*std::max_element(v.begin(), v.end()));
}

void add_to(std::vector<std::uint64_t>& sum, const std::vector<std::uint64_t>& other) {
  std::transform(sum.begin(), sum.end(), other.begin(), sum.begin(), std::plus<>());
}

/// Segments of one layer with the same home and the same tiles.
struct Pattern {
  std::uint64_t segments = 0;
  std::uint64_t slice_flits = 0;    // of one line group, summed over the segments
  std::uint64_t token_streams = 0;  // tokens x streams, summed over the segments
};

/// home, then the tile of each KV head.
using PatternKey = std::vector<NodeId>;

class Enumeration {
 public:
  Enumeration(const MeshShape& mesh, const takv::Placement& placement, const Mapping& mapping,
              const DecodeConfig& decode, const EstimateConfig& config)
      : mesh_(mesh),
        placement_(placement),
        mapping_(mapping),
        decode_(decode),
        config_(config),
        trees_(mesh),
        injection_links_(static_cast<std::size_t>(mesh.nodes()), 1) {
    for (const NodeId n : placement.central_ports()) injection_links_[n] = config.central_links;
  }

  void add_layer(int layer, const std::vector<NeededSegment>& needed, TrafficEstimate& total);

 private:
  void add_group(const PatternKey& key, const Pattern& pattern, std::size_t first, std::size_t last,
                 Loads& loads);
  void add_tree(NodeId root, std::vector<NodeId> tiles, std::uint64_t flits, Loads& loads);
  ResourceBounds bounds(const Loads& loads) const;

  const MeshShape& mesh_;
  const takv::Placement& placement_;
  const Mapping& mapping_;
  const DecodeConfig& decode_;
  const EstimateConfig& config_;
  noc::TreeCache trees_;
  std::vector<int> injection_links_;
};

void Enumeration::add_tree(NodeId root, std::vector<NodeId> tiles, std::uint64_t flits, Loads& loads) {
  const noc::MulticastTree* tree = trees_.get(root, std::move(tiles));
  loads.injection[root] += flits;
  for (const NodeId t : tree->destinations()) loads.ejection[t] += flits;
  int left = tree->links();
  for (NodeId n = 0; left > 0; ++n) {
    const std::uint8_t out = tree->out_ports(n);
    if (out == 0) continue;
    for (const Port p : kCardinal) {
      if ((out & port_bit(p)) == 0) continue;
      loads.links[link_index(n, p)] += flits;
      --left;
    }
  }
}

void Enumeration::add_group(const PatternKey& key, const Pattern& pattern, std::size_t first,
                            std::size_t last, Loads& loads) {
  const NodeId home = key[0];
  std::vector<NodeId> tiles(key.begin() + 1 + static_cast<std::ptrdiff_t>(first),
                            key.begin() + 1 + static_cast<std::ptrdiff_t>(last));
  std::sort(tiles.begin(), tiles.end());
  tiles.erase(std::unique(tiles.begin(), tiles.end()), tiles.end());
  if (config_.multicast) {
    add_tree(home, std::move(tiles), pattern.slice_flits, loads);
  } else {
    for (const NodeId t : tiles) add_tree(home, {t}, pattern.slice_flits, loads);
  }
}

ResourceBounds Enumeration::bounds(const Loads& loads) const {
  ResourceBounds b;
  for (std::size_t n = 0; n < loads.injection.size(); ++n)
    b.injection = std::max(b.injection, static_cast<double>(loads.injection[n]) / injection_links_[n]);
  b.ejection = largest(loads.ejection);
  b.link = largest(loads.links);
  for (int y = 0; y < mesh_.height; ++y) {
    const auto east = loads.links[link_index(mesh_.node({mesh_.width / 2 - 1, y}), Port::kEast)];
    const auto west = loads.links[link_index(mesh_.node({mesh_.width / 2, y}), Port::kWest)];
    b.bisection = std::max({b.bisection, static_cast<double>(east), static_cast<double>(west)});
  }
  b.mac = largest(loads.macs) / config_.macs_per_cycle;
  const auto hbm = std::accumulate(loads.hbm_bytes.begin(), loads.hbm_bytes.end(), std::uint64_t{0});
  b.hbm = (config_.hbm_column_local ? largest(loads.hbm_bytes) * mesh_.width : static_cast<double>(hbm)) /
          config_.hbm_bytes_per_cycle;
  b.ddr = static_cast<double>(loads.ddr_bytes) / config_.ddr_bytes_per_cycle;
  return b;
}

void Enumeration::add_layer(int layer, const std::vector<NeededSegment>& needed, TrafficEstimate& total) {
  const auto heads = static_cast<std::size_t>(decode_.model.kv_heads);
  const auto line_heads = static_cast<std::size_t>(decode_.layout.heads_per_line);
  const auto groups = static_cast<std::uint64_t>(line_groups(decode_.model, decode_.layout));
  const auto flit_bytes = static_cast<std::uint64_t>(config_.flit_bits) / 8;
  Loads loads(mesh_);
  std::map<PatternKey, Pattern> patterns;
  PatternKey key(heads + 1);
  for (const NeededSegment& s : needed) {
    key[0] = placement_.home(layer, s.slot);
    for (std::size_t h = 0; h < heads; ++h) key[h + 1] = mapping_.tile(layer, s.slot, static_cast<int>(h));
    const auto flits =
        static_cast<std::uint64_t>(slice_flits(decode_.model, decode_.layout, config_.flit_bits, s.tokens));
    Pattern& p = patterns[key];
    ++p.segments;
    p.slice_flits += flits;
    p.token_streams += static_cast<std::uint64_t>(s.tokens) * static_cast<std::uint64_t>(s.streams);
    const std::uint64_t bytes = flits * groups * flit_bytes;
    if (config_.in_ddr && config_.in_ddr(layer, s.slot))
      loads.ddr_bytes += bytes;
    else
      loads.hbm_bytes[static_cast<std::size_t>(mesh_.coord(key[0]).x)] += bytes;
  }
  // q.K and p.V: two multiply-accumulates an element, for each query head of the KV head.
  const auto macs_per_token = 2 * static_cast<std::uint64_t>(decode_.model.head_dim) *
                              static_cast<std::uint64_t>(decode_.model.group_size());
  for (const auto& [where, pattern] : patterns) {
    for (std::size_t h = 0; h < heads; h += line_heads)
      add_group(where, pattern, h, std::min(h + line_heads, heads), loads);
    for (std::size_t h = 0; h < heads; ++h)
      loads.macs[where[h + 1]] += pattern.token_streams * macs_per_token;
    std::vector<NodeId> tiles(where.begin() + 1, where.end());
    std::sort(tiles.begin(), tiles.end());
    const auto distinct = std::unique(tiles.begin(), tiles.end()) - tiles.begin();
    total.fetches += pattern.segments * static_cast<std::uint64_t>(distinct);
  }

  TrafficEstimate::Layer result;
  result.layer = layer;
  result.link_flit_hops = std::accumulate(loads.links.begin(), loads.links.end(), std::uint64_t{0});
  result.flit_hops = std::accumulate(loads.injection.begin(), loads.injection.end(), result.link_flit_hops);
  result.flit_hops = std::accumulate(loads.ejection.begin(), loads.ejection.end(), result.flit_hops);
  result.bounds = bounds(loads);
  total.loads += loads;
  total.layers.push_back(result);
}

}  // namespace

std::vector<std::pair<std::string, double>> ResourceBounds::named() const {
  return {{"injection", injection},
          {"ejection", ejection},
          {"link", link},
          {"bisection", bisection},
          {"mac", mac},
          {"hbm", hbm},
          {"ddr", ddr}};
}

std::pair<std::string, double> ResourceBounds::tightest() const {
  const auto all = named();
  return *std::max_element(all.begin(), all.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
}

ResourceBounds& ResourceBounds::operator+=(const ResourceBounds& other) {
  injection += other.injection;
  ejection += other.ejection;
  link += other.link;
  bisection += other.bisection;
  mac += other.mac;
  hbm += other.hbm;
  ddr += other.ddr;
  return *this;
}

TrafficEstimate::Loads::Loads(const MeshShape& mesh)
    : injection(static_cast<std::size_t>(mesh.nodes()), 0),
      ejection(injection),
      links(injection.size() * 4, 0),
      macs(injection),
      hbm_bytes(static_cast<std::size_t>(mesh.width), 0) {}

TrafficEstimate::Loads& TrafficEstimate::Loads::operator+=(const Loads& other) {
  add_to(injection, other.injection);
  add_to(ejection, other.ejection);
  add_to(links, other.links);
  add_to(macs, other.macs);
  add_to(hbm_bytes, other.hbm_bytes);
  ddr_bytes += other.ddr_bytes;
  return *this;
}

TrafficEstimate estimate_traffic(const MeshShape& mesh, const takv::Placement& placement,
                                 const Mapping& mapping, const DecodeConfig& decode,
                                 const SegmentTable& segments, const EstimateConfig& config) {
  TrafficEstimate total(mesh);
  Enumeration enumeration(mesh, placement, mapping, decode, config);
  for (const int layer : segments.layers()) enumeration.add_layer(layer, segments.needed(layer), total);
  for (const auto& layer : total.layers) {
    total.link_flit_hops += layer.link_flit_hops;
    total.flit_hops += layer.flit_hops;
    total.bounds += layer.bounds;
  }
  const auto& ejection = total.loads.ejection;
  total.delivered_flits = std::accumulate(ejection.begin(), ejection.end(), std::uint64_t{0});
  for (int y = 0; y < mesh.height; ++y) {
    total.bisection_east += total.loads.links[link_index(mesh.node({mesh.width / 2 - 1, y}), Port::kEast)];
    total.bisection_west += total.loads.links[link_index(mesh.node({mesh.width / 2, y}), Port::kWest)];
  }
  return total;
}

}  // namespace meshkv::workload
