#include "models/memory/dram_controller.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/memory/timing_only_extension.h"

namespace meshkv::memory {
namespace {

sc_core::sc_time::value_type to_units(double ns) {
  return sc_core::sc_time(ns, sc_core::SC_NS).value();
}

/// What one channel holds of consecutive bytes.
std::uint64_t granule_of(const DramControllerConfig& config) {
  return config.interleave_bytes != 0 ? config.interleave_bytes
                                      : config.size_bytes / static_cast<std::uint64_t>(config.channels);
}

}  // namespace

DramController::DramController(sc_core::sc_module_name name, const DramControllerConfig& config)
    : sc_module(name),
      socket("socket"),
      config_(config),
      clock_(to_units(config.timing.clock_ns)),
      front_end_(to_units(config.front_end_ns)),
      by_granule_(granule_of(config)),
      by_channel_(static_cast<std::uint64_t>(config.channels)),
      unit_ns_(sc_core::sc_time::from_value(1'000'000).to_seconds() * 1e3),
      loose_(static_cast<std::size_t>(config.channels), LooseChannel(config.timing)),
      schedulers_(static_cast<std::size_t>(config.channels), ChannelScheduler(config.timing)) {
  socket.bind(*this);
  SC_HAS_PROCESS(DramController);
  SC_METHOD(run);
  sensitive << wake_;
  dont_initialize();
}

DramController::~DramController() = default;

bool DramController::idle() const {
  return in_flight_ == 0 && held_request_ == nullptr && response_ == nullptr;
}

/// Sets an error status and returns false if the request cannot be served.
bool DramController::check(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address(), bytes = payload.get_data_length();
  tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  if (address < config_.base_address || address - config_.base_address >= config_.size_bytes ||
      bytes > config_.size_bytes - (address - config_.base_address))
    status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  else if (!payload.is_read() && !payload.is_write())
    status = tlm::TLM_OK_RESPONSE;
  else if (bytes == 0 || payload.get_data_ptr() == nullptr || payload.get_streaming_width() < bytes)
    status = tlm::TLM_BURST_ERROR_RESPONSE;
  else if (payload.get_byte_enable_ptr() != nullptr && payload.get_byte_enable_length() == 0)
    status = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  if (status == tlm::TLM_OK_RESPONSE) return true;
  ++statistics_.errors;
  payload.set_response_status(status);
  return false;
}

void DramController::transfer_data(tlm::tlm_generic_payload& payload) {
  if (payload.get_extension<TimingOnlyExtension>() != nullptr) return;
  const std::uint64_t local = payload.get_address() - config_.base_address;
  unsigned char* data = payload.get_data_ptr();
  const unsigned char* enable = payload.get_byte_enable_ptr();
  if (enable == nullptr) {
    if (payload.is_read())
      contents_.read(local, data, payload.get_data_length());
    else
      contents_.write(local, data, payload.get_data_length());
    return;
  }
  for (unsigned i = 0; i < payload.get_data_length(); ++i) {
    if (enable[i % payload.get_byte_enable_length()] != TLM_BYTE_ENABLED) continue;
    if (payload.is_read())
      contents_.read(local + i, data + i, 1);
    else
      contents_.write(local + i, data + i, 1);
  }
}

void DramController::set_background(const SparseMemory::Background& background) {
  contents_.set_background([background, base = config_.base_address](std::uint64_t local, unsigned char* data,
                                                                     std::uint64_t bytes) {
    background(base + local, data, bytes);
  });
}

/// Bytes of the first `granules` granules and `rest` bytes of the next that lie in channel `c`.
std::uint64_t DramController::share(std::uint64_t granules, std::uint64_t rest, std::uint64_t c) const {
  const std::uint64_t rounds = by_channel_.quotient(granules),
                      turn = granules - rounds * by_channel_.divisor();
  return (rounds + (turn > c ? 1 : 0)) * by_granule_.divisor() + (turn == c ? rest : 0);
}

/// The share of each channel that an access touches: contiguous there, since channels take turns.
template <typename Visit>
void DramController::for_each_part(const tlm::tlm_generic_payload& payload, Visit visit) const {
  const std::uint64_t local = payload.get_address() - config_.base_address,
                      end = local + payload.get_data_length();
  const std::uint64_t n = by_channel_.divisor(), granule = by_granule_.divisor();
  const std::uint64_t first = by_granule_.quotient(local);
  const std::uint64_t begin_rest = local - first * granule;
  if (end - first * granule <= granule) {  // the common case
    const std::uint64_t round = by_channel_.quotient(first);
    visit(Part{first - round * n, round * granule + begin_rest, end - local});
    return;
  }
  const std::uint64_t last = by_granule_.quotient(end - 1), end_rest = end - last * granule;
  for (std::uint64_t i = 0; i < std::min(n, last - first + 1); ++i) {
    const std::uint64_t c = by_channel_.remainder(first + i);
    const std::uint64_t from = share(first, begin_rest, c), to = share(last, end_rest, c);
    visit(Part{c, from, to - from});
  }
}

void DramController::count(const tlm::tlm_generic_payload& payload) {
  ++(payload.is_read() ? statistics_.reads : statistics_.writes);
  (payload.is_read() ? statistics_.read_bytes : statistics_.write_bytes) += payload.get_data_length();
}

void DramController::tell_observer(const tlm::tlm_generic_payload& payload,
                                   sc_core::sc_time::value_type begin,
                                   sc_core::sc_time::value_type end) const {
  if (payload.get_data_length() == 0) return;  // an ignored command
  std::size_t channel = 0;
  bool first = true;
  for_each_part(payload, [&](const Part& part) {
    if (first) channel = part.channel;
    first = false;
  });
  observer_->transaction(observer_id_, channel, sc_core::sc_time::from_value(begin),
                         sc_core::sc_time::from_value(end), payload.get_data_length());
}

void DramController::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (!check(payload)) return;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  if (!payload.is_read() && !payload.is_write()) return;
  const auto now = sc_core::sc_time_stamp().value();
  const Clk horizon = to_clk(now), arrival = to_clk(now + delay.value() + front_end_);
  Clk done = arrival, entered = INT64_MAX;
  for_each_part(payload, [&](const Part& part) {
    const LooseChannel::Result r = loose_[part.channel].access(part.address, part.bytes, arrival, horizon);
    done = std::max(done, r.done);
    entered = std::min(entered, r.entered);
  });
  const auto end = static_cast<sc_core::sc_time::value_type>(done) * clock_.divisor() - now;
  statistics_.latency_ns += static_cast<double>(end - delay.value()) * unit_ns_;
  statistics_.dram.add(done - entered);
  statistics_.done_bytes += payload.get_data_length();
  if (observer_ != nullptr) tell_observer(payload, now + delay.value(), now + end);
  count(payload);
  transfer_data(payload);
  if (config_.allow_dmi) payload.set_dmi_allowed(true);
  delay = sc_core::sc_time::from_value(end);
}

