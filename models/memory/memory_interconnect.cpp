#include "models/memory/memory_interconnect.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace meshkv::memory {

MemoryInterconnect::MemoryInterconnect(sc_core::sc_module_name name, const MemoryInterconnectConfig& config)
    : sc_module(name),
      from_ports("from_ports"),
      to_controllers("to_controllers"),
      config_(config),
      windows_(config.windows) {
  std::sort(windows_.begin(), windows_.end(),
            [](const AddressWindow& a, const AddressWindow& b) { return a.base < b.base; });
  for (std::size_t i = 1; i < windows_.size(); ++i) {
    const AddressWindow &a = windows_[i - 1], &b = windows_[i];
    if (b.base - a.base >= a.size_bytes) continue;
    std::ostringstream why;
    why << std::hex << "memory windows overlap: target " << a.target << " from 0x" << a.base << " has 0x"
        << a.size_bytes << " bytes, target " << b.target << " starts at 0x" << b.base;
    throw std::invalid_argument(why.str());
  }
  from_ports.register_b_transport(this, &MemoryInterconnect::b_transport);
  from_ports.register_nb_transport_fw(this, &MemoryInterconnect::nb_transport_fw);
  from_ports.register_get_direct_mem_ptr(this, &MemoryInterconnect::get_direct_mem_ptr);
  from_ports.register_transport_dbg(this, &MemoryInterconnect::transport_dbg);
  to_controllers.register_nb_transport_bw(this, &MemoryInterconnect::nb_transport_bw);
  to_controllers.register_invalidate_direct_mem_ptr(this, &MemoryInterconnect::invalidate_direct_mem_ptr);
  SC_HAS_PROCESS(MemoryInterconnect);
  SC_METHOD(serve_waiting);
  sensitive << wake_;
  dont_initialize();
}

void MemoryInterconnect::end_of_elaboration() {
  targets_.resize(to_controllers.size());
  initiators_.resize(from_ports.size());
  last_window_.assign(initiators_.size(), nullptr);
  for (const AddressWindow& w : windows_)
    if (w.target < 0 || static_cast<std::size_t>(w.target) >= targets_.size())
      SC_REPORT_FATAL(name(), "an address window names a target that is not bound");
  latency_.assign(initiators_.size(), std::vector<sc_core::sc_time>(targets_.size()));
  for (std::size_t i = 0; i < config_.switch_ns.size() && i < latency_.size(); ++i)
    for (std::size_t t = 0; t < config_.switch_ns[i].size() && t < targets_.size(); ++t)
      latency_[i][t] = sc_core::sc_time(config_.switch_ns[i][t], sc_core::SC_NS);
}

const AddressWindow* MemoryInterconnect::find_window(std::uint64_t address, std::uint64_t bytes) const {
  const auto after = std::upper_bound(windows_.begin(), windows_.end(), address,
                                      [](std::uint64_t a, const AddressWindow& w) { return a < w.base; });
  return after != windows_.begin() && holds(*(after - 1), address, bytes) ? &*(after - 1) : nullptr;
}

int MemoryInterconnect::decode(std::uint64_t address, std::uint64_t bytes) const {
  const AddressWindow* window = find_window(address, bytes);
  return window == nullptr ? -1 : window->target;
}

