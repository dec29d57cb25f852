#include "tests/support/random_tlm.h"

namespace meshkv::test {
using sc_core::SC_NS;
using sc_core::sc_time;

namespace {
sc_time some_time(std::mt19937& random, unsigned below) {
  return sc_time(static_cast<double>(random() % below), SC_NS);
}
}  // namespace

RandomInitiator::RandomInitiator(sc_core::sc_module_name name, unsigned seed, int count, std::uint64_t base,
                                 std::uint64_t span)
    : sc_module(name), socket("socket"), random_(seed), left_(count), base_(base), span_(span) {
  socket.bind(*this);
  SC_HAS_PROCESS(RandomInitiator);
  SC_METHOD(send);
  sensitive << send_event_;
  SC_METHOD(answer);
  sensitive << answer_event_;
  dont_initialize();
}

void RandomInitiator::send() {
  if (request_ != nullptr || left_ == 0) return;
  const std::uint64_t address = base_ + random_() % (span_ / 64) * 64;
  if (busy_[address] != 0) {
    send_event_.notify(sc_time(5, SC_NS));
    return;
  }
  --left_;
  busy_[address] = 1;
  tlm::tlm_generic_payload& p = *pool_.allocate();
  p.acquire();
  auto& buffer = buffers_[&p];
  buffer.assign(64, 0);
  const bool write = random_() % 2 == 0;
  if (write)
    for (unsigned char& b : buffer) b = static_cast<unsigned char>(random_());
  if (write) written_[address] = buffer[7];
  p.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  p.set_address(address);
  p.set_data_ptr(buffer.data());
  p.set_data_length(64);
  p.set_streaming_width(64);
  p.set_byte_enable_ptr(nullptr);
  p.set_dmi_allowed(false);
  p.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  request_ = &p;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_time delay = random_() % 2 == 0 ? sc_core::SC_ZERO_TIME : some_time(random_, 20);
  const tlm::tlm_sync_enum status = socket->nb_transport_fw(p, phase, delay);
  if (status == tlm::TLM_ACCEPTED) return;
  request_ = nullptr;
  send_event_.notify(some_time(random_, 30));
  if (status == tlm::TLM_COMPLETED) {
    finish(p);
  } else if (phase == tlm::BEGIN_RESP) {
    response_ = &p;
    answer_event_.notify(delay + some_time(random_, 30));
  }
}

void RandomInitiator::finish(tlm::tlm_generic_payload& p) {
  if (!p.is_response_ok()) ++errors_;
  const auto known = written_.find(p.get_address());
  if (p.is_read() && p.is_response_ok() &&
      p.get_data_ptr()[7] != (known == written_.end() ? 0 : known->second))
    ++errors_;
  busy_[p.get_address()] = 0;
  ++done_;
  p.release();
}

void RandomInitiator::answer() {
  if (response_ == nullptr) return;
  tlm::tlm_generic_payload& p = *response_;
  response_ = nullptr;
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_time delay = sc_core::SC_ZERO_TIME;
  socket->nb_transport_fw(p, phase, delay);
  finish(p);
}

tlm::tlm_sync_enum RandomInitiator::nb_transport_bw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                                    sc_time& delay) {
  if (request_ == &p) {  // END_REQ, or a BEGIN_RESP that implies it
    request_ = nullptr;
    send_event_.notify(delay + some_time(random_, 30));
  }
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  switch (random_() % 3) {
    case 0:
      finish(p);
      return tlm::TLM_COMPLETED;
    case 1:
      phase = tlm::END_RESP;
      delay += some_time(random_, 10);
      finish(p);
      return tlm::TLM_UPDATED;
    default:
      response_ = &p;
      answer_event_.notify(delay + some_time(random_, 40));
      return tlm::TLM_ACCEPTED;
  }
}

RandomTarget::RandomTarget(sc_core::sc_module_name name, unsigned seed)
    : sc_module(name), socket("socket"), random_(seed) {
  socket.bind(*this);
  SC_HAS_PROCESS(RandomTarget);
  SC_METHOD(act);
  sensitive << event_;
  dont_initialize();
}

void RandomTarget::serve(tlm::tlm_generic_payload& p) {
  for (unsigned i = 0; i < p.get_data_length(); ++i) {
    if (p.is_write())
      bytes_[p.get_address() + i] = p.get_data_ptr()[i];
    else
      p.get_data_ptr()[i] = bytes_[p.get_address() + i];
  }
  p.set_response_status(tlm::TLM_OK_RESPONSE);
}

void RandomTarget::b_transport(tlm::tlm_generic_payload& p, sc_time& delay) {
  serve(p);
  delay += some_time(random_, 100);
}

tlm::tlm_sync_enum RandomTarget::nb_transport_fw(tlm::tlm_generic_payload& p, tlm::tlm_phase& phase,
                                                 sc_time& delay) {
  if (phase == tlm::END_RESP) {
    response_ = nullptr;
    p.release();
    event_.notify(some_time(random_, 20));
    return tlm::TLM_COMPLETED;
  }
  const unsigned choice = random_() % 4;
  if (choice == 0) {  // the response at once
    serve(p);
    delay += some_time(random_, 20);
    return tlm::TLM_COMPLETED;
  }
  p.acquire();
  if (choice == 1 && response_ == nullptr) {  // the response phase at once
    serve(p);
    phase = tlm::BEGIN_RESP;
    delay += some_time(random_, 20);
    response_ = &p;
    return tlm::TLM_UPDATED;
  }
  event_.notify(delay + some_time(random_, 50));
  if (choice == 2) {
    phase = tlm::END_REQ;
    delay += some_time(random_, 20);
    pending_.push_back({&p, sc_core::sc_time_stamp() + delay});
    return tlm::TLM_UPDATED;
  }
  request_ = &p;
  request_at_ = sc_core::sc_time_stamp() + delay;
  return tlm::TLM_ACCEPTED;
}

void RandomTarget::act() {
  const sc_time now = sc_core::sc_time_stamp();
  if (request_ != nullptr && now >= request_at_ && random_() % 2 == 0) {
    tlm::tlm_generic_payload* p = request_;
    request_ = nullptr;
    if (random_() % 2 == 0) {
      tlm::tlm_phase phase = tlm::END_REQ;
      sc_time delay = some_time(random_, 10);
      pending_.push_back({p, now + delay});
      socket->nb_transport_bw(*p, phase, delay);
    } else {
      pending_.push_front({p, now});  // its BEGIN_RESP stands for END_REQ
    }
  }
  if (response_ == nullptr && !pending_.empty() && now >= pending_.front().earliest) {
    tlm::tlm_generic_payload* p = pending_.front().payload;
    pending_.pop_front();
    serve(*p);
    response_ = p;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_time delay = sc_core::SC_ZERO_TIME;
    if (socket->nb_transport_bw(*p, phase, delay) != tlm::TLM_ACCEPTED) {
      response_ = nullptr;
      p->release();
    }
  }
  if (request_ != nullptr || (response_ == nullptr && !pending_.empty()))
    event_.notify(sc_time(1, SC_NS) + some_time(random_, 50));
}

}  // namespace meshkv::test
