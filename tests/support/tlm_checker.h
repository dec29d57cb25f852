// TLM-2.0 base-protocol checker for tests: bind it between any initiator and any target. It changes nothing
// and collects what is wrong. Knows nothing of our modules.
#pragma once

#include <string>
#include <systemc>
#include <tlm>
#include <unordered_map>
#include <vector>

namespace meshkv::test {

class TlmChecker : public sc_core::sc_module,
                   public tlm::tlm_fw_transport_if<>,
                   public tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_target_socket<> in;
  tlm::tlm_initiator_socket<> out;

  explicit TlmChecker(sc_core::sc_module_name name);

  /// What broke the protocol, in the order in which it was seen. Ask at the end: transactions that are still
  /// under way then are violations too.
  std::vector<std::string> violations() const;
  /// Transactions that went through: by b_transport, by the phases.
  std::uint64_t blocking() const { return blocking_; }
  std::uint64_t completed() const { return completed_; }
  /// Most transactions that were under way at once.
  std::size_t peak_outstanding() const { return peak_; }

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

 private:
  enum class Stage { kRequest, kWaiting, kResponse };
  struct Transaction {
    Stage stage = Stage::kRequest;
    sc_core::sc_time at;  ///< of its last phase
    tlm::tlm_command command;
    const unsigned char *data, *byte_enable;
    unsigned length, byte_enable_length, streaming_width;
  };
  using Payload = tlm::tlm_generic_payload;

  void wrong(const std::string& what);
  void check_request(const Payload& payload, bool nonblocking);
  void check_response(const Payload& payload, const Transaction& before);
  static Transaction snapshot(const Payload& payload);
  void begin_request(Payload& payload, const sc_core::sc_time& at);
  void end_request(Payload& payload, const sc_core::sc_time& at);
  void begin_response(Payload& payload, const sc_core::sc_time& at);
  void end_response(Payload& payload, const sc_core::sc_time& at, bool early);
  void step(Transaction& transaction, const sc_core::sc_time& at);

  std::vector<std::string> violations_;
  std::unordered_map<const Payload*, Transaction> live_;
  const Payload* request_ = nullptr;   ///< BEGIN_REQ without END_REQ
  const Payload* response_ = nullptr;  ///< BEGIN_RESP without END_RESP
  std::uint64_t blocking_ = 0, completed_ = 0;
  std::size_t peak_ = 0;
};

}  // namespace meshkv::test
