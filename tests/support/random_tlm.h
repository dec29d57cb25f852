// An initiator and a target that use the base protocol in every way that it allows, chosen at random: early
// responses, skipped phases, late END_REQ and END_RESP, annotated delays.
#pragma once

#include <deque>
#include <map>
#include <random>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/memory/payload_pool.h"

namespace meshkv::test {

/// Sends `count` reads and writes at random addresses of [base, base + span).
class RandomInitiator : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_initiator_socket<> socket;
  RandomInitiator(sc_core::sc_module_name name, unsigned seed, int count, std::uint64_t base,
                  std::uint64_t span);

  int done() const { return done_; }
  int errors() const { return errors_; }  ///< responses with an error status, or reads of wrong data
  std::size_t live_payloads() const { return pool_.live(); }

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

 private:
  void send();
  void answer();
  void finish(tlm::tlm_generic_payload& payload);
  std::mt19937 random_;
  int left_, done_ = 0, errors_ = 0;
  std::uint64_t base_, span_;
  tlm::tlm_generic_payload* request_ = nullptr;  ///< END_REQ awaited
  memory::PayloadPool pool_;
  std::map<std::uint64_t, unsigned char> written_;
  std::map<const tlm::tlm_generic_payload*, std::vector<unsigned char>> buffers_;
  std::map<std::uint64_t, int> busy_;  ///< addresses under way: one at a time, so that the value is known
  tlm::tlm_generic_payload* response_ = nullptr;
  sc_core::sc_event send_event_, answer_event_;
};

/// Byte memory behind a base-protocol target that does anything that is allowed.
class RandomTarget : public sc_core::sc_module, public tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_target_socket<> socket;
  RandomTarget(sc_core::sc_module_name name, unsigned seed);

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned int transport_dbg(tlm::tlm_generic_payload&) override { return 0; }

 private:
  void act();
  void serve(tlm::tlm_generic_payload& payload);
  std::mt19937 random_;
  std::map<std::uint64_t, unsigned char> bytes_;
  tlm::tlm_generic_payload* request_ = nullptr;   ///< END_REQ to be sent
  tlm::tlm_generic_payload* response_ = nullptr;  ///< END_RESP awaited
  struct Pending {
    tlm::tlm_generic_payload* payload;
    sc_core::sc_time earliest;  ///< no phase of it before this
  };
  std::deque<Pending> pending_;
  sc_core::sc_time request_at_;
  sc_core::sc_event event_;
};

}  // namespace meshkv::test
