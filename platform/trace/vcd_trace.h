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

namespace meshkv::platform {

/// Values of `state`.
enum class VcdState : std::uint8_t {
  kIdle = 0,      ///< no packet
  kRouting = 1,   ///< a packet at the front, not bidding yet
  kWaitsVc = 2,   ///< bids for an output VC (of a tree: one of its branches does)
  kNoCredit = 3,  ///< has its output VC, none of its slots downstream is free
  kSends = 4,     ///< may send
};

class VcdTrace final : public Trace, public ClockObserver {
 public:
  VcdTrace(const TraceConfig& config, ClockDomain& clock, std::vector<const noc::Router*> routers);
  Cycle observe(Cycle now) override;
  TraceOutcome finish(Cycle end) override;

 private:
  struct Signal {
    std::string id;
    std::uint64_t value = 0;
    bool known = false;
  };
  struct PortSignals {
    const noc::Router* router;
    Port port;
    bool input, output;
    std::size_t first;  ///< of its signals
  };

  void write_header();
  std::size_t add_signal(std::string& header, int bits, const std::string& name);
  void sample_port(const PortSignals& port, Cycle at, std::string& text);
  void change(std::size_t signal, std::uint64_t value, std::string& text);
  void sample(Cycle at);
  void cut(Cycle at);

  TraceConfig config_;
  TraceFile file_;
  std::vector<const noc::Router*> routers_;
  std::vector<Signal> signals_;
  std::vector<PortSignals> ports_;
  std::optional<Cycle> last_active_;
  Cycle last_written_ = 0;
  std::string text_;
  TraceOutcome outcome_;
};

}  // namespace meshkv::platform