/// Takes a request in: it reaches the schedulers when it has passed the front end.
void DramController::accept(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  ++in_flight_;
  if (free_jobs_.empty()) {
    free_jobs_.push_back(static_cast<std::uint32_t>(jobs_.size()));
    jobs_.emplace_back();
  }
  const std::uint32_t job = free_jobs_.back();
  free_jobs_.pop_back();
  const auto begun = sc_core::sc_time_stamp().value() + delay.value();
  const Clk arrival = to_clk(begun + front_end_);
  jobs_[job] = {&payload, begun, INT64_MAX, arrival, 0};
  if (check(payload)) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (payload.is_read() || payload.is_write()) {
      count(payload);
      transfer_data(payload);
      arrivals_.push({arrival, order_++, job});
      wake_at(arrival);
      return;
    }
  }
  completions_.push({arrival, order_++, job});
  wake_at(arrival);
}

void DramController::submit(std::uint32_t job, Clk now) {
  const tlm::tlm_generic_payload& payload = *jobs_[job].payload;
  for_each_part(payload, [&](const Part& part) {
    ++jobs_[job].parts;
    schedulers_[part.channel].submit(job, part.address, part.bytes, payload.is_write(), now);
  });
}

void DramController::advance_channels(Clk now) {
  for (ChannelScheduler& channel : schedulers_) {
    if (channel.next() > now) continue;
    done_.clear();
    channel.advance(now, done_);
    for (const ChannelScheduler::Done& d : done_) {
      Job& job = jobs_[d.id];
      job.entered = std::min(job.entered, d.entered);
      job.done = std::max(job.done, d.done);
      if (--job.parts != 0) continue;
      statistics_.dram.add(job.done - job.entered);
      completions_.push({job.done, order_++, d.id});
    }
  }
}

void DramController::respond(Clk now) {
  while (response_ == nullptr && !completions_.empty() && completions_.top().at <= now) {
    const std::uint32_t id = completions_.top().job;
    completions_.pop();
    const Job job = jobs_[id];
    free_jobs_.push_back(id);
    --in_flight_;
    statistics_.latency_ns += static_cast<double>(sc_core::sc_time_stamp().value() - job.begun) * unit_ns_;
    if (observer_ != nullptr && job.payload->is_response_ok())
      tell_observer(*job.payload, job.begun, sc_core::sc_time_stamp().value());
    if (job.payload->is_response_ok()) statistics_.done_bytes += job.payload->get_data_length();
    response_ = job.payload;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum status = socket->nb_transport_bw(*job.payload, phase, delay);
    if (status == tlm::TLM_ACCEPTED) continue;
    response_ = nullptr;
    if (job.payload->has_mm()) job.payload->release();
  }
}

