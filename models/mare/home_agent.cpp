#include "models/mare/home_agent.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <sstream>

namespace meshkv::mare {

namespace {

HomeService resolve(const MareConfig& mare) {
  if (mare.service != HomeService::kAuto) return mare.service;
  return mare.multicast ? HomeService::kBlockOrder : HomeService::kRoundRobin;
}

std::vector<NodeId> destinations_of(const Slice& slice) {
  if (slice.tree != nullptr) return slice.tree->destinations();
  return {slice.destination};
}

}  // namespace

HomeAgent::HomeAgent(sc_core::sc_module_name name, NodeId node, const HomeConfig& config, ClockDomain& clock,
                     const workload::DecodePlan& plan, noc::TreeCache& trees, const memory::MemoryMap& map,
                     memory::KvSram& sram, noc::NetworkAccess& network)
    : sc_module(name),
      node_(node),
      config_(config),
      clock_(clock),
      plan_(plan),
      trees_(trees),
      map_(map),
      sram_(sram),
      network_(network),
      clock_id_(clock.add(*this)),
      coalescer_(config.mare.coalescing_cycles, plan.decode().layout.heads_per_line),
      scheduler_(resolve(config.mare), PortShare(network.injection_ports(), config.packet_flits)) {
  if (config_.chunk_flits > config_.piece_flits)
    sram_.ask_first(static_cast<std::uint32_t>(config_.piece_flits * config_.flit_bytes));
}

void HomeAgent::wake(Cycle at) {
  clock_.wake(clock_id_, std::max(at, clock_.now() + 1));
}

// ---- requests ----

void HomeAgent::on_fetch(const noc::Packet& packet, Cycle now) {
  const auto& item = plan_.layer(packet.key.layer).items[packet.source][packet.user];
  Arrival arrival{now, packet.source, packet.key.layer, packet.key.segment, item.heads, item.tokens};
  // In lt the fetch may be annotated to arrive later than the kernel's time: it is taken up in its own cycle.
  if (now > clock_.now()) {
    arrivals_.push(arrival);
    wake(now);
  } else {
    accept(arrival, now);
  }
}

void HomeAgent::accept(const Arrival& arrival, Cycle now) {
  ++statistics_.fetches;
  if (occupancy_ != nullptr) occupancy_->add(arrival.layer, arrival.segment, arrival.tokens);
  if (observer_ != nullptr)
    observer_->fetch_accepted(node_, arrival.requester, arrival.layer, arrival.segment, now);
  if (config_.mare.multicast) {
    const Request request{arrival.layer, static_cast<int>(arrival.segment), arrival.requester, arrival.heads};
    const Coalescer::Added window = coalescer_.add(request, now);
    if (window.opened) {
      ++statistics_.windows;
      wake(window.closes);
    } else {
      ++statistics_.coalesced;
    }
    return;
  }
  Block& block = scheduler_.open_block(arrival.layer, arrival.segment);
  for_each_set(line_groups(arrival.heads, plan_.decode().layout.heads_per_line), [&](int group) {
    Slice slice = make_slice(arrival.layer, arrival.segment, group, arrival.tokens);
    slice.destination = arrival.requester;
    start_slice(block, std::move(slice), now);
  });
  kick(now);
}

void HomeAgent::close_windows(Cycle now) {
  for (ClosedWindow& window : coalescer_.take_closed(now)) {
    if (window.requests > 1) statistics_.accompanied += static_cast<std::uint64_t>(window.requests);
    PendingTree pending;
    pending.at = now + static_cast<Cycle>(config_.mare.tree_build_cycles);
    const auto segment = static_cast<std::uint32_t>(window.segment);
    pending.tokens = plan_.tokens_of(window.layer, segment);
    pending.prefix_end.assign(static_cast<std::size_t>(plan_.groups()), 0);
    Block* block = scheduler_.find_block(static_cast<std::uint16_t>(window.layer), segment);
    if (block != nullptr && config_.mare.duplicate_suppression) {
      // What the running tree may have sent by the time the join takes effect: the head start of one packet
      // is a safe bound for the four cycles of tree building. What it had not sent after all reaches the late
      // tiles twice and is the overlap that the routers' tags are there for.
      const bool streaming = block == &scheduler_.blocks().front() && mode_ == TimingMode::kAt;
      for (const auto& s : block->slices) {
        if (s->replay) continue;
        const std::uint32_t margin = streaming ? static_cast<std::uint32_t>(config_.packet_flits) : 0;
        pending.prefix_end[s->key.group] = std::min(s->end_flit, s->next_flit + margin);
      }
    }
    pending.window = std::move(window);
    wake(pending.at);
    pending_.push_back(std::move(pending));
  }
}

// ---- trees ----

void HomeAgent::start_tree(const PendingTree& pending, Cycle now) {
  const ClosedWindow& window = pending.window;
  const auto layer = static_cast<std::uint16_t>(window.layer);
  const auto segment = static_cast<std::uint32_t>(window.segment);
  Block* running = scheduler_.find_block(layer, segment);
  if (running != nullptr && config_.mare.duplicate_suppression) {
    join(*running, pending, now);
    return;
  }
  Block& block = scheduler_.open_block(layer, segment);
  for (const auto& [group, destinations] : window.groups) {
    Slice slice = make_slice(layer, segment, group, pending.tokens);
    slice.restream = running != nullptr;
    set_destinations(slice, destinations);
    start_slice(block, std::move(slice), now);
  }
}

void HomeAgent::join(Block& block, const PendingTree& pending, Cycle now) {
  const ClosedWindow& window = pending.window;
  statistics_.late_joined += static_cast<std::uint64_t>(window.requests);
  for (const auto& [group, destinations] : window.groups) {
    Slice whole = make_slice(window.layer, static_cast<std::uint32_t>(window.segment), group, pending.tokens);
    Slice* main = block.main_slice(static_cast<std::uint16_t>(group));
    if (main == nullptr) {  // nobody asked for this group yet, or its stream has ended
      set_destinations(whole, destinations);
      start_slice(block, std::move(whole), now);
      continue;
    }
    std::vector<NodeId> joined = destinations_of(*main);
    joined.insert(joined.end(), destinations.begin(), destinations.end());
    const std::uint32_t sent = main->next_flit;
    set_destinations(*main, std::move(joined));
    statistics_.join_saved_flits += main->end_flit - sent;
    const std::uint32_t prefix = std::max(sent, pending.prefix_end[static_cast<std::size_t>(group)]);
    if (prefix == 0) continue;
    whole.end_flit = prefix;
    whole.replay = true;
    whole.duplicate_from = sent;
    set_destinations(whole, destinations);
    statistics_.replayed_flits += prefix;
    start_slice(block, std::move(whole), now);
  }
}

Slice HomeAgent::make_slice(int layer, std::uint32_t segment, int group, int tokens) const {
  Slice slice;
  slice.key.layer = static_cast<std::uint16_t>(layer);
  slice.key.segment = segment;
  slice.key.group = static_cast<std::uint16_t>(group);
  slice.first_token = plan_.layer(layer).needed(segment).first_token;
  slice.tokens = tokens;
  slice.step = static_cast<std::uint32_t>(plan_.step());
  slice.slice_flits = plan_.slice_size(tokens).flits;
  slice.end_flit = slice.slice_flits;
  return slice;
}

void HomeAgent::set_destinations(Slice& slice, std::vector<NodeId> destinations) {
  slice.tree = trees_.get(node_, std::move(destinations));
  ++statistics_.trees;
  statistics_.tree_destinations += slice.tree->destinations().size();
}

void HomeAgent::start_slice(Block& block, Slice slice, Cycle now) {
  if (slice.restream) statistics_.restreamed_flits += slice.slice_flits;
  Slice& started = scheduler_.add(block, std::move(slice));
  if (observer_ != nullptr) observer_->slice_started(node_, started, now);
  need_chunk(started, now);
}

// ---- KV SRAM ----

memory::ChunkKey HomeAgent::chunk_of(const Slice& slice, std::uint32_t flit) const {
  return {slice.key.segment, slice.key.layer, slice.key.group,
          flit / static_cast<std::uint32_t>(config_.chunk_flits), slice.step};
}

/// Where the bytes [begin, begin + bytes) of the slice's stream lie in memory.
HomeAgent::Pieces HomeAgent::locate_pieces(const Slice& slice, std::uint32_t begin,
                                           std::uint32_t bytes) const {
  const auto granule = static_cast<std::uint32_t>(config_.piece_flits * config_.flit_bytes);
  Pieces pieces;
  for (const auto& range : plan_.slice_layout().stream(slice.first_token, slice.tokens)) {
    std::uint32_t at = std::max(begin, range.stream);
    const std::uint32_t end = std::min(begin + bytes, range.stream + range.bytes);
    while (at < end) {
      const std::uint32_t memory = range.memory + (at - range.stream);
      const std::uint32_t n = std::min(end - at, granule - memory % granule);
      const auto where = map_.locate(slice.key.layer, slice.key.segment, slice.key.group, memory);
      pieces.push_back({where.address, at - begin, n});
      at += n;
    }
  }
  return pieces;
}

bool HomeAgent::request_chunk(const Slice& slice, std::uint32_t flit, Cycle now, memory::Want want) {
  const memory::ChunkKey key = chunk_of(slice, flit);
  const auto flit_bytes = static_cast<std::uint32_t>(config_.flit_bytes);
  const std::uint32_t first = key.chunk * static_cast<std::uint32_t>(config_.chunk_flits);
  const std::uint32_t flits =
      std::min(static_cast<std::uint32_t>(config_.chunk_flits), slice.slice_flits - first);
  const Pieces pieces = locate_pieces(slice, first * flit_bytes, flits * flit_bytes);
  return sram_.request(key, pieces.data(), pieces.size(), flits * flit_bytes, now, want);
}

void HomeAgent::need_chunk(Slice& slice, Cycle now) {
  const memory::ChunkKey key = chunk_of(slice, slice.next_flit);
  scheduler_.park(slice);
  if (!sram_.is_ready(key)) {
    waiting_.push_back(&slice);
    // Answers by on_chunk_ready (in lt from within the call), or by on_room if there was none.
    request_chunk(slice, slice.next_flit, now, memory::Want::kStream);
    return;
  }
  const Cycle from = std::max(now, sram_.ready_cycle(key));
  sram_.pin(key, from);
  if (mode_ == TimingMode::kLt) {
    ready_lt(slice, from);
  } else {
    scheduler_.make_ready(slice, from);
    ask_ahead(slice, from);
  }
}

/// For the chunk after the one that the slice is about to send.
void HomeAgent::ask_ahead(const Slice& slice, Cycle now) {
  const auto chunk = static_cast<std::uint32_t>(config_.chunk_flits);
  const std::uint32_t next = (slice.next_flit / chunk + 1) * chunk;
  if (next < slice.end_flit) request_chunk(slice, next, now, memory::Want::kPrefetch);
}

void HomeAgent::on_chunk_ready(const memory::ChunkKey& key, Cycle when) {
  boost::container::small_vector<Slice*, 8> ready;
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    if (chunk_of(**it, (*it)->next_flit) == key) {
      ready.push_back(*it);
      it = waiting_.erase(it);
    } else {
      ++it;
    }
  }
  for (Slice* slice : ready) need_chunk(*slice, when);
  if (!ready.empty()) kick(when);
}

