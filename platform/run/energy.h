// Energy (DESIGN section 11): what the modules counted times a table of picojoules. docs/energy.md says where
// the table comes from and what is not in it.
#pragma once

#include <cstdint>
#include <optional>

#include "platform/run_config.h"
#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// Flits of all classes.
struct LinkEvents {
  std::uint64_t mesh_flits = 0;  ///< over router-to-router links
  std::uint64_t injection_flits = 0;
  std::uint64_t ejection_flits = 0;
};

struct TileEvents {
  std::uint64_t sram_written_bytes = 0;
  std::uint64_t sram_read_bytes = 0;
  std::uint64_t lines = 0;  ///< each written into a FIFO of Pad and read from it
  std::uint64_t macs = 0;
  std::uint64_t byte_half_rows = 0;  ///< bytes that come into a KV SRAM, times half rows from memory's edge
};

struct DramEvents {
  std::uint64_t bytes = 0;
  std::uint64_t activations = 0;
};

/// What is absent was not simulated and has no entry in the metrics.
struct EnergyEvents {
  std::optional<LinkEvents> links;
  std::optional<TileEvents> tiles;
  std::optional<DramEvents> hbm, ddr;
};

/// `link_pj`, `router_pj`, `sram_pj`, `memory_wire_pj`, `mac_pj`, `memory_pj` where there are such events;
/// `total_pj` is their sum.
Json energy_metrics(const EnergyTable& table, int flit_bits, const EnergyEvents& events);

}  // namespace meshkv::platform
