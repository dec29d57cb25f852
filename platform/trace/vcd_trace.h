// What a trace for GTKWave shows of routers: for each port its input VCs (FIFO level, state), its output VCs
// (credits, whether one is free), and the flits that left. One time unit is one cycle; a value at time t is
// what the routers find at the begin of cycle t.
//
// The domain calls between cycles, so the routers do nothing for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/clock_observer.h"
#include "models/noc/router.h"
#include "platform/trace/trace.h"
#include "platform/trace/trace_file.h"
#include "platform/trace/vcd_text.h"

namespace meshkv::platform {

class VcdTrace final : public Trace, public ClockObserver {
 public:
  VcdTrace(const TraceConfig& config, ClockDomain& clock, std::vector<const noc::Router*> routers);
  Cycle observe(Cycle now) override;
  TraceOutcome finish(Cycle end) override;
  std::string failure() const override { return file_.failure(); }

 private:
  /// The signals of one router: what is shown of it, as it was written last, and where its names begin.
  struct RouterSignals {
    const noc::Router* router;
    noc::RouterWatch written{};
    noc::RouterWatch::Mask inputs = 0, outputs = 0;  ///< VCs
    unsigned ports = 0;                              ///< with an output
    std::size_t first = 0;                           ///< of its names in ids_
  };

  void write_header();
  void add_port(RouterSignals& signals, Port port, std::string& header);
  VcdIdentifier& id_of(const RouterSignals& signals, unsigned kind, unsigned vc);
  void declare(std::string& header, int bits, const std::string& name, VcdIdentifier& id);
  void sample_router(RouterSignals& signals, Cycle at);
  void vector(std::uint64_t value, const VcdIdentifier& id);
  void sample(Cycle at);
  void cut(Cycle at);

  TraceConfig config_;
  TraceFile file_;
  std::vector<const noc::Router*> all_;
  std::vector<RouterSignals> routers_;
  std::vector<VcdIdentifier> ids_;
  std::size_t signals_ = 0;
  noc::RouterWatch now_;
  bool begun_ = false;  ///< all values have been written once
  std::optional<Cycle> last_active_;
  Cycle last_written_ = 0;
  VcdText text_;
  TraceOutcome outcome_;
};

}  // namespace meshkv::platform
