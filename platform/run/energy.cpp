#include "platform/run/energy.h"

namespace meshkv::platform {
namespace {

double wires(const EnergyTable& t, int flit_bits, const LinkEvents& e) {
  const double mm = static_cast<double>(e.mesh_flits) * t.link_mm +
                    static_cast<double>(e.injection_flits + e.ejection_flits) * t.local_link_mm;
  return mm * flit_bits * t.wire_pj_per_bit_mm;
}

/// Each flit that comes into a router is written into a FIFO, and read once for each link that it leaves by.
double router_buffers(const EnergyTable& t, int flit_bits, const LinkEvents& e) {
  const auto written = e.injection_flits + e.mesh_flits;
  const auto read = e.mesh_flits + e.ejection_flits;
  return static_cast<double>(written + read) * flit_bits * t.buffer_pj_per_bit;
}

double tile_memories(const EnergyTable& t, int flit_bits, const TileEvents& e) {
  return static_cast<double>(e.sram_written_bytes + e.sram_read_bytes) * 8 * t.sram_pj_per_bit +
         static_cast<double>(2 * e.lines) * flit_bits * t.buffer_pj_per_bit;
}

/// From the edge of the chip where memory is to the tiles, along the columns: half a row into the first one.
double memory_wires(const EnergyTable& t, const TileEvents& e) {
  return static_cast<double>(e.byte_half_rows) * 8 * t.link_mm / 2 * t.wire_pj_per_bit_mm;
}

double dram(double pj_per_bit, double activation_pj, const DramEvents& e) {
  return static_cast<double>(e.bytes) * 8 * pj_per_bit + static_cast<double>(e.activations) * activation_pj;
}

}  // namespace

Json energy_metrics(const EnergyTable& t, int flit_bits, const EnergyEvents& events) {
  Json parts = Json::object();
  if (events.links) {
    parts["link_pj"] = wires(t, flit_bits, *events.links);
    parts["router_pj"] = router_buffers(t, flit_bits, *events.links);
  }
  if (events.tiles) {
    parts["sram_pj"] = tile_memories(t, flit_bits, *events.tiles);
    parts["memory_wire_pj"] = memory_wires(t, *events.tiles);
    parts["mac_pj"] = static_cast<double>(events.tiles->macs) * t.mac_pj;
  }
  if (events.hbm || events.ddr)
    parts["memory_pj"] = dram(t.hbm_pj_per_bit, t.hbm_activation_pj, events.hbm.value_or(DramEvents{})) +
                         dram(t.ddr_pj_per_bit, t.ddr_activation_pj, events.ddr.value_or(DramEvents{}));
  double total = 0;
  for (const Json& part : parts) total += part.get<double>();
  parts["total_pj"] = total;
  return parts;
}

}  // namespace meshkv::platform
