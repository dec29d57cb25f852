#include "models/memory/kv_sram.h"

#include <algorithm>
#include <sstream>

namespace meshkv::memory {

KvSram::KvSram(sc_core::sc_module_name name, const KvSramConfig& config, MemoryPort& port)
    : sc_module(name), config_(config), port_(port) {
  const int slots = config.bytes / config.chunk_bytes;
  if (slots < 1 || slots >= kNone) SC_REPORT_FATAL(this->name(), "the SRAM must hold 1 to 65534 chunks");
  slots_.resize(static_cast<std::size_t>(slots));
  for (int s = slots - 1; s >= 0; --s) free_.push_back(static_cast<std::uint16_t>(s));
  std::size_t size = 4;
  while (size < slots_.size() * 2) size *= 2;
  table_.assign(size, kNone);
  mask_ = size - 1;
  last_read_.resize(static_cast<std::size_t>(config.banks));
  if (config.keep_data) data_.resize(slots_.size());
}

std::size_t KvSram::home(const ChunkKey& key) const {
  const std::uint64_t a =
      (std::uint64_t{key.layer} << 48) ^ (std::uint64_t{key.group} << 32) ^ std::uint64_t{key.segment};
  const std::uint64_t h = (a ^ (std::uint64_t{key.chunk} * 0xd1342543de82ef95ULL)) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(h >> 40) & mask_;
}

std::uint16_t KvSram::find(const ChunkKey& key) const {
  const Slot& last = slots_[last_found_];
  if (last.state != State::kFree && last.key == key) return last_found_;
  for (std::size_t i = home(key); table_[i] != kNone; i = (i + 1) & mask_)
    if (slots_[table_[i]].key == key) return last_found_ = table_[i];
  return kNone;
}

KvSram::Slot& KvSram::must_find(const ChunkKey& key, const char* what) {
  const std::uint16_t slot = find(key);
  if (slot == kNone) {
    std::ostringstream why;
    why << what << " of a chunk that is not in the SRAM: layer " << key.layer << ", segment " << key.segment
        << ", group " << key.group << ", chunk " << key.chunk << ", at " << sc_core::sc_time_stamp();
    SC_REPORT_FATAL(name(), why.str().c_str());
  }
  return slots_[slot];
}

void KvSram::insert(const ChunkKey& key, std::uint16_t slot) {
  std::size_t i = home(key);
  while (table_[i] != kNone) i = (i + 1) & mask_;
  table_[i] = slot;
}

/// Linear probing without tombstones: what follows in the cluster moves up.
void KvSram::erase(const ChunkKey& key) {
  std::size_t hole = home(key);
  while (!(slots_[table_[hole]].key == key)) hole = (hole + 1) & mask_;
  for (std::size_t i = (hole + 1) & mask_; table_[i] != kNone; i = (i + 1) & mask_) {
    const std::size_t wants = home(slots_[table_[i]].key);
    if (((i - wants) & mask_) < ((i - hole) & mask_)) continue;
    table_[hole] = table_[i];
    hole = i;
  }
  table_[hole] = kNone;
}

void KvSram::unlink(std::uint16_t slot) {
  Slot& s = slots_[slot];
  Chain& chain = chains_[s.was_read ? 1 : 0];
  (s.older == kNone ? chain.oldest : slots_[s.older].newer) = s.newer;
  (s.newer == kNone ? chain.newest : slots_[s.newer].older) = s.older;
  s.evictable = false;
}

void KvSram::update_evictable(std::uint16_t slot) {
  Slot& s = slots_[slot];
  if (s.evictable) unlink(slot);
  if (s.state != State::kReady || s.pins != 0 || s.wanted) return;
  Chain& chain = chains_[s.was_read ? 1 : 0];
  s.older = chain.newest;
  s.newer = kNone;
  (chain.newest == kNone ? chain.oldest : slots_[chain.newest].newer) = slot;
  chain.newest = slot;
  s.evictable = true;
}

std::uint16_t KvSram::take_slot(Want want) {
  if (!free_.empty()) {
    const std::uint16_t slot = free_.back();
    free_.pop_back();
    ++used_;
    statistics_.peak_chunks = std::max(statistics_.peak_chunks, used_);
    return slot;
  }
  // What was read goes first: it is streamed through once, while what was fetched ahead will still be read. A
  // guess never pushes out another guess.
  std::uint16_t slot = chains_[1].oldest;
  if (slot == kNone && want == Want::kStream) slot = chains_[0].oldest;
  if (slot == kNone) return kNone;
  ++statistics_.evictions;
  if (!slots_[slot].was_read) ++statistics_.unread_evictions;
  unlink(slot);
  erase(slots_[slot].key);
  return slot;
}

bool KvSram::is_ready(const ChunkKey& key) const {
  const std::uint16_t slot = find(key);
  return slot != kNone && slots_[slot].state == State::kReady;
}

Cycle KvSram::ready_cycle(const ChunkKey& key) const {
  const std::uint16_t slot = find(key);
  return slot == kNone || slots_[slot].state != State::kReady ? kNever : slots_[slot].ready;
}

bool KvSram::request(const ChunkKey& key, const Piece* pieces, std::size_t count, std::uint32_t bytes,
                     Cycle now, Want want) {
  std::uint16_t slot = find(key);
  if (slot != kNone) {
    ++statistics_.hits;
    Slot& s = slots_[slot];
    s.wanted = s.wanted || want == Want::kStream;
    update_evictable(slot);
    return true;
  }
  if (bytes == 0 || bytes > static_cast<std::uint32_t>(config_.chunk_bytes))
    SC_REPORT_FATAL(name(), "a chunk must have 1 to chunk_bytes bytes");
  slot = take_slot(want);
  if (slot == kNone) {
    ++statistics_.refusals;
    if (want == Want::kStream) refused_ = true;
    return false;
  }
  Slot& s = slots_[slot];
  s.key = key;
  s.ready = 0;
  s.bytes = bytes;
  s.rest.clear();
  s.read_on = {};
  if (first_bytes_ != 0) {
    const std::size_t first = static_cast<std::size_t>(
        std::find_if(pieces, pieces + count, [&](const Piece& p) { return p.offset >= first_bytes_; }) -
        pieces);
    s.rest.assign(pieces + first, pieces + count);
    count = first;
  }
  s.pieces_missing = static_cast<std::uint32_t>(count);
  s.pins = 0;
  s.state = State::kFilling;
  s.wanted = want == Want::kStream;
  s.was_read = false;
  insert(key, slot);
  ++filling_;
  ++statistics_.fills;
  statistics_.fill_bytes += bytes;
  unsigned char* data = nullptr;
  if (!data_.empty()) {
    // New bytes: packets may still carry the old ones.
    data_[slot] = new SharedBytes(static_cast<std::size_t>(config_.chunk_bytes));
    data = data_[slot]->data();
  }
  // The last answer may come from within its read, and free the slot.
  for (const Piece* p = pieces; p != pieces + count; ++p)
    port_.read(*this, p->address, p->bytes, slot | std::uint64_t{p->offset} << 16, now,
               data == nullptr ? nullptr : data + p->offset);
  return true;
}

/// It comes in over the bank's port; a read of that bank has the port first.
Cycle KvSram::fill_bank(std::size_t bank, Cycle when, Cycle cycles) {
  const Read& read = last_read_[bank % last_read_.size()];
  const Cycle begin = when > cycles ? when - cycles : 0;
  if (read.begin >= when || begin >= read.end) return when;
  const Cycle overlap = std::min(when, read.end) - std::max(begin, read.begin);
  ++statistics_.bank_conflicts;
  statistics_.conflict_cycles += overlap;
  return when + overlap;
}

void KvSram::read_bank(std::size_t bank, Cycle from, Cycle cycles) {
  Read& read = last_read_[bank % last_read_.size()];
  read = {from, std::max(from + cycles, read.end)};
}

void KvSram::on_memory_response(std::uint64_t tag, Cycle when, bool ok) {
  const auto slot = static_cast<std::uint16_t>(tag);
  Slot& s = slots_[slot];
  if (!ok) SC_REPORT_FATAL(name(), "the memory answered a fill with an error");
  if (s.state == State::kReady) {
    answered_ = when;
    return;
  }
  const Cycle lead = (tag >> 16) / static_cast<std::uint32_t>(config_.port_bytes);
  s.ready = std::max(s.ready, when > lead ? when - lead : 0);
  if (--s.pieces_missing != 0) return;
  when = s.ready;
  when = fill_bank(slot, when, port_cycles(s.bytes));
  s.state = State::kReady;
  s.ready = when;
  --filling_;
  update_evictable(slot);
  const ChunkKey key = s.key;
  if (client_ != nullptr) client_->on_chunk_ready(key, when);
  if (s.evictable) offer_room(when);
}

KvSram::ReadOn KvSram::read_on(const ChunkKey& key, Cycle from, Cycle cycles, Cycle interval) {
  Slot& s = must_find(key, "read");
  if (s.read_on.last_begins == 0) s.read_on = {from, from};
  if (s.rest.empty()) return s.read_on;
  const auto slot = static_cast<std::uint16_t>(&s - slots_.data());
  unsigned char* data = data_.empty() ? nullptr : data_[slot]->data();
  Cycle asked = from, begins = from;
  for (auto p = s.rest.begin(); p != s.rest.end();) {
    const std::uint32_t window = p->offset / first_bytes_;
    const std::uint32_t first = p->offset;
    Cycle ready = 0;
    for (; p != s.rest.end() && p->offset / first_bytes_ == window; ++p) {
      const Cycle lead = (p->offset - first) / static_cast<std::uint32_t>(config_.port_bytes);
      port_.read(*this, p->address, p->bytes, slot, asked, data == nullptr ? nullptr : data + p->offset);
      ready = std::max(ready, answered_ - std::min(answered_, lead));
    }
    // What is a chunk of its own in at has a slot of its own there, in the next bank.
    const Cycle port = port_cycles(s.bytes - first);
    ready = fill_bank(slot + window, ready, port);
    begins += std::max(ready - std::min(ready, asked), cycles);
    asked = std::max(ready, asked + interval);
    read_bank(slot + window, asked, port);
  }
  s.rest.clear();
  s.read_on = {begins, asked};
  return s.read_on;
}

void KvSram::pin(const ChunkKey& key, Cycle from) {
  Slot& s = must_find(key, "read");
  if (s.state != State::kReady || from < s.ready)
    SC_REPORT_FATAL(name(), "a chunk is read before it is filled");
  const auto slot = static_cast<std::uint16_t>(&s - slots_.data());
  if (s.evictable) unlink(slot);
  ++s.pins;
  s.wanted = false;
  s.was_read = true;
  read_bank(slot, from, port_cycles(s.bytes));
  ++statistics_.reads;
  statistics_.read_bytes += s.bytes;
}

void KvSram::unpin(const ChunkKey& key, Cycle now) {
  Slot& s = must_find(key, "unpin");
  if (s.pins == 0) SC_REPORT_FATAL(name(), "unpin of a chunk that is not pinned");
  --s.pins;
  update_evictable(static_cast<std::uint16_t>(&s - slots_.data()));
  if (s.evictable) offer_room(now);
}

void KvSram::abandon(const ChunkKey& key, Cycle now) {
  Slot& s = must_find(key, "abandon");
  s.wanted = false;
  update_evictable(static_cast<std::uint16_t>(&s - slots_.data()));
  if (s.evictable) offer_room(now);
}

void KvSram::offer_room(Cycle now) {
  if (!refused_) return;
  refused_ = false;
  if (client_ != nullptr) client_->on_room(now);
}

SharedBytes::Pointer KvSram::bytes(const ChunkKey& key) const {
  const std::uint16_t slot = find(key);
  if (slot == kNone || slots_[slot].state != State::kReady || data_.empty())
    SC_REPORT_FATAL(name(), "the bytes of a chunk that is not ready");
  return data_[slot];
}

}  // namespace meshkv::memory
