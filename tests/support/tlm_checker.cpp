#include "tests/support/tlm_checker.h"

#include <algorithm>
#include <sstream>

namespace meshkv::test {
using sc_core::sc_time;
using sc_core::sc_time_stamp;

TlmChecker::TlmChecker(sc_core::sc_module_name name) : sc_module(name), in("in"), out("out") {
  in.bind(*this);
  out.bind(*this);
}

void TlmChecker::wrong(const std::string& what) {
  std::ostringstream line;
  line << name() << " at " << sc_time_stamp() << ": " << what;
  violations_.push_back(line.str());
}

std::vector<std::string> TlmChecker::violations() const {
  std::vector<std::string> all = violations_;
  if (!live_.empty()) all.push_back(std::to_string(live_.size()) + " transactions never ended");
  return all;
}

TlmChecker::Transaction TlmChecker::snapshot(const Payload& p) {
  Transaction t;
  t.command = p.get_command();
  t.data = p.get_data_ptr();
  t.byte_enable = p.get_byte_enable_ptr();
  t.length = p.get_data_length();
  t.byte_enable_length = p.get_byte_enable_length();
  t.streaming_width = p.get_streaming_width();
  return t;
}

void TlmChecker::check_request(const Payload& p, bool nonblocking) {
  if (p.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE)
    wrong("request whose response status is already set");
  if (p.is_dmi_allowed()) wrong("request with the DMI hint set");
  if (p.get_command() != tlm::TLM_IGNORE_COMMAND) {
    if (p.get_data_ptr() == nullptr) wrong("request without a data pointer");
    if (p.get_data_length() == 0) wrong("request without data");
    if (p.get_streaming_width() == 0) wrong("request with streaming width 0");
    if (p.get_byte_enable_ptr() != nullptr && p.get_byte_enable_length() == 0)
      wrong("byte enables of length 0");
  }
  if (nonblocking && !p.has_mm()) wrong("payload without a memory manager on the non-blocking interface");
  if (nonblocking && p.has_mm() && p.get_ref_count() < 1) wrong("payload that nobody holds");
}

void TlmChecker::check_response(const Payload& p, const Transaction& before) {
  if (p.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) wrong("response without a response status");
  const Transaction now = snapshot(p);
  if (now.command != before.command || now.data != before.data || now.byte_enable != before.byte_enable ||
      now.length != before.length || now.byte_enable_length != before.byte_enable_length ||
      now.streaming_width != before.streaming_width)
    wrong("an attribute that belongs to the initiator was changed");
}

void TlmChecker::step(Transaction& t, const sc_time& at) {
  if (at < t.at) wrong("a phase is annotated before the phase that it follows");
  t.at = at;
}

void TlmChecker::begin_request(Payload& payload, const sc_time& at) {
  check_request(payload, true);
  if (request_ != nullptr) wrong("BEGIN_REQ before the END_REQ of the request before");
  if (live_.count(&payload) != 0) wrong("BEGIN_REQ of a transaction that is under way");
  request_ = &payload;
  Transaction t = snapshot(payload);
  t.at = at;
  live_[&payload] = t;
  peak_ = std::max(peak_, live_.size());
}

void TlmChecker::end_request(Payload& payload, const sc_time& at) {
  const auto it = live_.find(&payload);
  if (it == live_.end() || it->second.stage != Stage::kRequest) {
    wrong("END_REQ without BEGIN_REQ");
    return;
  }
  step(it->second, at);
  it->second.stage = Stage::kWaiting;
  if (request_ == &payload) request_ = nullptr;
}

void TlmChecker::begin_response(Payload& payload, const sc_time& at) {
  const auto it = live_.find(&payload);
  if (it == live_.end()) {
    wrong("BEGIN_RESP of a transaction that is not under way");
    return;
  }
  if (it->second.stage == Stage::kRequest) end_request(payload, at);  // implied
  if (it->second.stage == Stage::kResponse) wrong("second BEGIN_RESP of a transaction");
  if (response_ != nullptr && response_ != &payload)
    wrong("BEGIN_RESP before the END_RESP of the response before");
  step(it->second, at);
  it->second.stage = Stage::kResponse;
  response_ = &payload;
  check_response(payload, it->second);
}

void TlmChecker::end_response(Payload& payload, const sc_time& at, bool early) {
  const auto it = live_.find(&payload);
  if (it == live_.end() || (!early && it->second.stage != Stage::kResponse)) {
    wrong("END_RESP without BEGIN_RESP");
    return;
  }
  step(it->second, at);
  if (early) check_response(payload, it->second);
  if (payload.has_mm() && payload.get_ref_count() < 1) wrong("payload that nobody holds");
  if (request_ == &payload) request_ = nullptr;
  if (response_ == &payload) response_ = nullptr;
  live_.erase(it);
  ++completed_;
}

tlm::tlm_sync_enum TlmChecker::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  const tlm::tlm_phase sent = phase;
  const sc_time at = sc_time_stamp() + delay;
  if (sent == tlm::BEGIN_REQ)
    begin_request(payload, at);
  else if (sent == tlm::END_RESP)
    end_response(payload, at, false);
  else
    wrong("phase that does not belong on the forward path");
  const tlm::tlm_sync_enum status = out->nb_transport_fw(payload, phase, delay);
  const sc_time back = sc_time_stamp() + delay;
  if (sent == tlm::END_RESP) {
    if (status == tlm::TLM_UPDATED) wrong("END_RESP answered with TLM_UPDATED");
    return status;
  }
  if (status == tlm::TLM_COMPLETED) {
    end_response(payload, back, true);
  } else if (status == tlm::TLM_UPDATED) {
    if (phase == tlm::END_REQ)
      end_request(payload, back);
    else if (phase == tlm::BEGIN_RESP)
      begin_response(payload, back);
    else
      wrong("BEGIN_REQ answered with a phase that cannot follow it");
  }
  return status;
}

