#include "platform/trace/vcd_trace.h"

#include <algorithm>
#include <utility>

namespace meshkv::platform {

namespace {

constexpr std::uint64_t kEndBytes = 256;
constexpr std::size_t kCycle = 0, kCut = 1;  // the first two signals

using Mask = noc::RouterWatch::Mask;
constexpr unsigned kIndices = noc::RouterWatch::kIndices;

// Signals of a router: a kind has one for each VC, or (the last two) for each port.
enum Kind : unsigned { kLevel, kState, kCredits, kFree, kFlits, kBackPressure, kKinds };

constexpr Mask bit(unsigned vc) {
  return Mask{1} << vc;
}
unsigned first(Mask mask) {
  return static_cast<unsigned>(__builtin_ctzll(mask));
}

}  // namespace

VcdTrace::VcdTrace(const TraceConfig& config, ClockDomain& clock, std::vector<const noc::Router*> routers)
    : config_(config), file_(config.file, config.limit_bytes, kEndBytes), all_(std::move(routers)) {
  clock.add_observer(*this, config.from);
}

VcdIdentifier& VcdTrace::id_of(const RouterSignals& signals, unsigned kind, unsigned vc) {
  return ids_[signals.first + kind * kIndices + vc];
}

void VcdTrace::declare(std::string& header, int bits, const std::string& name, VcdIdentifier& id) {
  id = VcdIdentifier(signals_++);
  header += "$var wire " + std::to_string(bits) + " " + std::string(id.name()) + " " + name + " $end\n";
}

void VcdTrace::add_port(RouterSignals& signals, Port port, std::string& header) {
  const noc::RouterCore& core = signals.router->core();
  const bool input = signals.router->port(port).in.get_base_port().size() > 0, output = core.connected(port);
  if (!config_.wants(signals.router->port(port).name()) || (!input && !output)) return;
  header += std::string("$scope module port_") + port_name(port) + " $end\n";
  const unsigned p = static_cast<unsigned>(port), vcs = static_cast<unsigned>(core.vcs());
  for (unsigned vc = 0; vc < vcs; ++vc) {
    const unsigned index = p * noc::RouterCore::kStride + vc;
    const std::string prefix = "vc" + std::to_string(vc) + "_";
    if (input) {
      signals.inputs |= bit(index);
      declare(header, 8, prefix + "fifo", id_of(signals, kLevel, index));
      declare(header, 3, prefix + "state", id_of(signals, kState, index));
    }
    if (output) {
      signals.outputs |= bit(index);
      declare(header, 8, prefix + "credits", id_of(signals, kCredits, index));
      declare(header, 1, prefix + "free", id_of(signals, kFree, index));
    }
  }
  if (output) {
    signals.ports |= 1U << p;
    declare(header, 64, "flits", id_of(signals, kFlits, p));
    declare(header, 64, "back_pressure", id_of(signals, kBackPressure, p));
  }
  header += "$upscope $end\n";
}

/// Not before the simulation begins: only then it is known which ports are bound.
void VcdTrace::write_header() {
  const std::size_t per_router = std::size_t{kKinds} * kIndices;
  ids_.assign(2 + all_.size() * per_router, VcdIdentifier(0));
  text_.reserve(ids_.size() + 1);
  std::string text =
      "$comment MeshKV-VP. One time unit is one cycle of the fabric clock. fifo counts flits on the link, "
      "credits "
      "those announced. state: 0 idle, 1 routing, 2 waits for an output VC, 3 has no credit, 4 may send "
      "$end\n"
      "$timescale 1 ns $end\n$scope module trace $end\n";
  declare(text, 64, "cycle", ids_[kCycle]);
  declare(text, 1, "cut", ids_[kCut]);
  text += "$upscope $end\n";
  for (const noc::Router* router : all_) {
    const std::string name = router->name();
    int scopes = 0;
    for (std::size_t begin = 0, end; begin != std::string::npos;
         begin = end == std::string::npos ? end : end + 1, ++scopes) {
      end = name.find('.', begin);
      text += "$scope module " + name.substr(begin, end == std::string::npos ? end : end - begin) + " $end\n";
    }
    routers_.push_back({router});
    routers_.back().first = 2 + (routers_.size() - 1) * per_router;
    for (int p = 0; p < kPorts; ++p) add_port(routers_.back(), static_cast<Port>(p), text);
    for (; scopes > 0; --scopes) text += "$upscope $end\n";
  }
  text += "$enddefinitions $end\n";
  if (!file_.claim(text.size())) {
    outcome_.cut_at = config_.from;
    text = "$comment trace cut: the limit of " + std::to_string(config_.limit_bytes) +
           " bytes is less than the names of the signals need $end\n$enddefinitions $end\n";
  }
  file_.write(text);
}

void VcdTrace::vector(std::uint64_t value, const VcdIdentifier& id) {
  text_.vector(value, id);
  ++outcome_.events;
}

void VcdTrace::sample_router(RouterSignals& s, Cycle at) {
  noc::RouterWatch& old = s.written;
  s.router->core().watch(at, now_);
  const Mask all = begun_ ? 0 : ~Mask{0};
  for (Mask m = (noc::RouterWatch::differ(now_.level, old.level) | all) & s.inputs; m != 0; m &= m - 1)
    vector(noc::RouterWatch::at(now_.level, first(m)), id_of(s, kLevel, first(m)));
  for (Mask m = (noc::RouterWatch::differ(now_.state, old.state) | all) & s.inputs; m != 0; m &= m - 1)
    vector(noc::RouterWatch::at(now_.state, first(m)), id_of(s, kState, first(m)));
  for (Mask m = ((now_.free_outputs ^ old.free_outputs) | all) & s.outputs; m != 0; m &= m - 1) {
    text_.bit((now_.free_outputs >> first(m) & 1U) != 0, id_of(s, kFree, first(m)));
    ++outcome_.events;
  }
  if (all != 0 || now_.credits != old.credits)
    for (Mask m = s.outputs; m != 0; m &= m - 1)
      if (const unsigned o = first(m); all != 0 || now_.credits[o] != old.credits[o])
        vector(now_.credits[o], id_of(s, kCredits, o));
  for (unsigned p = 0; p < kPorts; ++p) {
    if ((s.ports >> p & 1U) == 0) continue;
    if (all != 0 || now_.flits[p] != old.flits[p]) vector(now_.flits[p], id_of(s, kFlits, p));
    if (all != 0 || now_.back_pressure[p] != old.back_pressure[p])
      vector(now_.back_pressure[p], id_of(s, kBackPressure, p));
  }
  old = now_;
}

void VcdTrace::cut(Cycle at) {
  outcome_.cut_at = at;
  file_.write("#" + std::to_string(std::max(at, last_written_ + 1)) + "\n1" + std::string(ids_[kCut].name()) +
              "\n$comment trace cut: the limit of " + std::to_string(config_.limit_bytes) +
              " bytes was reached in cycle " + std::to_string(at) + " $end\n");
}

void VcdTrace::sample(Cycle at) {
  text_.clear();
  text_.time(at);
  vector(at, ids_[kCycle]);
  if (!begun_) text_.bit(false, ids_[kCut]);
  for (RouterSignals& router : routers_) sample_router(router, at);
  begun_ = true;
  if (!file_.claim(text_.view().size())) {
    cut(at);
    return;
  }
  file_.write(text_.view());
  last_written_ = at;
}

Cycle VcdTrace::observe(Cycle now) {
  if (ids_.empty()) write_header();
  // What the last active cycle changed is seen from the next one on, and holds until now.
  const Cycle at = last_active_ ? *last_active_ + 1 : now;
  last_active_ = now;
  if (outcome_.cut_at || at >= config_.to) return kNever;
  sample(at);
  return outcome_.cut_at ? kNever : now + 1;
}

TraceOutcome VcdTrace::finish(Cycle end) {
  if (ids_.empty()) write_header();
  const Cycle to = std::min(end, config_.to);
  if (!outcome_.cut_at && last_active_ && *last_active_ + 1 < config_.to && *last_active_ + 1 > last_written_)
    sample(*last_active_ + 1);
  if (outcome_.cut_at)
    outcome_.left_out = to > *outcome_.cut_at ? to - *outcome_.cut_at : 0;
  else if (end > last_written_)
    file_.write("#" + std::to_string(to) + "\n");
  file_.close();
  outcome_.bytes = file_.written();
  return outcome_;
}

}  // namespace meshkv::platform
