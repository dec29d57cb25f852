// A tile's way to memory: one TLM initiator socket, reads and writes with a tag, an answer in fabric cycles.
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/divider.h"
#include "models/common/types.h"
#include "models/memory/outstanding_limit.h"
#include "models/memory/payload_pool.h"
#include "models/memory/timing_only_extension.h"

namespace meshkv::memory {

class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// The answer is complete in cycle `when`. lt: comes from within read()/write(), and `when` lies ahead. at:
  /// comes when the response does; `when` is that cycle (the first edge at or after it). `ok`: false after an
  /// error status.
  virtual void on_memory_response(std::uint64_t tag, Cycle when, bool ok) = 0;
};

struct MemoryPortConfig {
  sc_core::sc_time clock_period;  ///< of the fabric: ClockDomain::period()
  TimingMode mode = TimingMode::kAt;
  int outstanding = 16;        ///< transactions under way; more wait in the port
  unsigned max_bytes = 65536;  ///< of one transaction without data
};

/// at: one BEGIN_REQ in progress, several transactions outstanding, responses in any order.
class MemoryPort : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_initiator_socket<> socket;

  MemoryPort(sc_core::sc_module_name name, const MemoryPortConfig& config);
  ~MemoryPort() override;

  /// `now`: the cycle in which the client asks, not before the kernel's time; may lie ahead of it. `data`:
  /// null where only the time matters, else `bytes` that stay valid until the answer.
  void read(MemoryClient& client, std::uint64_t address, std::uint32_t bytes, std::uint64_t tag, Cycle now,
            unsigned char* data = nullptr);
  void write(MemoryClient& client, std::uint64_t address, std::uint32_t bytes, std::uint64_t tag, Cycle now,
             const unsigned char* data = nullptr);

  /// Only while nothing is under way (a layer or step boundary): fatal otherwise.
  void set_mode(TimingMode mode);
  TimingMode mode() const { return config_.mode; }
  bool idle() const { return under_way_ == 0 && waiting_.empty(); }
  std::size_t live_payloads() const { return pool_.live(); }

  struct Statistics {
    std::uint64_t reads = 0, writes = 0, read_bytes = 0, write_bytes = 0, errors = 0;
    std::uint64_t latency_cycles = 0;  ///< summed, from `now` to `when`
  };
  const Statistics& statistics() const { return statistics_; }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

 private:
  struct Request {
    MemoryClient* client = nullptr;
    std::uint64_t address = 0, tag = 0;
    Cycle asked = 0;
    unsigned char* data = nullptr;
    std::uint32_t bytes = 0;
    bool is_write = false;
  };
  /// What the port remembers of a payload under way.
  struct RequestExtension : tlm::tlm_extension<RequestExtension> {
    Request request;
    tlm::tlm_extension_base* clone() const override { return new RequestExtension(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
      request = static_cast<const RequestExtension&>(other).request;
    }
    void free() override {}  // owned by the port
  };

  void start(const Request& request);
  void start_loosely(const Request& request);
  void send_next();
  void complete(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  void fill(tlm::tlm_generic_payload& payload, const Request& request);
  sc_core::sc_time delay_until(Cycle cycle, sc_core::sc_time::value_type now) const;
  Cycle to_cycle(sc_core::sc_time::value_type t) const { return period_.ceiling(t); }

  MemoryPortConfig config_;
  Divider period_;  ///< of the fabric's clock, in units of the time resolution
  Statistics statistics_;
  TimingOnlyExtension timing_only_;
  std::deque<RequestExtension>
      extensions_;  ///< one a payload that was ever used; before the pool, to outlive it
  PayloadPool pool_;
  std::vector<unsigned char> scratch_;  ///< where transactions without data point
  tlm::tlm_generic_payload loose_payload_;
  OutstandingLimit loose_limit_;
  std::deque<Request> waiting_;
  tlm::tlm_generic_payload* request_ = nullptr;  ///< BEGIN_REQ sent, END_REQ awaited
  int under_way_ = 0;
  bool sending_ = false;
};

}  // namespace meshkv::memory
