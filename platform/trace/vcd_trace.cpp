#include "platform/trace/vcd_trace.h"

#include <algorithm>
#include <utility>

namespace meshkv::platform {

namespace {

constexpr std::uint64_t kEndBytes = 256;
constexpr std::size_t kCycle = 0, kCut = 1;  // the first two signals

std::string binary(std::uint64_t value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), static_cast<char>('0' + (value & 1)));
    value >>= 1;
  } while (value != 0);
  return digits;
}

std::string identifier(std::size_t n) {
  std::string id;
  do {
    id += static_cast<char>('!' + n % 94);
    n /= 94;
  } while (n != 0);
  return id;
}

VcdState state_of(const noc::RouterCore::VcView& view) {
  if (view.front == nullptr) return VcdState::kIdle;
  if (view.branches.empty()) return VcdState::kRouting;
  bool sends = false, waits = false;
  for (const noc::RouterCore::BranchView& b : view.branches) {
    sends = sends || (b.out_vc >= 0 && b.credit);
    waits = waits || b.out_vc < 0;
  }
  return sends ? VcdState::kSends : waits ? VcdState::kWaitsVc : VcdState::kNoCredit;
}

}  // namespace

VcdTrace::VcdTrace(const TraceConfig& config, ClockDomain& clock, std::vector<const noc::Router*> routers)
    : config_(config), file_(config.file, config.limit_bytes, kEndBytes), routers_(std::move(routers)) {
  clock.add_observer(*this, config.from);
}

std::size_t VcdTrace::add_signal(std::string& header, int bits, const std::string& name) {
  signals_.push_back({identifier(signals_.size()), 0, false});
  header += "$var wire " + std::to_string(bits) + " " + signals_.back().id + " " + name + " $end\n";
  return signals_.size() - 1;
}

/// Not before the simulation begins: only then it is known which ports are bound.
void VcdTrace::write_header() {
  std::string text =
      "$comment MeshKV-VP. One time unit is one cycle of the fabric clock. fifo counts flits on the link, "
      "credits "
      "those announced. state: 0 idle, 1 routing, 2 waits for an output VC, 3 has no credit, 4 may send "
      "$end\n"
      "$timescale 1 ns $end\n$scope module trace $end\n";
  add_signal(text, 64, "cycle");
  add_signal(text, 1, "cut");
  text += "$upscope $end\n";
  for (const noc::Router* router : routers_) {
    const std::string name = router->name();
    int scopes = 0;
    for (std::size_t begin = 0, end; begin != std::string::npos;
         begin = end == std::string::npos ? end : end + 1, ++scopes) {
      end = name.find('.', begin);
      text += "$scope module " + name.substr(begin, end == std::string::npos ? end : end - begin) + " $end\n";
    }
    for (int p = 0; p < kPorts; ++p) {
      const auto port = static_cast<Port>(p);
      if (!config_.wants(router->port(port).name())) continue;
      const bool input = router->port(port).in.get_base_port().size() > 0,
                 output = router->core().connected(port);
      if (!input && !output) continue;
      text += std::string("$scope module port_") + port_name(port) + " $end\n";
      ports_.push_back({router, port, input, output, signals_.size()});
      for (int vc = 0; vc < router->core().vcs(); ++vc) {
        const std::string prefix = "vc" + std::to_string(vc) + "_";
        if (input) add_signal(text, 8, prefix + "fifo");
        if (input) add_signal(text, 3, prefix + "state");
        if (output) add_signal(text, 8, prefix + "credits");
        if (output) add_signal(text, 1, prefix + "free");
      }
      if (output) add_signal(text, 64, "flits");
      if (output) add_signal(text, 64, "back_pressure");
      text += "$upscope $end\n";
    }
    for (; scopes > 0; --scopes) text += "$upscope $end\n";
  }
  text += "$enddefinitions $end\n";
  if (!file_.claim(text.size())) outcome_.cut_at = config_.from;
  file_.write(text);
}

void VcdTrace::change(std::size_t index, std::uint64_t value, std::string& text) {
  Signal& signal = signals_[index];
  if (signal.known && signal.value == value) return;
  signal.known = true;
  signal.value = value;
  text += "b" + binary(value) + " " + signal.id + "\n";
  ++outcome_.events;
}

void VcdTrace::sample_port(const PortSignals& p, Cycle at, std::string& text) {
  const noc::RouterCore& core = p.router->core();
  std::size_t signal = p.first;
  for (int vc = 0; vc < core.vcs(); ++vc) {
    if (p.input) {
      const noc::RouterCore::VcView view = core.view(p.port, vc);
      change(signal++, static_cast<std::uint64_t>(view.occupancy), text);
      change(signal++, static_cast<std::uint64_t>(state_of(view)), text);
    }
    if (p.output) {
      change(signal++, static_cast<std::uint64_t>(core.credits(p.port, vc)), text);
      change(signal++, core.output_free(p.port, vc) ? 1 : 0, text);
    }
  }
  if (!p.output) return;
  const noc::LinkStatistics link = core.link(p.port, at);
  change(signal++, link.flits(), text);
  change(signal++, link.back_pressure, text);
}

void VcdTrace::cut(Cycle at) {
  outcome_.cut_at = at;
  file_.write("#" + std::to_string(std::max(at, last_written_ + 1)) + "\nb1 " + signals_[kCut].id +
              "\n$comment trace cut: the limit of " + std::to_string(config_.limit_bytes) +
              " bytes was reached in cycle " + std::to_string(at) + " $end\n");
}

void VcdTrace::sample(Cycle at) {
  if (outcome_.cut_at) {
    ++outcome_.left_out;
    return;
  }
  text_ = "#" + std::to_string(at) + "\n";
  change(kCycle, at, text_);
  change(kCut, 0, text_);
  for (const PortSignals& port : ports_) sample_port(port, at, text_);
  if (!file_.claim(text_.size())) {
    ++outcome_.left_out;
    cut(at);
    return;
  }
  file_.write(text_);
  last_written_ = at;
}

Cycle VcdTrace::observe(Cycle now) {
  if (signals_.empty()) write_header();
  // What the last active cycle changed is seen from the next one on, and holds until now.
  const Cycle at = last_active_ ? *last_active_ + 1 : now;
  last_active_ = now;
  if (at >= config_.to) return kNever;
  sample(at);
  return now + 1;
}

TraceOutcome VcdTrace::finish(Cycle end) {
  if (signals_.empty()) write_header();
  if (last_active_ && *last_active_ + 1 < config_.to && *last_active_ + 1 > last_written_)
    sample(*last_active_ + 1);
  if (!outcome_.cut_at && end > last_written_)
    file_.write("#" + std::to_string(std::min(end, config_.to)) + "\n");
  file_.close();
  outcome_.bytes = file_.written();
  return outcome_;
}

}  // namespace meshkv::platform
