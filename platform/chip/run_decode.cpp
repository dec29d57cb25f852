#include "platform/chip/run_decode.h"

#include <sstream>

#include "platform/chip/decode_metrics.h"
#include "platform/run/bounds.h"

namespace meshkv::platform {

namespace {

std::string gib(std::uint64_t bytes) {
  std::ostringstream out;
  out.precision(3);
  out << static_cast<double>(bytes) / static_cast<double>(std::uint64_t{1} << 30) << " GiB";
  return out.str();
}

void add_warnings(const RunConfig& config, const Chip& chip, Json& warnings) {
  if (chip.map.ddr_bytes() != 0) {
    warnings.push_back("the KV cache of " + gib(chip.map.hbm_bytes() + chip.map.ddr_bytes()) +
                       " does not fit the " + gib(config.memory.hbm_bytes) +
                       " of HBM2: " + gib(chip.map.ddr_bytes()) + " of it spill to DDR4, which is slower");
  }
  if (chip.map.overcommitted()) {
    warnings.push_back("memory.spill is \"ignore\": " + gib(chip.map.hbm_bytes()) +
                       " are kept in HBM2, which has " + gib(config.memory.hbm_bytes));
  }
  if (config.decode.sampled()) {
    warnings.push_back(
        "sampled: figures are of the simulated layers and segments, not of a whole decode step");
  }
}

/// What is wrong after the event queue has run dry or the last layer has ended; kOk if nothing is.
void judge(Chip& chip, SimulationResult& result) {
  if (!chip.coordinator.finished()) {
    result.outcome = Outcome::kDeadlock;
    result.reason =
        "nothing can happen any more, and the decode step is not complete\n" + chip.describe_waits();
    return;
  }
  chip.scoreboard.finish();
  const ScoreboardStatistics& s = chip.scoreboard.statistics();
  if (!chip.scoreboard.clean()) {
    result.outcome = Outcome::kLostData;
    result.reason = chip.scoreboard.first_violation();
    return;
  }
  std::uint64_t unexpected = 0;
  for (const auto& tile : chip.tiles) unexpected += tile->reduce_root.statistics().unexpected;
  if (unexpected != 0 || s.requested != s.delivered || !chip.drained()) {
    result.outcome = Outcome::kProtocolError;
    result.reason = unexpected != 0
                        ? std::to_string(unexpected) + " PART packets came to a root that did not expect them"
                        : "the fabric did not drain\n" + chip.describe_waits();
  }
}

}  // namespace

SimulationResult run_decode(const RunConfig& config, ProgressSink& progress) {
  // 1 fs: 300 MHz is exact to 1e-7, and a run may last five hours of simulated time.
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  Chip chip("chip", config);
  chip.on_progress = [&progress](Cycle cycles, double fraction) { progress.update(cycles, fraction); };
  chip.start();
  SimulationResult result;
  if (config.max_cycles != 0) {
    sc_core::sc_start(chip.clock.to_time(config.max_cycles));
    if (!chip.coordinator.finished() && sc_core::sc_pending_activity()) {
      result.outcome = Outcome::kCycleLimit;
      result.reason =
          "max_cycles = " + std::to_string(config.max_cycles) + " reached\n" + chip.describe_waits();
    }
  } else {
    sc_core::sc_start();
  }
  if (result.outcome == Outcome::kOk) judge(chip, result);
  const auto& times = chip.coordinator.layer_times();
  result.cycles = chip.coordinator.finished() ? times.back().end : chip.clock.now();
  result.metrics = decode_metrics(config, chip, result.cycles);
  result.host_flit_hops = all_flit_hops(chip, result.cycles);
  result.bounds = estimate_bounds(config);
  add_warnings(config, chip, result.warnings);
  return result;
}

}  // namespace meshkv::platform