void HomeAgent::on_room(Cycle when) {
  std::vector<Slice*> retry;
  retry.swap(waiting_);
  for (Slice* slice : retry) need_chunk(*slice, when);
  kick(when);
}

void HomeAgent::prefetch(int layer, std::uint32_t segment, int tokens, Cycle now) {
  // Running streams need the chunk that they read and the one after; a guess must not push those out.
  const int streams = scheduler_.live_slices();
  if (sram_.capacity_chunks() - 2 * streams < plan_.groups()) return;
  for (int group = 0; group < plan_.groups(); ++group) {
    if (!request_chunk(make_slice(layer, segment, group, tokens), 0, now, memory::Want::kPrefetch)) return;
  }
}

// ---- streaming ----

noc::Packet* HomeAgent::make_packet(const Slice& slice, std::uint32_t flits) {
  noc::Packet* packet = network_.allocate();
  packet->packet_class = noc::PacketClass::kKvData;
  packet->source = node_;
  packet->key = slice.key;
  packet->key.index = slice.next_flit / static_cast<std::uint32_t>(config_.packet_flits);
  packet->flits = static_cast<std::uint16_t>(flits);
  packet->tree = slice.tree;
  packet->destination = slice.destination;
  packet->duplicate = slice.restream || slice.next_flit >= slice.duplicate_from;
  if (config_.data) {
    const auto within = slice.next_flit % static_cast<std::uint32_t>(config_.chunk_flits);
    packet->carry(sram_.bytes(chunk_of(slice, slice.next_flit)),
                  within * static_cast<std::uint32_t>(config_.flit_bytes));
  }
  return packet;
}

