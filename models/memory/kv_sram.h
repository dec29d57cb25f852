// A tile's KV SRAM: 288 KB in four banks, a streaming window into which a home promotes chunks of its blocks
// ahead of use (paper section IV; DESIGN section 8).
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "models/common/shared_bytes.h"
#include "models/common/types.h"
#include "models/memory/memory_port.h"

namespace meshkv::memory {

/// Names `chunk_bytes` (or the rest) of a slice as one decode step streams it: from step to step windows move
/// and blocks grow.
struct ChunkKey {
  std::uint32_t segment = 0;
  std::uint16_t layer = 0;
  std::uint16_t group = 0;
  std::uint32_t chunk = 0;  ///< within the slice
  std::uint32_t step = 0;
  friend bool operator==(const ChunkKey& a, const ChunkKey& b) {
    return a.segment == b.segment && a.layer == b.layer && a.group == b.group && a.chunk == b.chunk &&
           a.step == b.step;
  }
};

class KvSramClient {
 public:
  virtual ~KvSramClient() = default;
  /// The chunk may be pinned from cycle `when` on. lt: comes from within request(), and `when` lies ahead.
  virtual void on_chunk_ready(const ChunkKey& key, Cycle when) = 0;
  /// A request() that was refused may be tried again. Comes once per refusal, from within unpin(), abandon()
  /// or the answer of the memory.
  virtual void on_room(Cycle now) = 0;
};

struct KvSramConfig {
  int bytes = 294912;
  int banks = 4;
  int chunk_bytes = 4096;
  int port_bytes = 64;     ///< a bank moves so much a cycle: one flit
  bool keep_data = false;  ///< hold real bytes, read through bytes()
};

/// What is to become of a chunk that nobody has read yet.
enum class Want : std::uint8_t {
  kStream,   ///< a stream waits for it: stays until it was pinned and unpinned once (or abandoned)
  kPrefetch  ///< a guess: may be evicted unread where room is needed
};

/// A chunk takes one slot; slots go around the banks, so that a chunk is filled in one bank while the one
/// before is read in another. A bank has one port: a fill whose arrival overlaps a read of its bank is a
/// conflict, and is ready later by the overlap.
class KvSram : public sc_core::sc_module, public MemoryClient {
 public:
  KvSram(sc_core::sc_module_name name, const KvSramConfig& config, MemoryPort& port);
  void set_client(KvSramClient* client) { client_ = client; }

  /// Filled, or in lt: its fill is known to end in ready_cycle().
  bool is_ready(const ChunkKey& key) const;
  /// Cycle from which it may be read; kNever while it is absent or its fill has no known end.
  Cycle ready_cycle(const ChunkKey& key) const;
  /// Starts a fill unless the chunk is here or on its way (then only its use is noted, a hit). False: no
  /// room, since everything is pinned, wanted by a stream or being filled (kPrefetch: or not read yet);
  /// on_room() follows a refused kStream.
  bool request(const ChunkKey& key, std::uint64_t address, std::uint32_t bytes, Cycle now,
               Want want = Want::kStream) {
    const Piece piece{address, 0, bytes};
    return request(key, &piece, 1, bytes, now, want);
  }
  /// Bytes of a chunk that are contiguous in memory.
  struct Piece {
    std::uint64_t address = 0;
    std::uint32_t offset = 0;  ///< in the chunk
    std::uint32_t bytes = 0;
  };
  /// The same for a chunk of several pieces (keys and values, what begins within a window, and in lt chunks
  /// larger than what interleaving leaves together). It may be read as soon as a stream of port_bytes a cycle
  /// finds each piece there.
  bool request(const ChunkKey& key, const Piece* pieces, std::size_t count, std::uint32_t bytes, Cycle now,
               Want want);
  /// lt: only what lies in the chunk's first so many bytes is asked for by request(), and makes it ready; the
  /// rest follows when it is read. 0: all at once.
  void ask_first(std::uint32_t bytes) { first_bytes_ = bytes; }
  struct ReadOn {
    Cycle last_begins = 0;    ///< the chunk's last part begins to leave, if nothing but memory is in its way
    Cycle last_expected = 0;  ///< it is expected to
  };
  /// The rest is asked for as a stream that begins at `from` does it in at: each `first_bytes` when those
  /// before begin to leave, which is expected to take `interval`, and takes `cycles` at least. The same for
  /// all who read the chunk.
  ReadOn read_on(const ChunkKey& key, Cycle from, Cycle cycles, Cycle interval);
  /// A stream reads the chunk from `from` on, one port_bytes a cycle: it cannot be evicted. Pins count. Fatal
  /// if the chunk is absent or `from` is before its ready_cycle(): nothing is read before it is filled.
  void pin(const ChunkKey& key, Cycle from);
  void unpin(const ChunkKey& key, Cycle now);
  /// Nobody will read it after all (kStream chunks that lost their stream).
  void abandon(const ChunkKey& key, Cycle now);
  /// keep_data: the chunk's bytes, which outlive its place here; it must be ready.
  SharedBytes::Pointer bytes(const ChunkKey& key) const;

