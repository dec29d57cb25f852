// HBM and DDR4 controllers: TLM-2.0 base-protocol targets over one or more DRAM channels.
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/memory/dram_timing.h"
#include "models/memory/loose_channel.h"
#include "models/memory/sparse_memory.h"

namespace meshkv::memory {

struct DramControllerConfig {
  DramTiming timing;
  int channels = 1;                ///< pseudo-channels behind this controller
  std::uint64_t base_address = 0;  ///< first address; initiators and the interconnect use global addresses
  std::uint64_t size_bytes = 1U << 30;  ///< of the window
  std::uint64_t interleave_bytes =
      4096;                   ///< consecutive bytes of one channel; 0: each has one contiguous share
  double front_end_ns = 0.0;  ///< AXI front end and controller pipeline, on the way in
  int queue_requests = 32;    ///< per channel; when they are all taken END_REQ is withheld
  bool allow_dmi =
      false;  ///< direct access bypasses the contention that this models, so it has to be asked for
};

/// lt: b_transport annotates the delay and never waits. at: four phases, nb_transport_fw returns
/// TLM_UPDATED/END_REQ while there is room in the queue, else TLM_ACCEPTED, and END_REQ comes when there is;
/// one request and one response in progress at the socket.
///
/// Status: TLM_ADDRESS_ERROR outside the window; TLM_BURST_ERROR for no data or a streaming width below the
/// data length; TLM_BYTE_ENABLE_ERROR for a byte-enable length of 0. Byte enables are honoured for reads and
/// writes.
class DramController : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_target_socket<> socket;

  DramController(sc_core::sc_module_name name, const DramControllerConfig& config);
  ~DramController() override;

  struct Statistics {
    std::uint64_t reads = 0, writes = 0, errors = 0;
    std::uint64_t read_bytes = 0, write_bytes = 0;
    std::uint64_t rows = 0, row_hits = 0;  ///< rows touched, found open
    double latency_ns = 0.0;               ///< summed over the transactions, front end included
    std::uint64_t bytes() const { return read_bytes + write_bytes; }
  };
  const Statistics& statistics() const { return statistics_; }
  const DramControllerConfig& config() const { return config_; }
  /// Peak of all its channels.
  double peak_gbs() const { return config_.timing.peak_gbs() * config_.channels; }
  /// Nothing is queued or in progress (at).
  bool idle() const;

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override;

 private:
  struct Completion {
    Clk done = 0;
    std::uint64_t order = 0;
    tlm::tlm_generic_payload* payload = nullptr;
    bool operator<(const Completion& other) const {  // std::priority_queue puts the largest first
      return done != other.done ? done > other.done : order > other.order;
    }
  };
  bool check(tlm::tlm_generic_payload& payload);
  void transfer_data(tlm::tlm_generic_payload& payload);
  Clk access(tlm::tlm_generic_payload& payload, Clk arrival);
  void accept(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  void respond();
  Clk to_clk(sc_core::sc_time::value_type t) const { return static_cast<Clk>((t + clock_ - 1) / clock_); }
  sc_core::sc_time to_time(Clk t) const {
    return sc_core::sc_time::from_value(static_cast<sc_core::sc_time::value_type>(t) * clock_);
  }

  DramControllerConfig config_;
  Statistics statistics_;
  sc_core::sc_time::value_type clock_, front_end_;  ///< in units of the time resolution
  double unit_ns_;
  std::vector<LooseChannel> channels_;
  SparseMemory contents_;
  std::priority_queue<Completion> completions_;
  std::uint64_t order_ = 0;
  int in_flight_ = 0;
  tlm::tlm_generic_payload* held_request_ = nullptr;  ///< END_REQ withheld
  sc_core::sc_time held_until_;
  tlm::tlm_generic_payload* response_ = nullptr;  ///< BEGIN_RESP sent, END_RESP awaited
  sc_core::sc_event wake_;
};

/// `hbm_0`..: four pseudo-channels.
class HbmController : public DramController {
 public:
  using DramController::DramController;
};
/// `ddr_0`..: one DDR4 channel.
class DdrController : public DramController {
 public:
  using DramController::DramController;
};

}  // namespace meshkv::memory
