#include "models/memory/memory_port.h"

namespace meshkv::memory {

MemoryPort::MemoryPort(sc_core::sc_module_name name, const MemoryPortConfig& config)
    : sc_module(name),
      socket("socket"),
      config_(config),
      period_(config.clock_period.value()),
      scratch_(config.max_bytes),
      loose_limit_(config.outstanding) {
  socket.bind(*this);
}

MemoryPort::~MemoryPort() = default;

void MemoryPort::read(MemoryClient& client, std::uint64_t address, std::uint32_t bytes, std::uint64_t tag,
                      Cycle now, unsigned char* data) {
  ++statistics_.reads;
  statistics_.read_bytes += bytes;
  start({&client, address, tag, now, data, bytes, false});
}

void MemoryPort::write(MemoryClient& client, std::uint64_t address, std::uint32_t bytes, std::uint64_t tag,
                       Cycle now, const unsigned char* data) {
  ++statistics_.writes;
  statistics_.write_bytes += bytes;
  // A generic payload has one data pointer for both directions; a target does not write through it on a
  // write.
  start({&client, address, tag, now, const_cast<unsigned char*>(data), bytes, true});
}

void MemoryPort::set_mode(TimingMode mode) {
  if (!idle()) SC_REPORT_FATAL(name(), "timing mode switched while transactions are under way");
  config_.mode = mode;
}

void MemoryPort::start(const Request& request) {
  if (request.data == nullptr && request.bytes > scratch_.size())
    SC_REPORT_FATAL(name(), "a transaction without data that is larger than max_bytes");
  if (config_.mode == TimingMode::kLt) {
    start_loosely(request);
    return;
  }
  waiting_.push_back(request);
  send_next();
}

void MemoryPort::fill(tlm::tlm_generic_payload& payload, const Request& request) {
  payload.set_command(request.is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(request.address);
  payload.set_data_ptr(request.data != nullptr ? request.data : scratch_.data());
  payload.set_data_length(request.bytes);
  payload.set_streaming_width(request.bytes);
  payload.set_byte_enable_ptr(nullptr);
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

sc_core::sc_time MemoryPort::delay_until(Cycle cycle, sc_core::sc_time::value_type now) const {
  const auto at = cycle * period_.divisor();
  return sc_core::sc_time::from_value(at > now ? at - now : 0);
}

/// One payload will do: b_transport is over when it returns, and our targets do not wait in it. A client that
/// asks again from within its answer finds the payload free.
void MemoryPort::start_loosely(const Request& request) {
  fill(loose_payload_, request);
  loose_payload_.set_extension(request.data == nullptr ? &timing_only_ : nullptr);
  const auto now = sc_core::sc_time_stamp().value();
  const Cycle begin = loose_limit_.first_free(request.asked, period_.quotient(now));
  sc_core::sc_time delay = delay_until(begin, now);
  ++under_way_;
  socket->b_transport(loose_payload_, delay);
  --under_way_;
  const bool ok = loose_payload_.is_response_ok();
  const Cycle when = to_cycle(now + delay.value());
  loose_limit_.add(begin, when);
  statistics_.errors += ok ? 0 : 1;
  statistics_.latency_cycles += when - request.asked;
  request.client->on_memory_response(request.tag, when, ok);
}

void MemoryPort::send_next() {
  if (sending_) return;  // the loop below goes on
  sending_ = true;
  while (request_ == nullptr && !waiting_.empty() && under_way_ < config_.outstanding) {
    const Request request = waiting_.front();
    waiting_.pop_front();
    tlm::tlm_generic_payload* payload = pool_.allocate();
    payload->acquire();
    RequestExtension* extension = payload->get_extension<RequestExtension>();
    if (extension == nullptr) {
      extension = &extensions_.emplace_back();
      payload->set_extension(extension);
    }
    extension->request = request;
    payload->set_extension(request.data == nullptr ? &timing_only_ : nullptr);
    fill(*payload, request);
    ++under_way_;
    request_ = payload;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = delay_until(request.asked, sc_core::sc_time_stamp().value());
    const tlm::tlm_sync_enum status = socket->nb_transport_fw(*payload, phase, delay);
    if (status == tlm::TLM_ACCEPTED) continue;
    request_ = nullptr;
    if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) continue;
    complete(*payload, delay);
    if (status == tlm::TLM_UPDATED) {
      phase = tlm::END_RESP;
      socket->nb_transport_fw(*payload, phase, delay);
    }
    payload->release();
  }
  sending_ = false;
}

tlm::tlm_sync_enum MemoryPort::nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                               sc_core::sc_time& delay) {
  if (request_ == &payload) request_ = nullptr;
  if (phase == tlm::END_REQ) {
    send_next();
    return tlm::TLM_ACCEPTED;
  }
  if (phase != tlm::BEGIN_RESP)
    SC_REPORT_FATAL(name(), "phase that the base protocol does not allow backwards");
  complete(payload, delay);
  send_next();
  payload.release();  // last, so that nothing that was sent meanwhile can be this payload
  phase = tlm::END_RESP;
  return tlm::TLM_UPDATED;
}

void MemoryPort::complete(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  --under_way_;
  const Request request = payload.get_extension<RequestExtension>()->request;
  const bool ok = payload.is_response_ok();
  const Cycle when = to_cycle(sc_core::sc_time_stamp().value() + delay.value());
  statistics_.errors += ok ? 0 : 1;
  statistics_.latency_cycles += when - request.asked;
  request.client->on_memory_response(request.tag, when, ok);
}

}  // namespace meshkv::memory
