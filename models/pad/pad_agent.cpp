#include "models/pad/pad_agent.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "models/mare/data_kinds.h"

namespace meshkv::pad {

PadAgent::PadAgent(sc_core::sc_module_name name, NodeId node, const PadConfig& config, int packet_flits,
                   ClockDomain& clock, const workload::DecodePlan& plan, Scoreboard& scoreboard,
                   noc::NetworkAccess& network, data::DataPlane* data, check::FabricAudit* audit)
    : sc_module(name),
      node_(node),
      config_(config),
      packet_flits_(static_cast<std::uint32_t>(packet_flits)),
      clock_(clock),
      plan_(plan),
      scoreboard_(scoreboard),
      network_(network),
      clock_id_(clock.add(*this)),
      home_credits_(static_cast<std::size_t>(plan.mesh().nodes()),
                    static_cast<std::uint8_t>(config.home_credits)),
      macs_(config.enabled ? config.fifo_flits : 0, config.macs_per_cycle),
      data_(data),
      audit_(audit) {
  if (data_ != nullptr)
    attention_ = std::make_unique<data::AttentionUnit>(plan, data_->codec(), data_->source());
}

void PadAgent::wake(Cycle at) {
  clock_.wake(clock_id_, std::max(at, clock_.now() + 1));
}

const workload::WorkItem& PadAgent::item(std::uint32_t index) const {
  return plan_.layer(layer_).items[node_][index];
}

void PadAgent::begin_layer(int layer) {
  layer_ = layer;
  done_count_ = 0;
  next_item_ = 0;
  if (attention_ != nullptr) attention_->begin_layer(layer);
}

bool PadAgent::descriptor(std::uint32_t segment, Cycle at) {
  const auto& items = plan_.layer(layer_).items[node_];
  if (next_item_ < items.size() && items[next_item_].segment == segment) {
    queue_.push_back({next_item_++, at});
    wake(at);
    return true;
  }
  const auto taken = items.begin() + next_item_;
  const bool repeated = std::any_of(
      items.begin(), taken, [segment](const workload::WorkItem& work) { return work.segment == segment; });
  if (repeated) ++statistics_.repeated_descriptors;
  return repeated;
}

// ---- Pf
// ----------------------------------------------------------------------------------------------------------

int PadAgent::outstanding_limit() const {
  return std::min(config_.outstanding_per_stream * plan_.decode().streams, config_.outstanding_per_tile);
}

void PadAgent::issue_fetches(Cycle now) {
  // Without Pad nothing is fetched while fetched segments wait for, or are in, computation.
  while (!queue_.empty() && queue_.front().at <= now) {
    const std::size_t held = config_.enabled ? returns_.size() : batch_.size();
    if (static_cast<int>(active_.size() + held) >= outstanding_limit()) break;
    if (!config_.enabled && !computing_.empty()) break;
    const std::uint32_t index = queue_.front().index;
    const NodeId home = plan_.home(layer_, item(index).segment);
    if (home_credits_[home] == 0) {
      if (stalled_since_ == kNever) stalled_since_ = now;
      return;
    }
    if (stalled_since_ != kNever) statistics_.credit_stall_cycles += now - stalled_since_;
    stalled_since_ = kNever;
    queue_.pop_front();
    send_fetch(index, home, now);
  }
  if (!queue_.empty() && queue_.front().at > now) wake(queue_.front().at);
}

void PadAgent::send_fetch(std::uint32_t index, NodeId home, Cycle now) {
  const workload::WorkItem& work = item(index);
  const workload::SliceSize size = plan_.slice_size(work.tokens);
  ActiveSegment active;
  active.index = index;
  active.segment = work.segment;
  active.home = home;
  active.sent = now;
  noc::PayloadKey key;
  key.segment = work.segment;
  key.layer = static_cast<std::uint16_t>(layer_);
  const mare::GroupMask groups = mare::line_groups(work.heads, plan_.decode().layout.heads_per_line);
  mare::for_each_set(groups, [&](int group) {
    SliceState slice;
    slice.group = key.group = static_cast<std::uint16_t>(group);
    slice.flits = size.flits;
    slice.k_flits = size.k_flits;
    slice.macs_per_line = plan_.macs_per_line(work.heads, group, work.streams);
    slice.seen.assign((size.flits / packet_flits_ + 64) / 64, 0);
    if (data_ != nullptr) {
      if (!spare_bytes_.empty()) {
        slice.bytes = std::move(spare_bytes_.back());
        spare_bytes_.pop_back();
      }
      slice.bytes.assign(std::size_t{size.flits} * plan_.slice_layout().flit_bytes(), 0xff);
    }
    active.missing_flits += size.flits;
    scoreboard_.expect(node_, key, size.flits);
    active.slices.push_back(std::move(slice));
  });
  active_.push_back(std::move(active));
  --home_credits_[home];
  ++statistics_.fetches;

  noc::Packet* packet = network_.allocate();
  packet->packet_class = noc::PacketClass::kKvFetch;
  packet->source = node_;
  packet->destination = home;
  packet->key = key;
  packet->flits = 1;
  packet->user = index;
  for (PadObserver* observer : observers_) observer->fetch_sent(*packet, now);
  network_.send(packet, now);
}

// ---- arrival
// -----------------------------------------------------------------------------------------------------

PadAgent::ActiveSegment* PadAgent::find(const noc::Packet& packet) {
  if (packet.key.layer != layer_) return nullptr;
  for (ActiveSegment& a : active_) {
    if (a.segment == packet.key.segment) return &a;
  }
  return nullptr;
}

bool PadAgent::is_new(SliceState& slice, const noc::Packet& packet, bool mark) {
  // An lt chunk covers several packets; homes never send a chunk that is new in part only.
  if ((slice.seen[packet.key.index / 64] >> (packet.key.index % 64) & 1) != 0) return false;
  if (!mark) return true;
  const std::uint32_t end = packet.key.index + (packet.flits + packet_flits_ - 1) / packet_flits_;
  for (std::uint32_t i = packet.key.index; i < end;) {
    const std::uint32_t n = std::min(64 - i % 64, end - i);
    slice.seen[i / 64] |= (n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1) << (i % 64);
    i += n;
  }
  return true;
}

bool PadAgent::asked_before(const noc::Packet& packet) const {
  if (packet.key.layer != layer_) return true;  // its own layer's barrier vouches for it
  for (const workload::WorkItem& work : plan_.layer(layer_).items[node_]) {
    if (work.segment != packet.key.segment) continue;
    if (mare::line_groups(work.heads, plan_.decode().layout.heads_per_line).test(packet.key.group))
      return true;
  }
  return false;
}

Cycle PadAgent::on_head(const noc::Packet& packet, Cycle now) {
  ActiveSegment* active = find(packet);
  // lt moves chunks larger than the FIFOs, of slices that trickle in side by side. A slow tile shows in when
  // its segments are done, and holds its homes back by what it asks for, not by what stands on the links.
  if (active == nullptr || !config_.enabled || mode_ == TimingMode::kLt) return now;
  for (SliceState& slice : active->slices) {
    if (slice.group != packet.key.group || !is_new(slice, packet, false)) continue;
    return macs_.room(packet.key.index * packet_flits_ >= slice.k_flits, packet.flits, now);
  }
  return now;
}

void PadAgent::on_data(const noc::Packet& packet, Cycle now) {
  ActiveSegment* active = find(packet);
  SliceState* slice = nullptr;
  if (active != nullptr) {
    for (SliceState& s : active->slices) {
      if (s.group == packet.key.group) slice = &s;
    }
  }
  if (slice == nullptr || !is_new(*slice, packet, true)) {
    // A second copy of what this tile has had is dropped in front of the MACs; what it never asked for is a
    // defect.
    if (slice != nullptr || asked_before(packet)) {
      scoreboard_.filter(node_, packet.key, packet.flits);
    } else {
      scoreboard_.accept(node_, packet.key, packet.flits);
    }
    return;
  }
  scoreboard_.accept(node_, packet.key, packet.flits);
  slice->received += packet.flits;
  if (data_ != nullptr) {
    const std::size_t flit_bytes = plan_.slice_layout().flit_bytes();
    std::memcpy(slice->bytes.data() + std::size_t{packet.key.index} * packet_flits_ * flit_bytes,
                packet.bytes(), packet.flits * flit_bytes);
  }
  active->missing_flits -= packet.flits;
  active->complete = std::max(active->complete, now);
  if (!observers_.empty())
    active->times.first_data =
        std::min(active->times.first_data, now - std::min<Cycle>(now, packet.flits - 1U));
  if (config_.enabled) {
    const Cycle head = mode_ == TimingMode::kLt ? clock_.now() : now - (packet.flits - 1U);
    consume(*active, *slice, packet, head, now);
  }
  if (active->missing_flits == 0) segment_arrived(*active, now);
}

void PadAgent::consume(ActiveSegment& active, SliceState& slice, const noc::Packet& packet, Cycle head,
                       Cycle tail) {
  const std::uint32_t first = packet.key.index * packet_flits_;
  const std::uint32_t k =
      first >= slice.k_flits ? 0 : std::min<std::uint32_t>(packet.flits, slice.k_flits - first);
  if (k != 0)
    serve(active.times, false, k, slice, head, k == packet.flits ? tail : std::min(head + k - 1, tail));
  if (k != packet.flits) serve(active.times, true, packet.flits - k, slice, std::min(head + k, tail), tail);
}

/// MacPipeline::serve(), noted for the observers.
Cycle PadAgent::serve(SegmentTimes& times, bool v, std::uint32_t flits, const SliceState& slice, Cycle head,
                      Cycle tail) {
  if (observers_.empty()) return macs_.serve(v, flits, slice.macs_per_line, head, tail);
  Cycle& begin = v ? times.rd_begin : times.tm_begin;
  Cycle& end = v ? times.rd_end : times.tm_end;
  begin = std::min(begin, macs_.begins(head));
  const Cycle done = macs_.serve(v, flits, slice.macs_per_line, head, tail);
  end = std::max(end, done);
  return done;
}

void PadAgent::tell_observers(const ActiveSegment& active) {
  SegmentTimes times = active.times;
  times.tile = node_;
  times.home = active.home;
  times.layer = layer_;
  times.segment = active.segment;
  times.sent = active.sent;
  times.complete = active.complete;
  for (PadObserver* observer : observers_) observer->segment_done(times);
}

/// chip.tile_3_4.home: next to this tile's own name.
std::string PadAgent::home_name(NodeId home) const {
  const std::string own = name();
  const std::size_t tile = own.rfind("tile_");
  const Coord c = plan_.mesh().coord(home);
  return own.substr(0, tile == std::string::npos ? 0 : tile) + "tile_" + std::to_string(c.x) + "_" +
         std::to_string(c.y) + ".home";
}

/// With data: scores, softmax and the weighted sum of the values, in the order in which segments come.
void PadAgent::attend(ActiveSegment& active) {
  const workload::WorkItem& work = item(active.index);
  const workload::NeededSegment& segment = plan_.layer(layer_).needed(active.segment);
  for (SliceState& slice : active.slices) {
    // On links nothing changes, and whoever follows packets over them has not objected: the home sent it so.
    const std::string wrong = data_->judge(layer_, segment, slice.group, work.heads, slice.bytes.data());
    if (!wrong.empty())
      data_->outputs().report(wrong + "; at " + name() + "; first wrong hop: " + home_name(active.home));
    attention_->attend(segment, slice.group, work.heads, slice.bytes.data());
    spare_bytes_.push_back(std::move(slice.bytes));
  }
}

void PadAgent::segment_arrived(ActiveSegment& active, Cycle now) {
  if (data_ != nullptr) attend(active);
  noc::PayloadKey key;
  key.segment = active.segment;
  key.layer = static_cast<std::uint16_t>(layer_);
  for (const SliceState& slice : active.slices) {
    key.group = slice.group;
    scoreboard_.close(node_, key);
    if (audit_ != nullptr) audit_->close(node_, key.segment, key.group);
  }
  statistics_.fetch_latency.add(active.complete - active.sent);
  const Cycle free = active.complete + 1;
  if (config_.enabled) {
    computing_.push({std::max(macs_.done(), free)});
    wake(computing_.top().at);
    tell_observers(active);
  } else {
    batch_.push_back(active);
  }
  // The slot and the home's credit come back with the last flit (in lt that may lie ahead of the kernel's
  // time).
  returns_.push_back({free, active.home});
  wake(free);
  active_.erase(active_.begin() + (&active - active_.data()));
  (void)now;
}

// Without Pad: all segments of a batch are here; Tm and Rd work through them, then the next batch is fetched.
void PadAgent::compute_batch(Cycle now) {
  for (ActiveSegment& segment : batch_) {
    Cycle done = now;
    for (const SliceState& slice : segment.slices) {
      done = serve(segment.times, false, slice.k_flits, slice, now, now);
      done = serve(segment.times, true, slice.flits - slice.k_flits, slice, now, now);
    }
    computing_.push({std::max(done, now + 1)});
    tell_observers(segment);
  }
  batch_.clear();
  wake(computing_.top().at);
}

// ---- completion
// --------------------------------------------------------------------------------------------------

void PadAgent::segment_computed(Cycle now) {
  ++done_count_;
  ++statistics_.segments;
  if (done_count_ == plan_.layer(layer_).items[node_].size()) send_parts(now);
  if (listener_ != nullptr) listener_->segment_done(node_, done_count_, now);
}

void PadAgent::send_parts(Cycle now) {
  for (const workload::PartialResult& part : plan_.layer(layer_).parts[node_]) {
    noc::Packet* packet = network_.allocate();
    packet->packet_class = noc::PacketClass::kPart;
    packet->source = node_;
    packet->destination = part.root;
    packet->key.layer = static_cast<std::uint16_t>(layer_);
    packet->key.segment = part.stream;
    packet->key.group = static_cast<std::uint16_t>(part.query_head);
    packet->flits = static_cast<std::uint16_t>(plan_.part_flits());
    if (data_ != nullptr) packet->carry(attention_->partial_bytes(part.stream, part.query_head), 0);
    ++statistics_.parts;
    for (PadObserver* observer : observers_) observer->part_sent(*packet, now);
    network_.send(packet, now);
  }
}

void PadAgent::send_append(int layer, int step, const workload::AppendedRow& row, Cycle at) {
  noc::Packet* packet = network_.allocate();
  packet->packet_class = noc::PacketClass::kKvData;
  packet->source = node_;
  packet->destination = row.home;
  packet->key.layer = static_cast<std::uint16_t>(layer);
  packet->key.segment = row.segment;
  packet->key.group = static_cast<std::uint16_t>(row.kv_head / plan_.decode().layout.heads_per_line);
  packet->key.index = mare::kAppendIndex + static_cast<std::uint32_t>(row.kv_head);
  packet->flits = static_cast<std::uint16_t>(plan_.append_flits());
  packet->user = static_cast<std::uint64_t>(row.token);
  if (data_ != nullptr) packet->carry(data_->new_row(layer, step, row), 0);
  ++statistics_.appends;
  network_.send(packet, at);
}

void PadAgent::tick(Cycle now) {
  for (std::size_t i = 0; i < returns_.size();) {
    if (returns_[i].at > now) {
      ++i;
      continue;
    }
    ++home_credits_[returns_[i].home];
    returns_.erase(returns_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (!config_.enabled && !batch_.empty() && active_.empty() && computing_.empty() && returns_.empty() &&
      (queue_.empty() || static_cast<int>(batch_.size()) >= outstanding_limit())) {
    compute_batch(now);
  }
  while (!computing_.empty() && computing_.top().at <= now) {
    computing_.pop();
    segment_computed(now);
  }
  issue_fetches(now);
  if (!computing_.empty()) wake(computing_.top().at);
}

std::string PadAgent::describe_waits() const {
  if (idle()) return {};
  std::ostringstream out;
  out << name() << ": ";
  if (!active_.empty()) {
    const ActiveSegment& a = active_.front();
    out << "waits for " << a.missing_flits << " KV_DATA flits of layer " << layer_ << " segment " << a.segment
        << " from tile " << a.home << " (fetched in cycle " << a.sent << ")";
  } else if (!queue_.empty()) {
    out << "has " << queue_.size() << " descriptors and no credit of tile "
        << plan_.home(layer_, item(queue_.front().index).segment);
  } else {
    out << "computes " << batch_.size() << " segments";
  }
  return out.str();
}

}  // namespace meshkv::pad
