// A tile's part in an occupancy swap (paper section V): two homes exchange a block over the mesh, each
// reading the one that it gives away and writing the one that it gets into the same place of memory.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/clock_domain.h"
#include "models/memory/memory_map.h"
#include "models/memory/memory_port.h"
#include "models/noc/network_interface.h"
#include "models/workload/decode_plan.h"

namespace meshkv::takv {

/// A block, and the tokens that it holds.
struct MovedBlock {
  int layer = 0;
  std::uint32_t segment = 0;
  int tokens = 0;
};

struct MoveStatistics {
  std::uint64_t moved_bytes = 0;  ///< written at their new home
  std::uint64_t packets = 0;
};

/// Works while nothing else reads or writes the blocks: between steps. A block leaves piece by piece, no
/// faster than the injection port takes it. What comes in waits until its room has been read: the two blocks
/// share it.
class BlockMover : public Clocked, public memory::MemoryClient {
 public:
  /// `data`: bytes travel; otherwise only time passes.
  BlockMover(const workload::DecodePlan& plan, const memory::MemoryMap& map, memory::MemoryPort& port,
             noc::NetworkAccess& network, ClockDomain& clock, int packet_flits, bool data);

  /// The plan and the map have the blocks at their new homes and places; from cycle `at` on.
  void exchange(const MovedBlock& gives, const MovedBlock& gets, Cycle at);
  /// A packet of a block that this tile gets has been drained at `now`.
  void on_packet(const noc::Packet& packet, Cycle now);
  void tick(Cycle now) override;
  void on_memory_response(std::uint64_t tag, Cycle when, bool ok) override;

  bool idle() const { return moves_.empty(); }
  /// The last write so far was complete in this cycle (in lt it may lie ahead).
  Cycle done() const { return done_; }
  std::string describe_waits() const;
  /// Fault: what is to be written is thrown away, in the same time.
  void lose_writes() { lose_writes_ = true; }
  const MoveStatistics& statistics() const { return statistics_; }

 private:
  struct Piece {
    int group = 0;
    std::uint32_t offset = 0;  ///< in the slice
    std::uint32_t bytes = 0;
  };
  struct Incoming {
    Piece piece;
    SharedBytes::Pointer bytes;  ///< null without data
    std::uint32_t offset = 0;    ///< in `bytes`
    Cycle at = 0;
  };
  struct Move {
    MovedBlock gives, gets;
    Cycle begin = 0;
    std::vector<Piece> out;
    std::vector<bool> read;      ///< by piece
    std::size_t asked = 0;       ///< pieces
    std::size_t read_until = 0;  ///< pieces before this one have all been read
    std::uint64_t missing_bytes = 0;
    std::uint32_t packets = 0;
    std::deque<Incoming> held;
  };
  struct Transfer {
    Move* move = nullptr;
    std::size_t piece = 0;  ///< reads
    std::uint32_t bytes = 0;
    bool write = false;
    SharedBytes::Pointer keep;  ///< what the transaction points to
  };

  std::vector<Piece> pieces_of(const MovedBlock& block) const;
  void read_next(Move& move, Cycle now);
  void send(Move& move, const Piece& piece, const SharedBytes::Pointer& bytes, Cycle now);
  bool may_write(const Move& move, const Piece& piece) const;
  void write(Move& move, const Incoming& incoming, Cycle now);
  void finish_if_complete(Move& move);
  std::uint64_t address_of(const Move& move, const Piece& piece) const;

  const workload::DecodePlan& plan_;
  const memory::MemoryMap& map_;
  memory::MemoryPort& port_;
  noc::NetworkAccess& network_;
  ClockDomain& clock_;
  int clock_id_;
  std::uint32_t packet_flits_;
  bool data_;
  bool lose_writes_ = false;
  std::list<Move> moves_;
  std::unordered_map<std::uint64_t, Transfer> transfers_;  ///< under way, by tag
  std::uint64_t next_tag_ = 0;
  Cycle done_ = 0;
  MoveStatistics statistics_;
};

}  // namespace meshkv::takv