void DramController::end_held_request() {
  if (held_request_ == nullptr || full()) return;
  tlm::tlm_generic_payload& payload = *held_request_;
  const sc_core::sc_time stamp = sc_core::sc_time_stamp();
  // Not before the request itself, which may have been annotated with a later time.
  sc_core::sc_time delay = held_until_ > stamp ? held_until_ - stamp : sc_core::SC_ZERO_TIME;
  held_request_ = nullptr;
  accept(payload, delay);
  tlm::tlm_phase phase = tlm::END_REQ;
  socket->nb_transport_bw(payload, phase, delay);
}

void DramController::run() {
  const Clk now = static_cast<Clk>(clock_.quotient(sc_core::sc_time_stamp().value()));
  while (!arrivals_.empty() && arrivals_.top().at <= now) {
    submit(arrivals_.top().job, now);
    arrivals_.pop();
  }
  advance_channels(now);
  respond(now);
  end_held_request();
  Clk next = arrivals_.empty() ? ChannelScheduler::kNoClk : arrivals_.top().at;
  if (response_ == nullptr && !completions_.empty()) next = std::min(next, completions_.top().at);
  for (const ChannelScheduler& channel : schedulers_) next = std::min(next, channel.next());
  if (next != ChannelScheduler::kNoClk) wake_at(next);
}

void DramController::wake_at(Clk at) {
  const sc_core::sc_time then = to_time(at), stamp = sc_core::sc_time_stamp();
  wake_.notify(then > stamp ? then - stamp : sc_core::SC_ZERO_TIME);
}

tlm::tlm_sync_enum DramController::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                                   sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ) {
    if (held_request_ != nullptr)
      SC_REPORT_FATAL(name(), "BEGIN_REQ before the END_REQ of the request before (base protocol, rule 1)");
    if (payload.has_mm()) payload.acquire();
    if (full()) {
      ++statistics_.queue_full;
      held_request_ = &payload;
      held_until_ = sc_core::sc_time_stamp() + delay;
      return tlm::TLM_ACCEPTED;
    }
    accept(payload, delay);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  if (phase == tlm::END_RESP && &payload == response_) {
    response_ = nullptr;
    if (payload.has_mm()) payload.release();
    if (!completions_.empty()) wake_at(completions_.top().at);
    return tlm::TLM_COMPLETED;
  }
  SC_REPORT_FATAL(name(), "phase that the base protocol does not allow here");
  return tlm::TLM_COMPLETED;
}

DramController::DramStatistics& DramController::DramStatistics::operator+=(const DramStatistics& other) {
  bursts += other.bursts;
  activations += other.activations;
  refreshes += other.refreshes;
  turnarounds += other.turnarounds;
  busy_clocks += other.busy_clocks;
  queue_clocks += other.queue_clocks;
  return *this;
}

DramController::DramStatistics DramController::dram_statistics() const {
  DramStatistics sum;
  for (const ChannelScheduler& channel : schedulers_) {
    const ChannelScheduler::Statistics& s = channel.statistics();
    sum.bursts += s.read_bursts + s.write_bursts;
    sum.activations += s.activations;
    sum.refreshes += s.refreshes;
    sum.turnarounds += s.turnarounds;
    sum.busy_clocks += s.busy_clocks;
    sum.queue_clocks += s.queue_clocks;
  }
  for (const LooseChannel& channel : loose_) {
    sum.bursts += channel.statistics().bursts;
    sum.activations += channel.statistics().activations;
  }
  return sum;
}

bool DramController::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  const bool mine = address >= config_.base_address && address - config_.base_address < config_.size_bytes;
  const std::uint64_t page =
      mine ? (address - config_.base_address) / SparseMemory::kPageBytes * SparseMemory::kPageBytes : 0;
  dmi.set_start_address(config_.base_address + page);
  dmi.set_end_address(
      config_.base_address +
      (mine ? std::min(page + SparseMemory::kPageBytes, config_.size_bytes) : config_.size_bytes) - 1);
  if (!config_.allow_dmi || !mine) {
    dmi.allow_none();
    return false;
  }
  dmi.set_dmi_ptr(contents_.page(page));
  dmi.allow_read_write();
  // One burst on an idle channel with its row open.
  const auto clocks =
      static_cast<sc_core::sc_time::value_type>(config_.timing.cl + config_.timing.burst_clocks + 1);
  const sc_core::sc_time latency = sc_core::sc_time::from_value(front_end_ + clocks * clock_.divisor());
  dmi.set_read_latency(latency);
  dmi.set_write_latency(latency);
  return true;
}

unsigned int DramController::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  if (address < config_.base_address || address - config_.base_address >= config_.size_bytes) return 0;
  const std::uint64_t local = address - config_.base_address;
  const auto bytes =
      static_cast<unsigned>(std::min<std::uint64_t>(payload.get_data_length(), config_.size_bytes - local));
  if (payload.is_read())
    contents_.read(local, payload.get_data_ptr(), bytes);
  else if (payload.is_write())
    contents_.write(local, payload.get_data_ptr(), bytes);
  else
    return 0;
  return bytes;
}

}  // namespace meshkv::memory