tlm::tlm_sync_enum TlmChecker::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  const tlm::tlm_phase sent = phase;
  const sc_time at = sc_time_stamp() + delay;
  if (sent == tlm::END_REQ)
    end_request(payload, at);
  else if (sent == tlm::BEGIN_RESP)
    begin_response(payload, at);
  else
    wrong("phase that does not belong on the backward path");
  const tlm::tlm_sync_enum status = in->nb_transport_bw(payload, phase, delay);
  const sc_time back = sc_time_stamp() + delay;
  if (sent != tlm::BEGIN_RESP) {
    if (status != tlm::TLM_ACCEPTED) wrong("END_REQ answered with something else than TLM_ACCEPTED");
    return status;
  }
  if (status == tlm::TLM_UPDATED && phase != tlm::END_RESP)
    wrong("BEGIN_RESP answered with a phase that cannot follow it");
  // The caller's END_RESP may have come during the call, if the initiator returned TLM_ACCEPTED.
  if (status != tlm::TLM_ACCEPTED) end_response(payload, back, false);
  return status;
}

void TlmChecker::b_transport(Payload& payload, sc_time& delay) {
  check_request(payload, false);
  const Transaction before = snapshot(payload);
  const sc_time at = sc_time_stamp() + delay;
  out->b_transport(payload, delay);
  if (sc_time_stamp() + delay < at) wrong("b_transport went back in time");
  check_response(payload, before);
  ++blocking_;
}

bool TlmChecker::get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) {
  const bool granted = out->get_direct_mem_ptr(payload, dmi);
  if (dmi.get_start_address() > dmi.get_end_address()) wrong("DMI range that ends before it begins");
  if (granted && dmi.get_dmi_ptr() == nullptr) wrong("DMI granted without a pointer");
  if (granted &&
      (payload.get_address() < dmi.get_start_address() || payload.get_address() > dmi.get_end_address()))
    wrong("DMI range that does not hold the address");
  return granted;
}

unsigned int TlmChecker::transport_dbg(Payload& payload) {
  const unsigned n = out->transport_dbg(payload);
  if (n > payload.get_data_length()) wrong("transport_dbg moved more than was asked");
  return n;
}

void TlmChecker::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) {
  in->invalidate_direct_mem_ptr(start, end);
}

}  // namespace meshkv::test