void MemoryInterconnect::b_transport(int initiator, Payload& payload, sc_core::sc_time& delay) {
  ++statistics_.requests;
  const std::uint64_t address = payload.get_address(), bytes = payload.get_data_length();
  const AddressWindow*& window = last_window_[static_cast<std::size_t>(initiator)];
  if (window == nullptr || !holds(*window, address, bytes)) window = find_window(address, bytes);
  if (window == nullptr) {
    ++statistics_.unmapped;
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  delay += latency_[static_cast<std::size_t>(initiator)][static_cast<std::size_t>(window->target)];
  to_controllers[window->target]->b_transport(payload, delay);
}

tlm::tlm_sync_enum MemoryInterconnect::nb_transport_fw(int initiator, Payload& payload, tlm::tlm_phase& phase,
                                                       sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) return begin_request(initiator, payload, phase, delay);
  if (phase == tlm::END_RESP) return end_response(payload, phase, delay);
  SC_REPORT_FATAL(name(), "phase that the base protocol does not allow on the forward path");
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum MemoryInterconnect::begin_request(int initiator, Payload& payload, tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
  ++statistics_.requests;
  const int target = decode(payload.get_address(), payload.get_data_length());
  if (target < 0) {
    ++statistics_.unmapped;
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  const auto [it, fresh] = routes_.emplace(&payload, Route{initiator, target});
  if (!fresh) SC_REPORT_FATAL(name(), "BEGIN_REQ of a transaction that is still under way");
  TargetLink& link = targets_[static_cast<std::size_t>(target)];
  if (link.request == nullptr && link.waiting.empty())
    return forward_request(it->second, payload, phase, delay);
  ++statistics_.queued_requests;
  if (payload.has_mm()) payload.acquire();
  link.waiting.push_back({&payload, sc_core::sc_time_stamp() + delay});
  return tlm::TLM_ACCEPTED;
}

/// Sends BEGIN_REQ to a free request channel. Returns, with `phase` and `delay`, what the initiator is to
/// see.
tlm::tlm_sync_enum MemoryInterconnect::forward_request(Route& route, Payload& payload, tlm::tlm_phase& phase,
                                                       sc_core::sc_time& delay) {
  TargetLink& link = targets_[static_cast<std::size_t>(route.target)];
  link.request = &payload;
  delay += latency_[static_cast<std::size_t>(route.initiator)][static_cast<std::size_t>(route.target)];
  const Route copy = route;  // the map may grow in the call
  const tlm::tlm_sync_enum status = to_controllers[copy.target]->nb_transport_fw(payload, phase, delay);
  if (status == tlm::TLM_ACCEPTED) return status;
  release_request_channel(link);
  if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) return status;
  // The response came with the call. Its turn at the port is managed in one place.
  routes_.at(&payload).target_done = status == tlm::TLM_COMPLETED;
  queue_response(copy, payload, delay);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum MemoryInterconnect::nb_transport_bw(int target, Payload& payload, tlm::tlm_phase& phase,
                                                       sc_core::sc_time& delay) {
  const auto it = routes_.find(&payload);
  if (it == routes_.end() || it->second.target != target) {
    SC_REPORT_FATAL(name(), "a controller answered a transaction that is not under way there");
    return tlm::TLM_COMPLETED;
  }
  const Route route = it->second;
  TargetLink& link = targets_[static_cast<std::size_t>(target)];
  if (link.request == &payload)
    release_request_channel(link);  // by END_REQ, or by a BEGIN_RESP that implies it
  if (phase == tlm::END_REQ) return from_ports[route.initiator]->nb_transport_bw(payload, phase, delay);
  if (phase != tlm::BEGIN_RESP)
    SC_REPORT_FATAL(name(), "phase that the base protocol does not allow backwards");
  InitiatorLink& back = initiators_[static_cast<std::size_t>(route.initiator)];
  if (back.response != nullptr || !back.waiting.empty()) {
    ++statistics_.queued_responses;
    queue_response(route, payload, delay);
    return tlm::TLM_ACCEPTED;
  }
  back.response = &payload;
  const tlm::tlm_sync_enum status = from_ports[route.initiator]->nb_transport_bw(payload, phase, delay);
  if (status != tlm::TLM_ACCEPTED) forget(route, payload);
  return status;
}

tlm::tlm_sync_enum MemoryInterconnect::end_response(Payload& payload, tlm::tlm_phase& phase,
                                                    sc_core::sc_time& delay) {
  const auto it = routes_.find(&payload);
  if (it == routes_.end()) {
    SC_REPORT_FATAL(name(), "END_RESP of a transaction that is not under way");
    return tlm::TLM_COMPLETED;
  }
  const Route route = it->second;
  forget(route, payload);
  if (!route.target_done) to_controllers[route.target]->nb_transport_fw(payload, phase, delay);
  return tlm::TLM_COMPLETED;
}

void MemoryInterconnect::queue_response(const Route& route, Payload& payload, const sc_core::sc_time& delay) {
  if (payload.has_mm()) payload.acquire();
  initiators_[static_cast<std::size_t>(route.initiator)].waiting.push_back(
      {&payload, sc_core::sc_time_stamp() + delay});
  wake_.notify(sc_core::SC_ZERO_TIME);
}

void MemoryInterconnect::forget(const Route& route, const Payload& payload) {
  routes_.erase(&payload);
  InitiatorLink& back = initiators_[static_cast<std::size_t>(route.initiator)];
  back.response = nullptr;
  if (!back.waiting.empty()) wake_.notify(sc_core::SC_ZERO_TIME);
}

void MemoryInterconnect::release_request_channel(TargetLink& link) {
  link.request = nullptr;
  if (!link.waiting.empty()) wake_.notify(sc_core::SC_ZERO_TIME);
}

/// In a process of its own and not from within a controller's or a port's call, so that neither is
/// re-entered.
void MemoryInterconnect::serve_waiting() {
  for (TargetLink& link : targets_) serve_request(link);
  for (InitiatorLink& link : initiators_) serve_response(link);
}

void MemoryInterconnect::serve_request(TargetLink& link) {
  while (link.request == nullptr && !link.waiting.empty()) {
    const Waiting next = link.waiting.front();
    link.waiting.pop_front();
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    sc_core::sc_time delay = next.at > now ? next.at - now : sc_core::SC_ZERO_TIME;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    Route& route = routes_.at(next.payload);
    const int initiator = route.initiator;
    if (forward_request(route, *next.payload, phase, delay) == tlm::TLM_UPDATED)
      from_ports[initiator]->nb_transport_bw(*next.payload, phase, delay);
    if (next.payload->has_mm()) next.payload->release();
  }
}

void MemoryInterconnect::serve_response(InitiatorLink& link) {
  while (link.response == nullptr && !link.waiting.empty()) {
    const Waiting next = link.waiting.front();
    link.waiting.pop_front();
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    sc_core::sc_time delay = next.at > now ? next.at - now : sc_core::SC_ZERO_TIME;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    const Route route = routes_.at(next.payload);
    link.response = next.payload;
    if (from_ports[route.initiator]->nb_transport_bw(*next.payload, phase, delay) != tlm::TLM_ACCEPTED) {
      forget(route, *next.payload);
      phase = tlm::END_RESP;  // the target still waits for it: it was told TLM_ACCEPTED
      if (!route.target_done) to_controllers[route.target]->nb_transport_fw(*next.payload, phase, delay);
    }
    if (next.payload->has_mm()) next.payload->release();
  }
}

bool MemoryInterconnect::get_direct_mem_ptr(int, Payload& payload, tlm::tlm_dmi& dmi) {
  const int target = decode(payload.get_address(), 1);
  if (target < 0) {
    dmi.allow_none();
    return false;
  }
  return to_controllers[target]->get_direct_mem_ptr(payload, dmi);
}

unsigned int MemoryInterconnect::transport_dbg(int, Payload& payload) {
  const int target = decode(payload.get_address(), 1);
  return target < 0 ? 0 : to_controllers[target]->transport_dbg(payload);
}

void MemoryInterconnect::invalidate_direct_mem_ptr(int, sc_dt::uint64 start, sc_dt::uint64 end) {
  for (unsigned i = 0; i < from_ports.size(); ++i)
    from_ports[static_cast<int>(i)]->invalidate_direct_mem_ptr(start, end);
}

}  // namespace meshkv::memory
