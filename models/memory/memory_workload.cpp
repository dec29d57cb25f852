#include "models/memory/memory_workload.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <stdexcept>

#include "models/common/seed.h"
#include "models/memory/memory_config.h"

namespace meshkv::memory {
namespace {

constexpr std::uint64_t kChannelBytes = std::uint64_t{256} << 20;

std::uint64_t granule_of(ChannelPolicy policy) {
  return policy == ChannelPolicy::kInterleave4K ? 4096 : policy == ChannelPolicy::kInterleave128 ? 128 : 0;
}

}  // namespace

std::vector<std::string> problems(const MemoryWorkloadConfig& c) {
  std::vector<std::string> all;
  const auto need = [&](bool ok, const char* what) {
    if (!ok) all.emplace_back(std::string("workload.") + what);
  };
  need(c.readers >= 1 && c.readers <= 1024, "readers must be 1 to 1024");
  need(c.channels >= 1 && c.channels <= 32, "channels must be 1 to 32");
  need(c.access_bytes >= 1 && c.access_bytes <= 65536, "access_bytes must be 1 to 65536");
  need(c.slice_bytes == 0 || (c.slice_bytes >= c.access_bytes && c.slice_bytes % c.access_bytes == 0),
       "slice_bytes must be a multiple of access_bytes");
  need(c.slice_bytes <= kChannelBytes, "slice_bytes must fit a channel (256 MiB)");
  need(c.pattern == AccessPattern::kChase || c.window_bytes >= c.access_bytes,
       "window_bytes must hold an access");
  need(c.pattern != AccessPattern::kStride || (c.stride_bytes >= 1 && c.stride_bytes <= kChannelBytes),
       "stride_bytes must be 1 to 256 MiB");
  need(c.read_fraction >= 0.0 && c.read_fraction <= 1.0, "read_fraction must be 0 to 1");
  need(c.offered_fraction >= 0.0 && c.offered_fraction <= 1.0, "offered_fraction must be 0 to 1");
  need(c.channel_policy != ChannelPolicy::kRandomPerSlice || c.slice_bytes != 0,
       "channel_policy random_per_slice needs slice_bytes");
  need(c.measure_cycles >= 1, "measure_cycles must be at least 1");
  return all;
}

/// Keeps a window of accesses outstanding. lt: runs ahead of the kernel by at most a quantum.
class MemoryWorkload::Reader : public sc_core::sc_module, public MemoryClient {
 public:
  MemoryPort port;

  Reader(sc_core::sc_module_name name, MemoryWorkload& parent, int number);
  void on_memory_response(std::uint64_t tag, Cycle when, bool ok) override;

 private:
  struct Access {
    int parts = 0;
    Cycle done = 0;
  };
  using Answer = std::pair<Cycle, std::uint32_t>;
  static constexpr Cycle kQuantumClocks = 256;

  static MemoryPortConfig port_config(const MemoryWorkload& parent);
  std::uint64_t random_place(std::uint64_t unit);
  bool random_write();
  void next_access();
  void issue(Cycle now);
  void finish(std::uint32_t id, Cycle when);
  void run_ahead();
  void keep_window_full();
  Cycle kernel_clock() const { return sc_core::sc_time_stamp().value() / w_.clock_.value(); }
  void go_at(Cycle clock) {
    go_.notify(sc_core::sc_time::from_value(clock * w_.clock_.value()) - sc_core::sc_time_stamp());
  }

