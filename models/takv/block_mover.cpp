#include "models/takv/block_mover.h"

#include <algorithm>
#include <systemc>

#include "models/mare/data_kinds.h"

namespace meshkv::takv {
namespace {

/// Packets in the source queue above which nothing more is read: about what a quarter of the KV SRAM holds.
constexpr int kMostQueued = 128;

}  // namespace

BlockMover::BlockMover(const workload::DecodePlan& plan, const memory::MemoryMap& map,
                       memory::MemoryPort& port, noc::NetworkAccess& network, ClockDomain& clock,
                       int packet_flits, bool data)
    : plan_(plan),
      map_(map),
      port_(port),
      network_(network),
      clock_(clock),
      clock_id_(clock.add(*this)),
      packet_flits_(static_cast<std::uint32_t>(packet_flits)),
      data_(data) {}

/// What the block holds, in pieces that are contiguous in memory.
std::vector<BlockMover::Piece> BlockMover::pieces_of(const MovedBlock& block) const {
  std::vector<Piece> pieces;
  if (block.tokens == 0) return pieces;
  const auto granule = static_cast<std::uint32_t>(map_.contiguous(0));
  for (int group = 0; group < plan_.groups(); ++group) {
    for (const auto& range : plan_.slice_layout().stream(0, block.tokens)) {
      for (std::uint32_t at = range.memory, end = range.memory + range.bytes; at < end;) {
        const std::uint32_t n = std::min(end - at, granule - at % granule);
        pieces.push_back({group, at, n});
        at += n;
      }
    }
  }
  return pieces;
}

void BlockMover::exchange(const MovedBlock& gives, const MovedBlock& gets, Cycle at) {
  Move& move = moves_.emplace_back();
  move.gives = gives;
  move.gets = gets;
  move.begin = at;
  move.out = pieces_of(gives);
  move.read.assign(move.out.size(), false);
  for (const Piece& piece : pieces_of(gets)) move.missing_bytes += piece.bytes;
  clock_.wake(clock_id_, std::max(at, clock_.now() + 1));
}

std::uint64_t BlockMover::address_of(const Move& move, const Piece& piece) const {
  return map_.locate(move.gets.layer, move.gets.segment, piece.group, piece.offset).address;
}

void BlockMover::tick(Cycle now) {
  const auto next = std::find_if(moves_.begin(), moves_.end(),
                                 [now](const Move& m) { return m.begin <= now && m.asked < m.out.size(); });
  if (next != moves_.end()) {
    Cycle again = now + packet_flits_;
    if (network_.queued(noc::PacketClass::kKvData) < kMostQueued) {
      again = now + (next->out[next->asked].bytes - 1) / plan_.slice_layout().flit_bytes() + 1;
      read_next(*next, now);
    }
    clock_.wake(clock_id_, again);
  }
  // In lt all that a move waits for may have been answered within the calls.
  for (auto it = moves_.begin(); it != moves_.end();) {
    Move& move = *it++;
    finish_if_complete(move);
  }
}

void BlockMover::read_next(Move& move, Cycle now) {
  const std::size_t index = move.asked++;
  const Piece& piece = move.out[index];
  boost::intrusive_ptr<SharedBytes> bytes(data_ ? new SharedBytes(piece.bytes) : nullptr);
  unsigned char* to = data_ ? bytes->data() : nullptr;
  const std::uint64_t tag = next_tag_++;
  transfers_[tag] = {&move, index, piece.bytes, false, bytes};
  port_.read(*this, address_of(move, piece), piece.bytes, tag, now, to);
}

void BlockMover::send(Move& move, const Piece& piece, const SharedBytes::Pointer& bytes, Cycle now) {
  const std::uint32_t flit_bytes = plan_.slice_layout().flit_bytes();
  const bool whole = port_.mode() == TimingMode::kLt;
  const std::uint32_t most = whole ? piece.bytes : packet_flits_ * flit_bytes;
  for (std::uint32_t at = 0; at < piece.bytes; at += most) {
    const std::uint32_t n = std::min(most, piece.bytes - at);
    noc::Packet* packet = network_.allocate();
    packet->packet_class = noc::PacketClass::kKvData;
    packet->destination = plan_.home(move.gives.layer, move.gives.segment);
    packet->key.layer = static_cast<std::uint16_t>(move.gives.layer);
    packet->key.segment = move.gives.segment;
    packet->key.group = static_cast<std::uint16_t>(piece.group);
    packet->key.index = mare::kMoveIndex + move.packets++;
    packet->flits = static_cast<std::uint16_t>((n + flit_bytes - 1) / flit_bytes);
    packet->user = std::uint64_t{n} << 32 | (piece.offset + at);
    if (data_) packet->carry(bytes, at);
    ++statistics_.packets;
    network_.send(packet, now);
  }
}

void BlockMover::on_packet(const noc::Packet& packet, Cycle now) {
  const auto move = std::find_if(moves_.begin(), moves_.end(), [&packet](const Move& m) {
    return m.gets.layer == packet.key.layer && m.gets.segment == packet.key.segment;
  });
  if (move == moves_.end()) SC_REPORT_FATAL("block_mover", "a part of a block that this home does not get");
  Incoming incoming;
  incoming.piece = {packet.key.group, static_cast<std::uint32_t>(packet.user),
                    static_cast<std::uint32_t>(packet.user >> 32)};
  if (data_) incoming.bytes = SharedBytes::Pointer(packet.payload);
  incoming.offset = packet.payload_offset;
  incoming.at = now;
  if (may_write(*move, incoming.piece))
    write(*move, incoming, now);
  else
    move->held.push_back(incoming);
}

/// Its room has been read: no piece that is not read yet begins before its end.
bool BlockMover::may_write(const Move& move, const Piece& piece) const {
  if (move.read_until == move.out.size()) return true;
  const Piece& next = move.out[move.read_until];
  return piece.group < next.group || (piece.group == next.group && piece.offset + piece.bytes <= next.offset);
}

void BlockMover::write(Move& move, const Incoming& incoming, Cycle now) {
  const std::uint64_t tag = next_tag_++;
  transfers_[tag] = {&move, 0, incoming.piece.bytes, true, incoming.bytes};
  const unsigned char* bytes = data_ && !lose_writes_ ? incoming.bytes->data() + incoming.offset : nullptr;
  port_.write(*this, address_of(move, incoming.piece), incoming.piece.bytes, tag, std::max(now, clock_.now()),
              bytes);
}

void BlockMover::on_memory_response(std::uint64_t tag, Cycle when, bool ok) {
  if (!ok) SC_REPORT_FATAL("block_mover", "the memory answered a swap with an error");
  const auto found = transfers_.find(tag);
  const Transfer transfer = found->second;
  transfers_.erase(found);
  Move& move = *transfer.move;
  done_ = std::max(done_, when);
  if (transfer.write) {
    statistics_.moved_bytes += transfer.bytes;
    move.missing_bytes -= transfer.bytes;
  } else {
    send(move, move.out[transfer.piece], transfer.keep, when);
    move.read[transfer.piece] = true;
    while (move.read_until < move.out.size() && move.read[move.read_until]) ++move.read_until;
    for (auto it = move.held.begin(); it != move.held.end();) {
      if (!may_write(move, it->piece)) {
        ++it;
        continue;
      }
      const Incoming incoming = *it;
      it = move.held.erase(it);
      write(move, incoming, std::max(when, incoming.at));
    }
  }
  clock_.wake(clock_id_, clock_.now() + 1);  // to see whether that was all
}

void BlockMover::finish_if_complete(Move& move) {
  if (move.missing_bytes != 0 || move.read_until != move.out.size()) return;
  moves_.remove_if([&move](const Move& m) { return &m == &move; });
}

std::string BlockMover::describe_waits() const {
  if (idle()) return {};
  const Move& move = moves_.front();
  return "swap of layer " + std::to_string(move.gives.layer) + ", segment " +
         std::to_string(move.gives.segment) + " against segment " + std::to_string(move.gets.segment) + ": " +
         std::to_string(move.out.size() - move.read_until) + " pieces to read, " +
         std::to_string(move.missing_bytes) + " bytes to write";
}

}  // namespace meshkv::takv
