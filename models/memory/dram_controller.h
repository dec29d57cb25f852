// HBM and DDR4 controllers: TLM-2.0 base-protocol targets over one or more DRAM channels.
#pragma once

#include <cstdint>
#include <queue>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/divider.h"
#include "models/memory/channel_scheduler.h"
#include "models/memory/dram_timing.h"
#include "models/memory/latency_histogram.h"
#include "models/memory/loose_channel.h"
#include "models/memory/sparse_memory.h"
#include "models/memory/transaction_observer.h"

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
/// one request and one response in progress at the socket; a scheduler for each channel.
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
    std::uint64_t read_bytes = 0, write_bytes = 0;  ///< of transactions taken
    std::uint64_t done_bytes = 0;                   ///< of transactions answered (at), taken (lt)
    double latency_ns = 0.0;       ///< summed over the answered transactions, front end and waiting included
    LatencyHistogram dram;         ///< clocks in the DRAM and its scheduler alone (lt: behind the front end)
    std::uint64_t queue_full = 0;  ///< at: requests whose END_REQ was withheld
    std::uint64_t bytes() const { return read_bytes + write_bytes; }
  };
  const Statistics& statistics() const { return statistics_; }
  /// Of all its channels together, both modes.
  struct DramStatistics {
    std::uint64_t bursts = 0, activations = 0;
    std::uint64_t refreshes = 0, turnarounds = 0;  ///< at only
    std::uint64_t busy_clocks =
        0;                      ///< at: clocks in which a channel had something to do, summed over channels
    double queue_clocks = 0.0;  ///< at: bursts waiting, integrated over clocks
    double row_hit_rate() const {  ///< bursts that needed no activation
      // A burst whose row a refresh or a conflict closed again needed two; activations may outnumber bursts.
      return activations >= bursts ? 0.0
                                   : 1.0 - static_cast<double>(activations) / static_cast<double>(bursts);
    }
    DramStatistics& operator+=(const DramStatistics& other);
  };
  DramStatistics dram_statistics() const;
  /// `id`: how the observer calls this controller.
  void set_observer(TransactionObserver* observer, int id) {
    observer_ = observer;
    observer_id_ = id;
  }
  /// Forgets statistics() only, at the end of a warm-up.
  void reset_statistics() { statistics_ = {}; }
  const DramControllerConfig& config() const { return config_; }
  /// What the memory holds before anything is written to it, by global address. Before the first access.
  void set_background(const SparseMemory::Background& background);
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
  /// A transaction from BEGIN_REQ to BEGIN_RESP.
  struct Job {
    tlm::tlm_generic_payload* payload = nullptr;
    sc_core::sc_time::value_type begun = 0;
    Clk entered = 0, done = 0;
    int parts = 0;  ///< channels that have not answered
  };
  struct Event {
    Clk at = 0;
    std::uint64_t order = 0;
    std::uint32_t job = 0;
    bool operator<(const Event& other) const {  // std::priority_queue puts the largest first
      return at != other.at ? at > other.at : order > other.order;
    }
  };
  struct Part {
    std::size_t channel;
    std::uint64_t address, bytes;
  };

  bool check(tlm::tlm_generic_payload& payload);
  void transfer_data(tlm::tlm_generic_payload& payload);
  std::uint64_t share(std::uint64_t granules, std::uint64_t rest, std::uint64_t c) const;
  template <typename Visit>
  void for_each_part(const tlm::tlm_generic_payload& payload, Visit visit) const;
  void count(const tlm::tlm_generic_payload& payload);
  void tell_observer(const tlm::tlm_generic_payload& payload, sc_core::sc_time::value_type begin,
                     sc_core::sc_time::value_type end) const;
  void accept(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  void submit(std::uint32_t job, Clk now);
  void advance_channels(Clk now);
  void respond(Clk now);
  void end_held_request();
  void run();
  void wake_at(Clk at);
  bool full() const { return in_flight_ >= config_.queue_requests * config_.channels; }
  Clk to_clk(sc_core::sc_time::value_type t) const { return static_cast<Clk>(clock_.ceiling(t)); }
  sc_core::sc_time to_time(Clk t) const {
    return sc_core::sc_time::from_value(static_cast<sc_core::sc_time::value_type>(t) * clock_.divisor());
  }

  DramControllerConfig config_;
  Statistics statistics_;
  Divider clock_;                           ///< in units of the time resolution
  sc_core::sc_time::value_type front_end_;  ///< likewise
  Divider by_granule_, by_channel_;         ///< see for_each_part
  double unit_ns_;
  std::vector<LooseChannel> loose_;
  std::vector<ChannelScheduler> schedulers_;
  SparseMemory contents_;
  std::vector<Job> jobs_;
  std::vector<std::uint32_t> free_jobs_;
  std::priority_queue<Event> arrivals_;     ///< on the way through the front end
  std::priority_queue<Event> completions_;  ///< served, BEGIN_RESP due
  std::vector<ChannelScheduler::Done> done_;
  std::uint64_t order_ = 0;
  int in_flight_ = 0;
  tlm::tlm_generic_payload* held_request_ = nullptr;  ///< END_REQ withheld
  sc_core::sc_time held_until_;
  tlm::tlm_generic_payload* response_ = nullptr;  ///< BEGIN_RESP sent, END_RESP awaited
  sc_core::sc_event wake_;
  TransactionObserver* observer_ = nullptr;
  int observer_id_ = 0;
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
