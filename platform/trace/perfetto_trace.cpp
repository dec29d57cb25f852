#include "platform/trace/perfetto_trace.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "models/mare/slice_scheduler.h"

namespace meshkv::platform {

namespace {

/// Transactions of a channel are told when they are answered, at most so long after they began.
constexpr Cycle kMemoryLag = 16384;
constexpr Cycle kLongestBusy = 4096;

std::string tile_name(const MeshShape& mesh, NodeId node) {
  const Coord at = mesh.coord(node);
  return "tile_" + std::to_string(at.x) + "_" + std::to_string(at.y);
}

std::string segment_name(const char* what, int layer, std::uint32_t segment) {
  return std::string(what) + " L" + std::to_string(layer) + " S" + std::to_string(segment);
}

std::string link_name(const noc::LinkName& link) {
  if (link.injection < 0) return std::string("port_") + port_name(link.port);
  return "injection_" + std::to_string(link.injection);
}

}  // namespace

// ---- ports

PortCounters::PortCounters(PerfettoWriter& writer, ClockDomain& clock, noc::LinkSet links,
                           std::function<int(NodeId)> process_of, std::function<Cycle(Cycle)> nothing_before)
    : writer_(writer),
      links_(std::move(links)),
      process_of_(std::move(process_of)),
      nothing_before_(std::move(nothing_before)) {
  const TraceConfig& config = writer.config();
  period_ = std::clamp<Cycle>((config.to - config.from) / 512, 16, 4096);
  for (const noc::LinkName& link : links_.names())
    if (process_of_(link.node) != 0) shown_.push_back({link, link_name(link), {}, ""});
  clock.add_observer(*this, period_);
}

void PortCounters::sample(Cycle at) {
  for (Shown& s : shown_) {
    const noc::LinkStatistics now = links_.statistics(s.link, at), d = now - s.last;
    s.last = now;
    const auto percent = [&](std::uint64_t n) {
      return 100.0 * static_cast<double>(n) / static_cast<double>(at - last_);
    };
    char text[160];
    std::snprintf(text, sizeof text,
                  "\"useful %%\":%.1f,\"back-pressure %%\":%.1f,\"control %%\":%.1f,\"duplicate %%\":%.1f",
                  percent(d.useful), percent(d.back_pressure), percent(d.control), percent(d.duplicate));
    // A counter holds its value until the next: it is set at the begin of the time that it is about.
    if (s.text == text || !writer_.config().covers(last_)) continue;
    writer_.counter(process_of_(s.link.node), s.name, last_, s.text = text);
  }
  last_ = at;
}

Cycle PortCounters::observe(Cycle now) {
  // Of a long pause two samples say everything.
  for (int k = 0; k < 2 && last_ + period_ <= now; ++k) sample(last_ + period_);
  if (last_ + period_ <= now) sample(now / period_ * period_);
  writer_.advance(nothing_before_(std::min(now, last_)));
  return last_ + period_;
}

// ---- a chip

PerfettoChipTrace::PerfettoChipTrace(const TraceConfig& config, Chip& chip)
    : clock_(chip.clock), mesh_(chip.plan.mesh()), writer_(config), tiles_(chip.tiles.size()) {
  make_controller_tracks(chip);
  make_tile_tracks(chip);
  make_memory_tracks(chip);
  ports_.emplace(
      writer_, chip.clock, chip.links(),
      [this](NodeId node) { return tiles_[node].shown ? tiles_[node].process : 0; },
      [this](Cycle now) { return nothing_before(now); });
}

PerfettoChipTrace::~PerfettoChipTrace() = default;

void PerfettoChipTrace::make_controller_tracks(Chip& chip) {
  int process = 0;
  controllers_.resize(chip.controllers.size());
  bool any = false;
  for (std::size_t c = 0; c < chip.controllers.size(); ++c) {
    if (!writer_.config().wants(chip.controllers[c]->name())) continue;
    if (process == 0) process = writer_.process("descriptor controllers");
    controllers_[c] = writer_.tracks(process, chip.controllers[c]->basename());
    any = true;
  }
  if (!any) return;
  chip.on_layer = [this](int layer, Cycle at) {
    if (!writer_.config().covers(at)) return;
    for (TrackGroup& track : controllers_)
      if (track.process != 0) writer_.begin(track, at, "layer " + std::to_string(layer));
  };
  chip.on_column_done = [this](int column, Cycle now) {
    writer_.end(controllers_[static_cast<std::size_t>(column)], now);
  };
}

void PerfettoChipTrace::make_tile_tracks(Chip& chip) {
  for (auto& tile : chip.tiles) {
    TileTracks& t = tiles_[tile->node()];
    // Flows of tiles that are shown pass through others, too.
    tile->pad.add_observer(*this);
    tile->home.set_observer(this);
    tile->reduce_root.set_observer(this);
    t.shown = writer_.config().wants(tile->name());
    if (!t.shown) continue;
    t.process = writer_.process(tile_name(mesh_, tile->node()));
    t.fetch = writer_.tracks(t.process, "Pf: KV_FETCH");
    t.data = writer_.tracks(t.process, "KV_DATA arrives");
    t.tm = writer_.tracks(t.process, "Tm");
    t.rd = writer_.tracks(t.process, "Rd");
    t.part = writer_.tracks(t.process, "PART");
    t.requests = writer_.tracks(t.process, "home: requests");
    t.stream = writer_.tracks(t.process, "home: slices");
    t.merge = writer_.tracks(t.process, "reduce root");
  }
}

void PerfettoChipTrace::make_memory_tracks(Chip& chip) {
  const auto add = [this](memory::DramController& controller) {
    std::vector<Busy> channels;
    if (writer_.config().wants(controller.name())) {
      const int process = writer_.process(controller.basename());
      for (int c = 0; c < controller.config().channels; ++c) {
        Busy busy;
        busy.track = writer_.tracks(process, "channel " + std::to_string(c));
        channels.push_back(std::move(busy));
      }
      controller.set_observer(this, static_cast<int>(channels_.size()));
    }
    channels_.push_back(std::move(channels));
  };
  for (int i = 0; i < chip.memory->hbm_controllers(); ++i) add(chip.memory->hbm(i));
  for (int i = 0; i < chip.memory->ddr_controllers(); ++i) add(chip.memory->ddr(i));
}

std::string PerfettoChipTrace::coordinates(NodeId node) const {
  const Coord at = mesh_.coord(node);
  return "(" + std::to_string(at.x) + ", " + std::to_string(at.y) + ")";
}

Cycle PerfettoChipTrace::nothing_before(Cycle now) const {
  const Cycle memory = now > kMemoryLag ? now - kMemoryLag : 0;
  return open_.empty() ? memory : std::min(memory, *open_.begin());
}

// ---- requests and segments

void PerfettoChipTrace::fetch_sent(const noc::Packet& fetch, Cycle now) {
  if (!writer_.config().covers(now)) return;
  if (!tiles_[fetch.source].shown && !tiles_[fetch.destination].shown) return;
  Fetch f;
  f.open = open_.insert(now);
  fetches_.emplace(FetchKey{fetch.source, fetch.key.layer, fetch.key.segment}, f);
}

void PerfettoChipTrace::fetch_accepted(NodeId, NodeId requester, int layer, std::uint32_t segment,
                                       Cycle now) {
  const auto found = fetches_.find({requester, layer, segment});
  if (found != fetches_.end()) found->second.accepted = now;
}

void PerfettoChipTrace::segment_done(const pad::SegmentTimes& times) {
  const FetchKey key{times.tile, times.layer, times.segment};
  const auto found = fetches_.find(key);
  if (found == fetches_.end()) return;
  found->second.times = times;
  release_held(times.tile);
  held_[times.tile] = key;
}

/// The segment that was done before was not the layer's last: its flow ends with its data.
void PerfettoChipTrace::release_held(NodeId tile) {
  const auto held = held_.find(tile);
  if (held == held_.end()) return;
  const auto fetch = fetches_.find(held->second);
  commit(fetch->first, fetch->second, nullptr, 0);
  fetches_.erase(fetch);
  held_.erase(held);
}

void PerfettoChipTrace::part_sent(const noc::Packet& part, Cycle now) {
  if (held_.count(part.source) != 0) parts_.emplace(part.source, PartFlow{now, part.destination});
}

void PerfettoChipTrace::part_merged(NodeId root, const noc::Packet& part, Cycle now) {
  const auto flow = parts_.find(part.source);
  if (flow == parts_.end() || flow->second.root != root) return;
  const auto held = held_.find(part.source);
  if (held != held_.end()) {
    const auto fetch = fetches_.find(held->second);
    commit(fetch->first, fetch->second, &flow->second, now);
    fetches_.erase(fetch);
    held_.erase(held);
  }
  parts_.erase(flow);
}

void PerfettoChipTrace::commit(const FetchKey& key, Fetch& fetch, const PartFlow* part, Cycle merged) {
  using Flow = PerfettoWriter::Flow;
  const pad::SegmentTimes& t = *fetch.times;
  const auto [tile, layer, segment] = key;
  TileTracks& own = tiles_[tile];
  TileTracks& home = tiles_[t.home];
  std::vector<PerfettoWriter::Span> spans;
  const std::string from = "\"from\":" + json_text(coordinates(tile)),
                    to = "\"home\":" + json_text(coordinates(t.home));
  if (own.shown)
    spans.push_back(
        {&own.fetch, t.sent, t.first_data, segment_name("KV_FETCH", layer, segment), to, Flow::kStart});
  if (home.shown && fetch.accepted)
    spans.push_back({&home.requests, *fetch.accepted, *fetch.accepted + 1,
                     segment_name("KV_FETCH", layer, segment), from, own.shown ? Flow::kStep : Flow::kNone});
  if (own.shown) {
    spans.push_back({&own.data, t.first_data, t.complete + 1, segment_name("KV_DATA", layer, segment), to,
                     part != nullptr ? Flow::kStep : Flow::kEnd});
    spans.push_back({&own.tm, t.tm_begin, t.tm_end, segment_name("q·K", layer, segment), ""});
    spans.push_back({&own.rd, t.rd_begin, t.rd_end, segment_name("softmax·V", layer, segment), ""});
    if (part != nullptr) {
      TileTracks& root = tiles_[part->root];
      spans.push_back({&own.part, part->sent, merged + 1, "PART L" + std::to_string(layer),
                       "\"root\":" + json_text(coordinates(part->root)),
                       root.shown ? Flow::kStep : Flow::kEnd});
      if (root.shown)
        spans.push_back(
            {&root.merge, merged, merged + 1, "PART L" + std::to_string(layer), from, Flow::kEnd});
    }
  }
  if (!spans.empty()) writer_.add(spans, own.shown ? ++flows_ : 0);
  open_.erase(fetch.open);
}

// ---- what homes send

void PerfettoChipTrace::slice_started(NodeId home, const mare::Slice& slice, Cycle now) {
  if (tiles_[home].shown && writer_.config().covers(now)) slices_[&slice] = open_.insert(now);
}

void PerfettoChipTrace::slice_sent(NodeId home, const mare::Slice& slice, Cycle now) {
  const auto found = slices_.find(&slice);
  if (found == slices_.end()) return;
  const std::size_t copies = slice.tree != nullptr ? slice.tree->destinations().size() : 1;
  writer_.add({{&tiles_[home].stream, *found->second, now + 1,
                segment_name(slice.replay ? "replay" : "KV_DATA", slice.key.layer, slice.key.segment),
                "\"group\":" + std::to_string(slice.key.group) + ",\"flits\":" +
                    std::to_string(slice.end_flit) + ",\"destinations\":" + std::to_string(copies)}});
  open_.erase(found->second);
  slices_.erase(found);
}

// ---- memory

void PerfettoChipTrace::transaction(int controller, std::size_t channel, const sc_core::sc_time& begin,
                                    const sc_core::sc_time& end, std::uint64_t bytes) {
  Busy& busy = channels_[static_cast<std::size_t>(controller)][channel];
  const Cycle from = begin.value() / clock_.period().value(), to = clock_.to_cycle(end);
  if (!writer_.config().covers(from)) return;
  if (busy.transactions != 0 && (from > busy.end || busy.end - busy.begin > kLongestBusy)) flush(busy);
  if (busy.transactions == 0) busy.begin = std::max(from, busy.end);
  busy.end = std::max(busy.end, to);
  ++busy.transactions;
  busy.bytes += bytes;
}

void PerfettoChipTrace::flush(Busy& busy) {
  if (busy.transactions == 0) return;
  writer_.add({{&busy.track, busy.begin, busy.end, "busy",
                "\"transactions\":" + std::to_string(busy.transactions) +
                    ",\"bytes\":" + std::to_string(busy.bytes)}});
  busy.transactions = busy.bytes = 0;
}

TraceOutcome PerfettoChipTrace::finish(Cycle end) {
  while (!held_.empty()) release_held(held_.begin()->first);
  for (auto& [key, fetch] : fetches_) {
    TileTracks& own = tiles_[std::get<0>(key)];
    if (own.shown)
      writer_.add({{&own.fetch, *fetch.open, end,
                    segment_name("KV_FETCH", std::get<1>(key), std::get<2>(key)), "\"answered\":false"}});
  }
  for (auto& channels : channels_)
    for (Busy& busy : channels) flush(busy);
  for (TrackGroup& track : controllers_) writer_.end(track, end);
  return writer_.finish(end);
}

// ---- a mesh

PerfettoMeshTrace::PerfettoMeshTrace(const TraceConfig& config, ClockDomain& clock, const noc::LinkSet& links)
    : writer_(config),
      processes_([&] {
        std::map<NodeId, int> processes;
        for (int n = 0; n < links.mesh().nodes(); ++n) {
          const auto node = static_cast<NodeId>(n);
          const std::string name = tile_name(links.mesh(), node);
          if (config.wants("mesh." + name)) processes[node] = writer_.process(name);
        }
        return processes;
      }()),
      ports_(
          writer_, clock, links,
          [this](NodeId node) {
            const auto found = processes_.find(node);
            return found == processes_.end() ? 0 : found->second;
          },
          [](Cycle now) { return now; }) {}

TraceOutcome PerfettoMeshTrace::finish(Cycle end) {
  return writer_.finish(end);
}

}  // namespace meshkv::platform
