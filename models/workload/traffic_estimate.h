// What one decode step must move and compute at least, without simulation: exact KV_DATA flit-hops, the load
// of every port and link, and the time that each resource alone would need (DESIGN section 11, "Bounds"). No
// SystemC.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/common/types.h"
#include "models/takv/placement.h"
#include "models/workload/mapping.h"
#include "models/workload/model_shape.h"
#include "models/workload/segments.h"

namespace meshkv::workload {

struct EstimateConfig {
  int flit_bits = 512;
  /// One tree for each (layer, segment, line group); else one packet stream for each tile that wants it.
  bool multicast = true;
  int central_links = 2;    ///< injection links of a central port of `cent`; every other tile has one
  int macs_per_cycle = 90;  ///< a tile
  double hbm_bytes_per_cycle = 460.8e9 / 300e6;
  double ddr_bytes_per_cycle = 38.56e9 / 300e6;
  bool hbm_column_local = false;                    ///< a home reaches its column's share of the HBM only
  std::function<bool(int layer, int slot)> in_ddr;  ///< blocks that were spilled; empty: none
};

/// Cycles that each resource alone needs: the busiest port, link or tile of a layer, summed over the layers,
/// since these run one after another. A simulated step takes at least tightest().
struct ResourceBounds {
  double injection = 0;
  double ejection = 0;
  double link = 0;       ///< busiest directed router-to-router link
  double bisection = 0;  ///< busiest directed link between columns W/2-1 and W/2
  double mac = 0;
  double hbm = 0;
  double ddr = 0;

  std::vector<std::pair<std::string, double>> named() const;
  std::pair<std::string, double> tightest() const;
  ResourceBounds& operator+=(const ResourceBounds& other);
};

/// KV_DATA only, ideal: no late windows, no duplicates. Flits and bytes of one step, or of its sampled part.
struct TrafficEstimate {
  /// Load by tile or by link; of one layer, or summed over all.
  struct Loads {
    explicit Loads(const MeshShape& mesh);
    std::vector<std::uint64_t> injection;  ///< flits by tile
    std::vector<std::uint64_t> ejection;   ///< flits by tile
    std::vector<std::uint64_t> links;  ///< flits by 4 * node + port: the link that leaves `node` by `port`
    std::vector<std::uint64_t> macs;   ///< multiply-accumulates by tile
    std::vector<std::uint64_t> hbm_bytes;  ///< by column of the home
    std::uint64_t ddr_bytes = 0;
    Loads& operator+=(const Loads& other);
  };
  struct Layer {
    int layer = 0;
    std::uint64_t link_flit_hops = 0;  ///< router-to-router links only
    std::uint64_t flit_hops = 0;       ///< with injection and ejection links
    ResourceBounds bounds;
  };

  explicit TrafficEstimate(const MeshShape& mesh) : loads(mesh) {}

  std::vector<Layer> layers;  ///< in the order of SegmentTable::layers()
  Loads loads;                ///< summed over the layers
  ResourceBounds bounds;
  std::uint64_t link_flit_hops = 0;
  std::uint64_t flit_hops = 0;        ///< `traffic` of DESIGN section 11
  std::uint64_t fetches = 0;          ///< (layer, segment, tile) triples: one KV_FETCH each
  std::uint64_t delivered_flits = 0;  ///< sum of the ejections
  std::uint64_t bisection_east = 0;   ///< flits that cross from column W/2-1 to W/2
  std::uint64_t bisection_west = 0;
};

/// Every needed (layer, segment) goes once to each tile that computes one of its heads; streams that use it
/// are merged there. Exact enumeration, in which segments with equal home and tiles are counted together.
TrafficEstimate estimate_traffic(const MeshShape& mesh, const takv::Placement& placement,
                                 const Mapping& mapping, const DecodeConfig& decode,
                                 const SegmentTable& segments, const EstimateConfig& config);

}  // namespace meshkv::workload