  struct Statistics {
    std::uint64_t fills = 0, hits = 0, evictions = 0, unread_evictions = 0, refusals = 0;
    std::uint64_t fill_bytes = 0, reads = 0, read_bytes = 0;
    std::uint64_t bank_conflicts = 0, conflict_cycles = 0;
    int peak_chunks = 0;
  };
  const Statistics& statistics() const { return statistics_; }
  int capacity_chunks() const { return static_cast<int>(slots_.size()); }
  int resident_chunks() const { return used_; }
  /// Fills whose answer has not come.
  int filling() const { return filling_; }

  void on_memory_response(std::uint64_t tag, Cycle when, bool ok) override;

 private:
  enum class State : std::uint8_t { kFree, kFilling, kReady };
  struct Slot {
    ChunkKey key;
    Cycle ready = kNever;
    std::uint32_t bytes = 0;
    std::uint32_t pins = 0;
    std::uint32_t pieces_missing = 0;
    std::uint16_t newer = 0, older = 0;  ///< neighbours in the list of evictable slots
    State state = State::kFree;
    bool wanted = false;  ///< by a stream that has not read it yet
    bool was_read = false;
    bool evictable = false;  ///< in that list
    ReadOn read_on;
    std::vector<Piece> rest;
  };
  static constexpr std::uint16_t kNone = 0xffff;

  std::uint16_t find(const ChunkKey& key) const;
  Slot& must_find(const ChunkKey& key, const char* what);
  void insert(const ChunkKey& key, std::uint16_t slot);
  void erase(const ChunkKey& key);
  std::uint16_t take_slot(Want want);
  void update_evictable(std::uint16_t slot);
  void unlink(std::uint16_t slot);
  void offer_room(Cycle now);
  /// A part that comes into a bank in the `cycles` before `when`: when it is in, if reads have the port
  /// first.
  Cycle fill_bank(std::size_t bank, Cycle when, Cycle cycles);
  void read_bank(std::size_t bank, Cycle from, Cycle cycles);
  /// Cycles over a bank's port of so many bytes, which are a chunk or (lt) the part of it that is one in at.
  Cycle port_cycles(std::uint32_t bytes) const {
    const std::uint32_t part = first_bytes_ == 0 ? bytes : std::min(bytes, first_bytes_);
    const auto port = static_cast<std::uint32_t>(config_.port_bytes);
    return (part + port - 1) / port;
  }
  std::size_t home(const ChunkKey& key) const;

  KvSramConfig config_;
  MemoryPort& port_;
  KvSramClient* client_ = nullptr;
  Statistics statistics_;
  std::vector<Slot> slots_;  ///< slot s is in bank s % banks
  std::vector<std::uint16_t> free_;
  std::vector<std::uint16_t> table_;  ///< open addressing, linear probing, at most half full
  std::size_t mask_ = 0;
  mutable std::uint16_t last_found_ = 0;  ///< a chunk is asked for by its key several times in a row
  struct Read {
    Cycle begin = 0, end = 0;
  };
  std::vector<Read> last_read_;  ///< by bank
  struct Chain {
    std::uint16_t oldest = kNone, newest = kNone;
  };
  Chain chains_[2];  ///< evictable slots: not read yet, read
  int used_ = 0, filling_ = 0;
  std::uint32_t first_bytes_ = 0;
  Cycle answered_ = 0;  ///< within read_on()
  bool refused_ = false;
  std::vector<boost::intrusive_ptr<SharedBytes>> data_;  ///< keep_data: by slot
};

}  // namespace meshkv::memory