void HomeAgent::count_sent(const Slice& slice, std::uint32_t flits) {
  const std::uint64_t copies = slice.tree != nullptr ? slice.tree->destinations().size() : 1;
  const int hops =
      slice.tree != nullptr ? slice.tree->flit_hops() : plan_.unicast_flit_hops(node_, slice.destination);
  statistics_.flits_sent += flits;
  statistics_.flit_copies += flits * copies;
  statistics_.expected_flit_hops += std::uint64_t{flits} * static_cast<std::uint64_t>(hops);
}

void HomeAgent::advance(Slice& slice, std::uint32_t flits, Cycle now) {
  count_sent(slice, flits);
  const memory::ChunkKey old = chunk_of(slice, slice.next_flit);
  slice.next_flit += flits;
  if (slice.next_flit < slice.end_flit && chunk_of(slice, slice.next_flit) == old) return;
  leave_chunk(slice, old, now);
}

void HomeAgent::leave_chunk(Slice& slice, const memory::ChunkKey& chunk, Cycle now) {
  // Room in the SRAM may start another packet from within unpin(): this slice has no chunk to send from now.
  scheduler_.park(slice);
  sram_.unpin(chunk, now);
  if (slice.next_flit >= slice.end_flit) {
    if (observer_ != nullptr) observer_->slice_sent(node_, slice, now);
    scheduler_.finish(slice);
  } else {
    need_chunk(slice, now);
  }
}

