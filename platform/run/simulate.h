// The seam between the platform's shell and the simulation of a chip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/run_config.h"
#include "platform/scenario/parameter.h"

namespace meshkv::platform {

/// Told how far a simulation is. Cheap to call every few thousand cycles; decides itself what it shows.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  /// `fraction`: of the work, 0 to 1; negative where it is not known.
  virtual void update(Cycle cycles, double fraction) = 0;
  /// A line that the firmware of a column has written.
  virtual void console(int column, const std::string& line) {
    (void)column;
    (void)line;
  }
};

enum class Outcome : std::uint8_t {
  kOk,
  kDeadlock,
  kLostData,       ///< the scoreboard misses payloads, or saw some twice
  kWrongData,      ///< data: true: what arrived is not what was written, or the attention is wrong
  kProtocolError,  ///< a TLM or fabric rule was broken
  kCycleLimit,     ///< max_cycles was reached
  kFirmwareFault   ///< a controller's program has crashed, or ended with a code other than 0
};
const char* outcome_name(Outcome outcome);  ///< "ok", "deadlock", ...

/// What a run found. Everything but `host_flit_hops` and `host_wall_s` is deterministic.
struct SimulationResult {
  Outcome outcome = Outcome::kOk;
  std::string reason;                 ///< for people: where, which cycle of waits; empty if ok
  Json metrics = Json::object();      ///< `metrics` of results.json
  Json bounds = Json::object();       ///< as estimate_bounds(); empty: the platform asks estimate_bounds()
  Json warnings = Json::array();      ///< texts
  Json details;                       ///< of details.json (platform/run/details.h); null: none were asked for
  std::vector<std::string> consoles;  ///< what each column's firmware wrote; empty: there is none
  Json trace;                         ///< {"bytes", "events", "left_out", "cut_at"}; null: none
  Cycle cycles = 0;                   ///< simulated, whole run
  std::uint64_t host_flit_hops = 0;   ///< of all classes, for host.json
  double host_wall_s = 0;             ///< elaboration and simulation; filled by run_once()
};

/// Builds the chip, or the part that the workload exercises, and runs it. To be called once a process, since
/// SystemC's kernel cannot be restarted. Broken invariants of ours arrive as exceptions.
SimulationResult simulate(const RunConfig& config, ProgressSink& progress);

}  // namespace meshkv::platform
