#include "platform/chip/run_decode.h"

#include <malloc.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "models/riscv/gdb/gdb_server.h"
#include "platform/chip/decode_metrics.h"
#include "platform/chip/pad_log.h"
#include "platform/chip/sample_metrics.h"
#include "platform/run/bounds.h"
#include "platform/run/details.h"
#include "platform/scenario/input_error.h"
#include "platform/trace/trace.h"

namespace meshkv::platform {

namespace {

/// A swap that waits for parts of a block, in words; empty if none does.
std::string lost_block(const Chip& chip) {
  for (const auto& tile : chip.tiles) {
    if (!tile->mover.idle())
      return "lost data: " + tile->mover.describe_waits() + "; at " + tile->home.name();
  }
  return {};
}

/// The first of the controllers' programs that crashed or ended with a code other than 0, with the report.
std::string firmware_fault(const Chip& chip) {
  for (const controller::FirmwareColumn* column : chip.firmware) {
    if (!column->failed()) continue;
    const std::string who = std::string(column->name()) + ": its program ";
    if (!column->end()->crashed)
      return who + "ended with code " + std::to_string(column->end()->code) + " in cycle " +
             std::to_string(column->end()->at);
    return who + "has crashed\n" + column->end()->report;
  }
  return {};
}

/// Programs that do not drive the fabric have ended, and no column has handed out anything.
bool idle_by_firmware(const Chip& chip) {
  return !chip.firmware.empty() && std::all_of(chip.firmware.begin(), chip.firmware.end(),
                                               [](const controller::FirmwareColumn* column) {
                                                 return column->end() &&
                                                        column->statistics().descriptors == 0;
                                               });
}

/// What is wrong after the event queue has run dry or the last layer has ended; kOk if nothing is.
void judge(Chip& chip, SimulationResult& result) {
  result.reason = firmware_fault(chip);
  if (!result.reason.empty()) {
    result.outcome = Outcome::kFirmwareFault;
    return;
  }
  if (chip.audit != nullptr) {
    std::string lost = chip.audit->violation();
    if (lost.empty() && !chip.coordinator.finished()) lost = chip.audit->first_gap();
    if (lost.empty() && !chip.coordinator.finished()) lost = lost_block(chip);
    if (!lost.empty()) {
      result.outcome = Outcome::kLostData;
      result.reason = lost;
      return;
    }
  }
  if (chip.data != nullptr && !chip.data->outputs().first_violation().empty()) {
    result.outcome = Outcome::kWrongData;
    result.reason = chip.data->outputs().first_violation();
    return;
  }
  if (!chip.coordinator.finished()) {
    if (idle_by_firmware(chip)) {
      result.warnings.push_back(
          "the controllers' programs ended without a decode step: all figures are of an idle fabric");
      return;
    }
    result.outcome = Outcome::kDeadlock;
    result.reason = std::string(chip.firmware_watchdog != nullptr && chip.firmware_watchdog->stuck()
                                    ? "no descriptor, no segment and no layer for controllers.watchdog_cycles"
                                    : "nothing can happen any more") +
                    ", and the decode step is not complete\n" + chip.describe_waits();
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

/// What is written down while the chip runs, for details.json.
class Recorder {
 public:
  Recorder(const RecordConfig& config, Chip& chip)
      : chip_(chip), links_(chip.clock, chip.links(), config.slices), pad_(config, chip) {}

  Json finish(Cycle end) {
    links_.finish(end);
    Json latency = Json::object();
    LogHistogram fetches;
    for (const auto& tile : chip_.tiles) fetches += tile->pad.statistics().fetch_latency;
    latency["fetch"] = latency_object(fetches, "cycles", 1);
    for (const memory::Tier tier : {memory::Tier::kHbm, memory::Tier::kDdr}) {
      const memory::TierReport report = chip_.memory->report(tier, chip_.clock.to_time(end));
      latency[tier == memory::Tier::kHbm ? "hbm" : "ddr"] = latency_object(report.latency, report.clock_ns);
    }
    return {{"links", links_object(links_)}, {"pad", pad_.object()}, {"latency", latency}};
  }

 private:
  Chip& chip_;
  noc::LinkTimeline links_;
  PadLog pad_;
};

/// The lines of the columns' consoles go to the result, and to whoever follows the run.
void follow_consoles(Chip& chip, ProgressSink& progress, SimulationResult& result) {
  result.consoles.resize(chip.firmware.size());
  chip.on_console = [&progress, &result](int column, const std::string& line) {
    result.consoles[static_cast<std::size_t>(column)] += line + "\n";
    progress.console(column, line);
  };
}

std::unique_ptr<riscv::gdb::GdbServer> serve_debugger(const RunConfig& config, Chip& chip) {
  if (!config.gdb_port) return nullptr;
  std::vector<riscv::HartModule*> harts;
  for (controller::FirmwareColumn* column : chip.firmware)
    if (column->core().hart() != nullptr) harts.push_back(column->core().hart());
  try {
    return std::make_unique<riscv::gdb::GdbServer>("gdb", *config.gdb_port, harts, std::cerr);
  } catch (const std::runtime_error& e) {
    throw InputError("--gdb", "", e.what());
  }
}

}  // namespace

SimulationResult run_decode(const RunConfig& config, ProgressSink& progress) {
  // 1 fs: 300 MHz is exact to 1e-7, and a run may last five hours of simulated time.
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  if (config.data) {
    // Chunks, images and rows of numbers come and go all the time: glibc would give their pages back to the
    // kernel and fault them in anew, which took a third of a run.
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    mallopt(M_MMAP_THRESHOLD, 64 << 20);
  }
  Chip chip("chip", config);
  SimulationResult result;
  chip.on_progress = [&progress](Cycle cycles, double fraction) { progress.update(cycles, fraction); };
  follow_consoles(chip, progress, result);
  const std::unique_ptr<riscv::gdb::GdbServer> gdb = serve_debugger(config, chip);
  std::optional<Recorder> recorder;
  if (config.record.slices != 0) recorder.emplace(config.record, chip);
  const std::unique_ptr<Trace> trace = trace_chip(config.tracing, chip);
  chip.start();
  if (config.max_cycles != 0) {
    sc_core::sc_start(chip.clock.to_time(config.max_cycles));
    const bool intact = chip.audit == nullptr || chip.audit->intact();
    const bool stopped = sc_core::sc_get_status() == sc_core::SC_STOPPED;
    if (intact && !stopped && !chip.coordinator.finished() && sc_core::sc_pending_activity()) {
      result.outcome = Outcome::kCycleLimit;
      result.reason =
          "max_cycles = " + std::to_string(config.max_cycles) + " reached\n" + chip.describe_waits();
    }
  } else {
    sc_core::sc_start();
  }
  if (gdb != nullptr && gdb->killed()) {
    result.outcome = Outcome::kFirmwareFault;
    result.reason = "killed by the debugger";
  }
  if (result.outcome == Outcome::kOk) judge(chip, result);
  if (gdb != nullptr) gdb->finish(result.outcome == Outcome::kOk ? 0 : 3);
  const auto& times = chip.coordinator.layer_times();
  result.cycles = chip.coordinator.finished() ? times.back().end : chip.clock.now();
  result.metrics = decode_metrics(config, chip, result.cycles);
  result.host_flit_hops = all_flit_hops(chip, result.cycles);
  result.bounds = estimate_bounds(config);
  if (recorder) result.details = recorder->finish(result.cycles);
  finish_trace(trace.get(), config.tracing, result);
  if (config.decode.sampled()) {
    const std::string bias = sample_bias(config, chip);
    if (!bias.empty()) result.warnings.push_back(bias);
  }
  return result;
}

}  // namespace meshkv::platform