  MemoryWorkload& w_;
  std::mt19937_64 random_;
  int window_ = 1, outstanding_ = 0, channel_ = 0;
  double gap_clocks_ = 0.0,
         due_ = 0.0;  ///< offered load: clocks from one access to the next, the next one's clock
  std::uint64_t address_ = 0, slice_left_ = 0;
  bool write_ = false, started_ = false, issuing_ = false;
  Cycle now_ = 0;  ///< lt: local time
  std::vector<Access> accesses_;
  std::deque<std::uint32_t> free_;
  std::vector<Place> parts_;
  std::priority_queue<Answer, std::vector<Answer>, std::greater<>> answers_;  ///< lt: named ahead of time
  sc_core::sc_event go_;
};

MemoryWorkload::Reader::Reader(sc_core::sc_module_name name, MemoryWorkload& parent, int number)
    : sc_module(name), port("port", port_config(parent)), w_(parent) {
  const MemoryWorkloadConfig& c = parent.config_;
  random_.seed(instance_seed(c.seed, this->name()));
  channel_ = number % c.channels;
  window_ = c.pattern == AccessPattern::kChase ? 1 : static_cast<int>(c.window_bytes / c.access_bytes);
  if (c.offered_fraction > 0.0)
    gap_clocks_ = static_cast<double>(c.access_bytes) * c.readers * parent.timing_.burst_clocks /
                  (c.offered_fraction * c.channels * parent.timing_.burst_bytes);
  address_ = random_place(c.slice_bytes != 0 ? c.slice_bytes : c.access_bytes);
  SC_HAS_PROCESS(Reader);
  if (parent.mode_ == TimingMode::kLt) {
    SC_METHOD(run_ahead);
  } else {
    SC_METHOD(keep_window_full);
  }
  sensitive << go_;
}

MemoryPortConfig MemoryWorkload::Reader::port_config(const MemoryWorkload& parent) {
  MemoryPortConfig p;
  p.clock_period = parent.clock_;
  p.mode = parent.mode_;
  p.outstanding = 1 << 20;  // the window is the reader's
  return p;
}

std::uint64_t MemoryWorkload::Reader::random_place(std::uint64_t unit) {
  return random_() % std::max<std::uint64_t>(1, w_.space_bytes() / unit) * unit;
}

bool MemoryWorkload::Reader::random_write() {
  const double reads = w_.config_.read_fraction;
  return reads < 1.0 && std::uniform_real_distribution<double>(0.0, 1.0)(random_) >= reads;
}

/// Address and kind of the next access.
void MemoryWorkload::Reader::next_access() {
  const MemoryWorkloadConfig& c = w_.config_;
  if (c.pattern == AccessPattern::kRandom || c.pattern == AccessPattern::kChase) {
    address_ = random_place(c.access_bytes);
    write_ = random_write();
    return;
  }
  if (c.slice_bytes != 0 && slice_left_ == 0) {
    slice_left_ = c.slice_bytes;
    address_ = random_place(c.slice_bytes);
    write_ = random_write();
    if (c.channel_policy == ChannelPolicy::kRandomPerSlice)
      channel_ = static_cast<int>(random_() % static_cast<unsigned>(c.channels));
  } else if (started_) {
    address_ += c.pattern == AccessPattern::kStride ? c.stride_bytes : c.access_bytes;
    if (address_ + c.access_bytes > w_.space_bytes()) address_ %= c.access_bytes;
  }
  started_ = true;
  if (c.slice_bytes == 0)
    write_ = random_write();
  else
    slice_left_ -= c.access_bytes;
}

void MemoryWorkload::Reader::issue(Cycle now) {
  next_access();
  auto id = static_cast<std::uint32_t>(accesses_.size());
  if (free_.empty()) {
    accesses_.emplace_back();
  } else {
    id = free_.front();
    free_.pop_front();
  }
  ++outstanding_;
  parts_.clear();
  w_.split(address_, w_.config_.access_bytes, channel_, parts_);
  accesses_[id] = {static_cast<int>(parts_.size()), 0};
  for (const Place& part : parts_) {
    if (write_)
      port.write(*this, w_.global_address(part), part.bytes, id, now);
    else
      port.read(*this, w_.global_address(part), part.bytes, id, now);
  }
}

void MemoryWorkload::Reader::on_memory_response(std::uint64_t tag, Cycle when, bool ok) {
  if (!ok) SC_REPORT_FATAL(name(), "the memory answered with an error");
  const auto id = static_cast<std::uint32_t>(tag);
  Access& access = accesses_[id];
  access.done = std::max(access.done, when);
  if (--access.parts != 0) return;
  if (w_.mode_ == TimingMode::kLt) {
    answers_.push({access.done, id});
    return;
  }
  finish(id, access.done);
  if (!issuing_) keep_window_full();
}

void MemoryWorkload::Reader::finish(std::uint32_t id, Cycle when) {
  free_.push_back(id);
  --outstanding_;
  if (when < w_.measure_from_ || when >= w_.measure_to_) return;
  w_.measured_bytes_ += w_.config_.access_bytes;
  ++w_.measured_accesses_;
}

void MemoryWorkload::Reader::run_ahead() {
  const Cycle kernel = kernel_clock();
  now_ = std::max(now_, kernel);
  for (;;) {
    if (outstanding_ >= window_) now_ = std::max(now_, answers_.top().first);
    if (gap_clocks_ > 0.0) now_ = std::max(now_, static_cast<Cycle>(std::ceil(due_)));
    const bool over = now_ >= w_.measure_to_;
    while (!answers_.empty() && (over || answers_.top().first <= now_)) {
      finish(answers_.top().second, answers_.top().first);
      answers_.pop();
    }
    if (over) return;
    if (now_ > kernel + kQuantumClocks) {
      go_at(now_);
      return;
    }
    due_ += gap_clocks_;
    issue(now_);
  }
}

void MemoryWorkload::Reader::keep_window_full() {
  const Cycle now = kernel_clock();
  issuing_ = true;
  while (now < w_.measure_to_ && outstanding_ < window_) {
    if (due_ > static_cast<double>(now)) {
      go_at(static_cast<Cycle>(std::ceil(due_)));
      break;
    }
    due_ += gap_clocks_;
    issue(now);
  }
  issuing_ = false;
}

MemoryWorkload::MemoryWorkload(sc_core::sc_module_name name, const MemoryWorkloadConfig& config,
                               TimingMode mode)
    : sc_module(name),
      config_(config),
      mode_(mode),
      timing_(config.device == MemoryDevice::kHbm ? DramTiming::hbm2() : DramTiming::ddr4()),
      channels_per_controller_(
          config.device == MemoryDevice::kHbm ? std::min(config.channels, kPseudoChannelsPerController) : 1),
      clock_(timing_.clock_ns, sc_core::SC_NS) {
  const std::vector<std::string> wrong = problems(config);
  if (!wrong.empty()) {
    std::string text;
    for (const std::string& w : wrong) text += (text.empty() ? "" : "; ") + w;
    throw std::invalid_argument(text);
  }
  const double clocks_per_cycle = 1e3 / config.clock_mhz / timing_.clock_ns;
  measure_from_ = static_cast<Cycle>(static_cast<double>(config.warmup_cycles) * clocks_per_cycle);
  measure_to_ =
      measure_from_ + static_cast<Cycle>(static_cast<double>(config.measure_cycles) * clocks_per_cycle) + 1;
  DramControllerConfig dram;
  dram.timing = timing_;
  dram.front_end_ns = config.front_end_ns;
  dram.interleave_bytes = 0;
  // The readers' windows are the bound: requests reach the schedulers in the order in which they were made.
  const bool chase = config.pattern == AccessPattern::kChase;  // one access at a time, whatever the window
  const std::uint64_t window =
      chase ? 1 : std::max<std::uint64_t>(1, config.window_bytes / config.access_bytes);
  constexpr std::uint64_t kNoBound = 1U << 30;
  dram.queue_requests =
      static_cast<int>(std::min(static_cast<std::uint64_t>(config.readers) * window * 32, kNoBound));
  MemoryInterconnectConfig wiring;
  for (int first = 0; first < config.channels; first += channels_per_controller_) {
    dram.channels = channels_per_controller_;
    dram.size_bytes = kChannelBytes * static_cast<std::uint64_t>(dram.channels);
    dram.base_address = kChannelBytes * static_cast<std::uint64_t>(first);
    const std::string kind = config.device == MemoryDevice::kHbm ? "hbm_" : "ddr_";
    const std::string number = std::to_string(controllers_.size());
    wiring.windows.push_back({dram.base_address, dram.size_bytes, static_cast<int>(controllers_.size())});
    controllers_.push_back(std::make_unique<DramController>((kind + number).c_str(), dram));
  }
  SC_HAS_PROCESS(MemoryWorkload);
  SC_METHOD(measure);
  interconnect_ = std::make_unique<MemoryInterconnect>("interconnect", wiring);
  for (auto& controller : controllers_) interconnect_->to_controllers.bind(controller->socket);
  for (int r = 0; r < config.readers; ++r) {
    readers_.push_back(std::make_unique<Reader>(("reader_" + std::to_string(r)).c_str(), *this, r));
    readers_.back()->port.socket.bind(interconnect_->from_ports);
  }
}

MemoryWorkload::~MemoryWorkload() = default;

/// Bytes that a reader's addresses run over: of a channel, or of all of them where they interleave.
std::uint64_t MemoryWorkload::space_bytes() const {
  return granule_of(config_.channel_policy) == 0
             ? kChannelBytes
             : kChannelBytes * static_cast<std::uint64_t>(config_.channels);
}

std::uint64_t MemoryWorkload::global_address(const Place& place) const {
  return kChannelBytes * static_cast<std::uint64_t>(place.channel) + place.address;
}

/// An access's share of each channel, contiguous there.
void MemoryWorkload::split(std::uint64_t address, std::uint32_t bytes, int channel,
                           std::vector<Place>& parts) const {
  const std::uint64_t granule = granule_of(config_.channel_policy);
  if (granule == 0) {
    parts.push_back({channel, address, bytes});
    return;
  }
  const auto n = static_cast<std::uint64_t>(config_.channels);
  const std::uint64_t end = address + bytes;
  while (address < end) {
    const auto piece = static_cast<std::uint32_t>(std::min(end, (address / granule + 1) * granule) - address);
    const auto c = static_cast<int>(address / granule % n);
    const auto same =
        std::find_if(parts.begin(), parts.end(), [c](const Place& p) { return p.channel == c; });
    if (same == parts.end())
      parts.push_back({c, address / granule / n * granule + address % granule, piece});
    else
      same->bytes += piece;
    address += piece;
  }
}

/// Runs at the begin of the measurement and at its end.
void MemoryWorkload::measure() {
  const auto until = [this](Cycle clock) {
    return sc_core::sc_time::from_value(clock * clock_.value()) - sc_core::sc_time_stamp();
  };
  const Cycle now = sc_core::sc_time_stamp().value() / clock_.value();
  if (now < measure_from_) {
    next_trigger(until(measure_from_));
  } else if (now < measure_to_) {
    for (auto& controller : controllers_) controller->reset_statistics();
    activations_before_ = dram_statistics().activations;
    next_trigger(until(measure_to_));
  } else {
    collect();
  }
}

DramController::DramStatistics MemoryWorkload::dram_statistics() const {
  DramController::DramStatistics sum;
  for (const auto& controller : controllers_) sum += controller->dram_statistics();
  return sum;
}

void MemoryWorkload::collect() {
  LatencyHistogram latency;
  for (auto& controller : controllers_) latency.add(controller->statistics().dram);
  const DramController::DramStatistics dram = dram_statistics();
  result_.mean_latency_ns = latency.mean() * timing_.clock_ns;
  result_.p50_latency_ns = static_cast<double>(latency.percentile(0.5)) * timing_.clock_ns;
  result_.p99_latency_ns = static_cast<double>(latency.percentile(0.99)) * timing_.clock_ns;
  result_.activations = dram.activations - activations_before_;
  result_.row_hit_rate = dram.row_hit_rate();
  result_.refresh_share = static_cast<double>(timing_.rfc) / static_cast<double>(timing_.refi);
  result_.queue_bursts = dram.queue_clocks / (static_cast<double>(measure_to_) * config_.channels);
}

MemoryWorkloadResult MemoryWorkload::result() const {
  MemoryWorkloadResult r = result_;
  const double ns = static_cast<double>(measure_to_ - measure_from_) * timing_.clock_ns;
  r.bytes = measured_bytes_;
  r.accesses = measured_accesses_;
  r.bandwidth_gbs = static_cast<double>(measured_bytes_) / ns;
  r.bandwidth_fraction = r.bandwidth_gbs / (timing_.peak_gbs() * config_.channels);
  if (config_.slice_bytes != 0 && measured_bytes_ != 0)
    r.slice_period_ns = static_cast<double>(config_.slice_bytes) * config_.readers / r.bandwidth_gbs;
  return r;
}

MemoryWorkloadResult MemoryWorkload::run() {
  sc_core::sc_start();
  return result();
}

bool MemoryWorkload::idle() const {
  const auto done = [](const auto& reader) {
    return reader->port.idle() && reader->port.live_payloads() == 0;
  };
  return interconnect_->idle() && std::all_of(readers_.begin(), readers_.end(), done) &&
         std::all_of(controllers_.begin(), controllers_.end(), [](const auto& c) { return c->idle(); });
}

}  // namespace meshkv::memory
