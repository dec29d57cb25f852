#include "platform/chip/decode_metrics.h"

#include "platform/chip/sample_metrics.h"
#include "platform/chip/storage_metrics.h"
#include "platform/run/energy.h"

#include <algorithm>

namespace meshkv::platform {

namespace {

constexpr Port kCardinals[] = {Port::kEast, Port::kWest, Port::kSouth, Port::kNorth};

double ratio(double a, double b) {
  return b == 0 ? 0.0 : a / b;
}

struct LinkSums {
  noc::LinkStatistics mesh;  ///< router-to-router links
  noc::LinkStatistics injection;
  noc::LinkStatistics ejection;
};

LinkSums sum_links(const Chip& chip, Cycle now) {
  LinkSums sums;
  for (const auto& tile : chip.tiles) {
    for (Port p : kCardinals) {
      if (chip.plan.mesh().neighbour(tile->node(), p) != kNoNode)
        sums.mesh += tile->router.port(p).statistics(now);
    }
    sums.ejection += tile->router.port(Port::kTile).statistics(now);
    for (int k = 0; k < tile->network_interface.injection_ports(); ++k) {
      sums.injection += tile->network_interface.injection_statistics(k, now);
    }
  }
  return sums;
}

Json class_counts(const noc::LinkStatistics& s) {
  return {{"kv_data_useful", s.useful},
          {"kv_data_duplicate", s.duplicate},
          {"control", s.control},
          {"back_pressure_cycles", s.back_pressure}};
}

Json noc_metrics(const Chip& chip, Cycle end, const LinkSums& sums) {
  Json noc;
  noc["traffic"] = sums.mesh.kv_data() + sums.injection.kv_data() + sums.ejection.kv_data();
  noc["flit_hops"] = sums.mesh.flits() + sums.injection.flits() + sums.ejection.flits();
  noc["kv_data_link_flit_hops"] = sums.mesh.kv_data();
  noc["links"] = class_counts(sums.mesh);
  noc["injection"] = class_counts(sums.injection);
  noc["ejection"] = class_counts(sums.ejection);
  noc["avg_hops"] =
      ratio(static_cast<double>(sums.mesh.flits()), static_cast<double>(sums.injection.flits()));
  noc["accepted_flits_per_node_cycle"] =
      ratio(static_cast<double>(sums.ejection.flits()), static_cast<double>(end) * chip.plan.mesh().nodes());
  return noc;
}

// Both directions of the links between columns W/2-1 and W/2, over [first KV_FETCH, last PART) = [0, end).
Json bisection_metrics(const Chip& chip, Cycle end) {
  const MeshShape& mesh = chip.plan.mesh();
  noc::LinkStatistics sum;
  const int left = mesh.width / 2 - 1;
  for (int y = 0; y < mesh.height; ++y) {
    sum += chip.tiles[mesh.node({left, y})]->router.port(Port::kEast).statistics(end);
    sum += chip.tiles[mesh.node({left + 1, y})]->router.port(Port::kWest).statistics(end);
  }
  const double cycles = static_cast<double>(end) * 2 * mesh.height;
  Json b;
  b["useful"] = ratio(static_cast<double>(sum.useful), cycles);
  b["back_pressure"] = ratio(static_cast<double>(sum.back_pressure), cycles);
  b["other"] = 1.0 - b["useful"].get<double>() - b["back_pressure"].get<double>();
  b["duplicate"] = ratio(static_cast<double>(sum.duplicate), cycles);
  b["control"] = ratio(static_cast<double>(sum.control), cycles);
  b["link_cycles"] = cycles;
  return b;
}

Json mare_metrics(const Chip& chip) {
  mare::HomeStatistics sum;
  mare::AppendStatistics appends;
  std::uint64_t dropped = 0;
  for (const auto& tile : chip.tiles) {
    const mare::HomeStatistics& s = tile->home.statistics();
    sum.fetches += s.fetches;
    sum.coalesced += s.coalesced;
    sum.accompanied += s.accompanied;
    sum.late_joined += s.late_joined;
    sum.windows += s.windows;
    sum.flits_sent += s.flits_sent;
    sum.flit_copies += s.flit_copies;
    sum.replayed_flits += s.replayed_flits;
    sum.restreamed_flits += s.restreamed_flits;
    sum.join_saved_flits += s.join_saved_flits;
    appends.tokens += tile->appends.statistics().tokens;
    appends.written_bytes += tile->appends.statistics().written_bytes;
    dropped += tile->router.core().statistics().suppressed_flits;
  }
  const std::uint64_t filtered = chip.scoreboard.statistics().filtered;
  Json m;
  m["fetches"] = sum.fetches;
  m["coalesced"] = sum.coalesced;
  m["coalesced_fraction"] = ratio(static_cast<double>(sum.coalesced), static_cast<double>(sum.fetches));
  m["accompanied_fraction"] = ratio(static_cast<double>(sum.accompanied), static_cast<double>(sum.fetches));
  m["windows"] = sum.windows;
  m["late_joined"] = sum.late_joined;
  m["mean_fanout"] = ratio(static_cast<double>(sum.flit_copies), static_cast<double>(sum.flits_sent));
  m["duplicates_suppressed"] = sum.join_saved_flits + dropped;
  m["duplicates_suppressed_at_home"] = sum.join_saved_flits;
  m["duplicates_suppressed_in_routers"] = dropped;
  m["duplicates_filtered_at_tiles"] = filtered;
  m["replayed_flits"] = sum.replayed_flits;
  m["appended_rows"] = appends.tokens;
  m["appended_bytes"] = appends.written_bytes;
  m["restreamed_flits"] = sum.restreamed_flits;
  return m;
}

Json takv_metrics(const Chip& chip) {
  const takv::SwapStatistics& s = chip.swaps->statistics();
  const double spread = chip.swaps->sample().spread();
  return {{"swaps", s.swaps},
          {"moved_bytes", chip.swaps->moved_bytes()},
          {"swap_cycles", s.cycles},
          {"moved_blocks", chip.plan.homes().entries()},
          {"occupancy_spread_before", s.occupancy_before == 0 ? spread : s.occupancy_before},
          {"occupancy_spread", spread},
          {"sum_of_squares_before", s.squares_before},
          {"sum_of_squares_after", s.squares_after}};
}

Json pad_metrics(const Chip& chip) {
  pad::PadStatistics sum;
  pad::MacStatistics macs;
  for (const auto& tile : chip.tiles) {
    const pad::PadStatistics& s = tile->pad.statistics();
    sum.fetches += s.fetches;
    sum.fetch_latency += s.fetch_latency;
    sum.segments += s.segments;
    sum.parts += s.parts;
    sum.credit_stall_cycles += s.credit_stall_cycles;
    const pad::MacStatistics& m = tile->pad.mac_statistics();
    macs.lines += m.lines;
    macs.macs += m.macs;
    macs.busy_cycles += m.busy_cycles;
    macs.non_empty_cycles += m.non_empty_cycles;
  }
  Json p;
  p["mac_utilisation"] =
      ratio(static_cast<double>(macs.busy_cycles), static_cast<double>(macs.non_empty_cycles));
  p["macs"] = macs.macs;
  p["lines"] = macs.lines;
  p["segments"] = sum.segments;
  p["mean_fetch_cycles"] = sum.fetch_latency.mean();
  p["p50_fetch_cycles"] = sum.fetch_latency.percentile(0.50);
  p["p95_fetch_cycles"] = sum.fetch_latency.percentile(0.95);
  p["p99_fetch_cycles"] = sum.fetch_latency.percentile(0.99);
  p["max_fetch_cycles"] = sum.fetch_latency.max();
  p["credit_stall_cycles"] = sum.credit_stall_cycles;
  p["parts"] = sum.parts;
  return p;
}

/// How the controllers of one kind used their channels; `name` is "hbm" or "ddr".
void add_tier(Json& m, const std::string& name, const memory::TierReport& r) {
  if (r.bytes == 0) return;
  m[name + "_row_hit_rate"] = r.row_hit_rate;
  m[name + "_activations"] = r.activations;
  m[name + "_refresh_share"] = r.refresh_share;
  m[name + "_mean_latency_ns"] = r.latency.mean() * r.clock_ns;
  m[name + "_p99_latency_ns"] = static_cast<double>(r.latency.percentile(0.99)) * r.clock_ns;
  if (r.busy_gbs <= 0) return;  // lt knows no queues
  m[name + "_busy_bandwidth_fraction"] = ratio(r.busy_gbs, r.peak_gbs);
  m[name + "_queue_bursts"] = r.queue_bursts;
}

Json memory_metrics(const RunConfig& config, const Chip& chip, Cycle end) {
  const std::uint64_t hbm = chip.memory->hbm_bytes_moved();
  const std::uint64_t ddr = chip.memory->ddr_bytes_moved();
  memory::KvSram::Statistics sram;
  std::uint64_t memory_stalls = 0;
  for (const auto& tile : chip.tiles) {
    const auto& s = tile->kv_sram.statistics();
    sram.fills += s.fills;
    sram.fill_bytes += s.fill_bytes;
    sram.read_bytes += s.read_bytes;
    sram.evictions += s.evictions;
    sram.unread_evictions += s.unread_evictions;
    sram.bank_conflicts += s.bank_conflicts;
    memory_stalls += tile->home.statistics().stall_memory_picks;
  }
  const double seconds = static_cast<double>(end) / (config.clock_mhz * 1e6);
  Json m;
  m["hbm_bytes"] = hbm;
  m["ddr_bytes"] = ddr;
  m["hbm_bandwidth_fraction"] = ratio(static_cast<double>(hbm) / seconds, config.memory.hbm_gbs * 1e9);
  m["ddr_bandwidth_fraction"] = ratio(static_cast<double>(ddr) / seconds, config.memory.ddr_gbs * 1e9);
  m["resident_hbm_bytes"] = chip.map.hbm_bytes();
  m["resident_ddr_bytes"] = chip.map.ddr_bytes();
  m["sram_fills"] = sram.fills;
  m["sram_written_bytes"] = sram.fill_bytes;
  m["sram_read_bytes"] = sram.read_bytes;
  m["sram_evictions_unread"] = sram.unread_evictions;
  m["sram_bank_conflicts"] = sram.bank_conflicts;
  m["port_waits_for_memory"] = memory_stalls;
  const sc_core::sc_time elapsed(seconds, sc_core::SC_SEC);
  m["report"] = Json::array();
  for (const memory::Tier tier : {memory::Tier::kHbm, memory::Tier::kDdr}) {
    add_tier(m, tier == memory::Tier::kHbm ? "hbm" : "ddr", chip.memory->report(tier, elapsed));
    const std::string line = chip.memory->report_line(tier, elapsed);
    if (!line.empty()) m["report"].push_back(line);
  }
  return m;
}

EnergyEvents energy_events(const Chip& chip, Cycle end, const LinkSums& links) {
  EnergyEvents events;
  events.links = LinkEvents{links.mesh.flits(), links.injection.flits(), links.ejection.flits()};
  TileEvents& tiles = events.tiles.emplace();
  for (const auto& tile : chip.tiles) {
    const std::uint64_t filled = tile->kv_sram.statistics().fill_bytes;
    tiles.sram_written_bytes += filled;
    tiles.byte_half_rows +=
        filled * static_cast<std::uint64_t>(2 * chip.plan.mesh().coord(tile->node()).y + 1);
    tiles.sram_read_bytes += tile->kv_sram.statistics().read_bytes;
    tiles.lines += tile->pad.mac_statistics().lines;
    tiles.macs += tile->pad.mac_statistics().macs;
  }
  const sc_core::sc_time elapsed = chip.clock.to_time(end);
  const memory::TierReport hbm = chip.memory->report(memory::Tier::kHbm, elapsed);
  const memory::TierReport ddr = chip.memory->report(memory::Tier::kDdr, elapsed);
  events.hbm = DramEvents{hbm.bytes, hbm.activations};
  events.ddr = DramEvents{ddr.bytes, ddr.activations};
  return events;
}

Json energy_part(const RunConfig& config, const Chip& chip, Cycle end, const LinkSums& links) {
  Json energy = energy_metrics(config.energy, config.noc.flit_bits, energy_events(chip, end, links));
  if (!config.decode.sampled())
    energy["pj_per_token"] = energy["total_pj"].get<double>() / (config.decode.streams * config.decode.steps);
  return energy;
}

Json scoreboard_metrics(const Chip& chip) {
  const ScoreboardStatistics& s = chip.scoreboard.statistics();
  return {{"requested", s.requested},   {"delivered", s.delivered},       {"lost", s.lost},
          {"duplicated", s.duplicated}, {"misdelivered", s.misdelivered}, {"filtered", s.filtered},
          {"checksum", s.checksum}};
}

Json error_figures(const data::ErrorFigures& f) {
  const double count = static_cast<double>(f.numbers);
  return {{"max_abs_error", f.max_abs_error},
          {"mean_abs_error", ratio(f.sum_abs_error, count)},
          {"bound", f.bound},
          {"max_error_over_bound", f.max_error_over_bound},
          {"max_format_error", f.max_format_error},
          {"mean_format_error", ratio(f.sum_format_error, count)},
          {"order", f.order},
          {"bits", f.bits}};
}

Json data_metrics(const data::OutputCheck& outputs) {
  constexpr std::size_t kMostHeads = 1024;
  const data::ErrorFigures total = outputs.total();
  Json d = error_figures(total);
  d["numbers"] = total.numbers;
  d["heads"] = Json::array();
  for (const auto& [head, figures] : outputs.heads()) {
    if (d["heads"].size() == kMostHeads) break;
    Json one{{"stream", head.first}, {"head", head.second}};
    one.update(error_figures(figures));
    d["heads"].push_back(one);
  }
  d["heads_left_out"] = outputs.heads().size() - d["heads"].size();
  return d;
}

/// By step, from the barrier before it on: what it waits for, appends of the step before and swaps, is its
/// own.
Json step_cycles(const Chip& chip, Cycle end) {
  Json steps = Json::array();
  const auto& times = chip.coordinator.layer_times();
  const std::size_t layers = chip.plan.layers().size();
  for (std::size_t first = 0; first < times.size(); first += layers) {
    const Cycle to = first + layers < times.size() ? times[first + layers].begin : end;
    steps.push_back(to - times[first].begin);
  }
  return steps;
}

Json decode_part(const RunConfig& config, const Chip& chip, Cycle end) {
  Json d;
  const double per_step = static_cast<double>(end) / config.decode.steps;
  if (!config.decode.sampled()) {
    const double seconds = per_step / (config.clock_mhz * 1e6);
    d["cycles_per_step"] = per_step;
    d["tokens_per_second"] = ratio(config.decode.streams, seconds);
    d["latency_us"] = seconds * 1e6;
  } else {
    d["sample"] = sample_metrics(config, chip, end);
  }
  Json layers = Json::array();
  for (const auto& t : chip.coordinator.layer_times()) layers.push_back(t.end - t.begin);
  d["layer_cycles"] = layers;
  d["step_cycles"] = step_cycles(chip, end);
  return d;
}

/// What the columns' firmware did, and what its work costs.
Json controller_metrics(const Chip& chip, Cycle end) {
  controller::CoreStatistics cores;
  std::uint64_t descriptors = 0, prefetches = 0, repeated = 0, refused = 0, words = 0, accesses = 0,
                errors = 0;
  Cycle busiest = 0;
  for (const controller::FirmwareColumn* column : chip.firmware) {
    const controller::CoreStatistics s = column->core().statistics();
    cores.instructions += s.instructions;
    cores.busy_cycles += s.busy_cycles;
    cores.interrupts += s.interrupts;
    busiest = std::max(busiest, s.busy_cycles);
    descriptors += column->statistics().descriptors;
    prefetches += column->statistics().prefetches;
    refused += column->devices().queue.refused();
    words += column->devices().mailbox.sent();
    accesses += column->devices().bus.accesses();
    errors += column->devices().bus.errors();
  }
  for (const auto& tile : chip.tiles) repeated += tile->pad.statistics().repeated_descriptors;
  const double busy = static_cast<double>(cores.busy_cycles);
  return {
      {"descriptors", descriptors},
      {"prefetches", prefetches},
      {"repeated", repeated},
      {"refused", refused},
      {"mailbox_words", words},
      {"instructions", cores.instructions},
      {"register_accesses", accesses},
      {"bus_errors", errors},
      {"interrupts", cores.interrupts},
      {"busy_cycles", cores.busy_cycles},
      {"cycles_per_descriptor", ratio(busy, static_cast<double>(descriptors))},
      {"share_of_step", ratio(busy, static_cast<double>(end) * static_cast<double>(chip.firmware.size()))},
      {"busiest_share", ratio(static_cast<double>(busiest), static_cast<double>(end))}};
}

}  // namespace

std::uint64_t kv_traffic(const Chip& chip, Cycle now) {
  const LinkSums s = sum_links(chip, now);
  return s.mesh.kv_data() + s.injection.kv_data() + s.ejection.kv_data();
}

std::uint64_t all_flit_hops(const Chip& chip, Cycle now) {
  const LinkSums s = sum_links(chip, now);
  return s.mesh.flits() + s.injection.flits() + s.ejection.flits();
}

Json decode_metrics(const RunConfig& config, const Chip& chip, Cycle end) {
  Json m;
  m["decode"] = decode_part(config, chip, end);
  const LinkSums links = sum_links(chip, end);
  m["noc"] = noc_metrics(chip, end, links);
  m["bisection"] = bisection_metrics(chip, end);
  m["mare"] = mare_metrics(chip);
  m["takv"] = takv_metrics(chip);
  m["storage"] = storage_metrics(config, chip.plan);
  m["pad"] = pad_metrics(chip);
  m["memory"] = memory_metrics(config, chip, end);
  m["energy"] = energy_part(config, chip, end, links);
  m["scoreboard"] = scoreboard_metrics(chip);
  if (!chip.firmware.empty()) m["controllers"] = controller_metrics(chip, end);
  if (chip.data != nullptr) m["data"] = data_metrics(chip.data->outputs());
  return m;
}

}  // namespace meshkv::platform