void HomeAgent::on_refill(Cycle now) {
  refill_wanted_ = false;
  Slice* slice = scheduler_.pick(now);
  if (slice == nullptr) {
    if (!scheduler_.empty()) ++statistics_.stall_memory_picks;
    return;  // the next chunk to become ready asks for a refill
  }
  const std::uint32_t room = static_cast<std::uint32_t>(config_.chunk_flits) -
                             slice->next_flit % static_cast<std::uint32_t>(config_.chunk_flits);
  const std::uint32_t flits =
      std::min({static_cast<std::uint32_t>(config_.packet_flits), slice->end_flit - slice->next_flit, room});
  noc::Packet* packet = make_packet(*slice, flits);
  advance(*slice, flits, now);
  network_.send(packet, now);
  kick(now);
}

void HomeAgent::kick(Cycle now) {
  if (mode_ == TimingMode::kLt) {
    kick_lt(now);
    return;
  }
  if (!scheduler_.any_queued()) return;
  const Cycle ready = scheduler_.earliest_ready(now);
  if (ready > clock_.now()) {
    wake(ready);
  } else if (!refill_wanted_) {
    refill_wanted_ = true;
    network_.want_refill(noc::PacketClass::kKvData);
  }
}

// ---- time ----

void HomeAgent::tick(Cycle now) {
  if (mode_ == TimingMode::kLt) settle_lt(now);
  while (!arrivals_.empty() && arrivals_.top().at <= now) {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    accept(arrival, now);
  }
  if (config_.mare.multicast) {
    close_windows(now);
    for (std::size_t i = 0; i < pending_.size();) {
      if (pending_[i].at > now) {
        ++i;
        continue;
      }
      const PendingTree pending = std::move(pending_[i]);
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
      start_tree(pending, now);
    }
  }
  if (mode_ == TimingMode::kLt) stream_lt(now);
  kick(now);
}

bool HomeAgent::idle() const {
  return scheduler_.empty() && pending_.empty() && arrivals_.empty() && coalescer_.empty();
}

std::string HomeAgent::describe_waits() const {
  if (idle()) return {};
  std::ostringstream out;
  out << name() << ": " << scheduler_.blocks().size() << " blocks streaming, " << waiting_.size()
      << " slices wait for the KV SRAM";
  for (const Slice* slice : waiting_) {
    out << "; layer " << slice->key.layer << " segment " << slice->key.segment << " group "
        << slice->key.group << " waits for flit " << slice->next_flit;
    break;
  }
  return out.str();
}

}  // namespace meshkv::mare
