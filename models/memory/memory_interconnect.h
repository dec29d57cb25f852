// From the tiles' memory ports to the controllers: address decoding, switch latency, and the base protocol's
// exclusion rules on every link (the HBM switch of the U280; paper section VII).
#pragma once

#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <cstdint>
#include <deque>
#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace meshkv::memory {

/// A window of global addresses and the number of the target socket behind it (in the order of binding).
struct AddressWindow {
  std::uint64_t base = 0;
  std::uint64_t size_bytes = 0;
  int target = 0;
};

struct MemoryInterconnectConfig {
  std::vector<AddressWindow> windows;
  /// [initiator][target], in the order of binding; empty: 0 everywhere.
  std::vector<std::vector<double>> switch_ns;
};

/// Addresses pass unchanged (controllers know their own base), so there is nothing to restore. A request that
/// no window holds whole gets TLM_ADDRESS_ERROR_RESPONSE. The latency is annotated on the way to the
/// controller.
class MemoryInterconnect : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<MemoryInterconnect> from_ports;
  tlm_utils::multi_passthrough_initiator_socket<MemoryInterconnect> to_controllers;

  /// Throws std::invalid_argument, naming both windows, if any two overlap.
  MemoryInterconnect(sc_core::sc_module_name name, const MemoryInterconnectConfig& config);

  struct Statistics {
    std::uint64_t requests = 0, unmapped = 0;
    std::uint64_t queued_requests = 0;   ///< at: a controller's request channel was taken
    std::uint64_t queued_responses = 0;  ///< at: a port's response channel was taken
  };
  const Statistics& statistics() const { return statistics_; }
  /// No transaction is under way (at).
  bool idle() const { return routes_.empty(); }
  /// The target of an access, -1 if there is none.
  int decode(std::uint64_t address, std::uint64_t bytes) const;

 private:
  /// Null: no window holds the access whole.
  const AddressWindow* find_window(std::uint64_t address, std::uint64_t bytes) const;
  static bool holds(const AddressWindow& w, std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t offset = address - w.base;
    return address >= w.base && offset < w.size_bytes && bytes <= w.size_bytes - offset;
  }
  using Payload = tlm::tlm_generic_payload;
  struct Route {
    int initiator = 0, target = 0;
    bool target_done = false;  ///< the target completed early: END_RESP is not for it
  };
  struct Waiting {
    Payload* payload;
    sc_core::sc_time at;
  };
  struct TargetLink {
    const Payload* request = nullptr;  ///< BEGIN_REQ sent, END_REQ awaited
    std::deque<Waiting> waiting;
  };
  struct InitiatorLink {
    const Payload* response = nullptr;  ///< BEGIN_RESP sent, END_RESP awaited
    std::deque<Waiting> waiting;
  };

  void b_transport(int initiator, Payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_fw(int initiator, Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_bw(int target, Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  bool get_direct_mem_ptr(int initiator, Payload& payload, tlm::tlm_dmi& dmi);
  unsigned int transport_dbg(int initiator, Payload& payload);
  void invalidate_direct_mem_ptr(int target, sc_dt::uint64 start, sc_dt::uint64 end);

  tlm::tlm_sync_enum begin_request(int initiator, Payload& payload, tlm::tlm_phase& phase,
                                   sc_core::sc_time& delay);
  tlm::tlm_sync_enum forward_request(Route& route, Payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  tlm::tlm_sync_enum end_response(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void queue_response(const Route& route, Payload& payload, const sc_core::sc_time& delay);
  void forget(const Route& route, const Payload& payload);
  void release_request_channel(TargetLink& link);
  void serve_waiting();
  void serve_request(TargetLink& link);
  void serve_response(InitiatorLink& link);
  void end_of_elaboration() override;

  MemoryInterconnectConfig config_;
  Statistics statistics_;
  std::vector<AddressWindow> windows_;             ///< sorted
  std::vector<const AddressWindow*> last_window_;  ///< by initiator: of its last b_transport; may be null
  std::vector<std::vector<sc_core::sc_time>> latency_;
  std::vector<TargetLink> targets_;
  std::vector<InitiatorLink> initiators_;
  std::unordered_map<const Payload*, Route> routes_;  ///< at: transactions under way
  sc_core::sc_event wake_;
};

}  // namespace meshkv::memory
