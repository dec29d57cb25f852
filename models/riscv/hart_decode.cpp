// The cache of decoded instructions: see hart.h.
#include <algorithm>
#include <cstring>

#include "models/riscv/hart.h"
#include "models/riscv/hart_handlers.h"

namespace meshkv::riscv {
namespace {

constexpr std::size_t kLongestBlock = 254;

/// What ends a block: a branch, whatever changes how the hart goes on, and what needs exact counters.
bool ends_block(Handler handler) {
  switch (handler) {
    case Handler::kBeq:
    case Handler::kBne:
    case Handler::kBlt:
    case Handler::kBge:
    case Handler::kBltu:
    case Handler::kBgeu:
    case Handler::kJal:
    case Handler::kJump:
    case Handler::kJalr:
    case Handler::kFar:
    case Handler::kFenceI:
    case Handler::kEcall:
    case Handler::kEbreak:
    case Handler::kMret:
    case Handler::kWfi:
    case Handler::kCsrrw:
    case Handler::kCsrrs:
    case Handler::kCsrrc:
    case Handler::kCsrrwi:
    case Handler::kCsrrsi:
    case Handler::kCsrrci:
    case Handler::kIllegal:
    case Handler::kFetchFault:
      return true;
    default:
      return false;
  }
}

Handler aligned(Handler handler) {
  switch (handler) {
    case Handler::kLh:
      return Handler::kAlignedLh;
    case Handler::kLhu:
      return Handler::kAlignedLhu;
    case Handler::kLw:
      return Handler::kAlignedLw;
    case Handler::kSh:
      return Handler::kAlignedSh;
    case Handler::kSw:
      return Handler::kAlignedSw;
    default:
      return handler;
  }
}

}  // namespace

void Hart::set_ram(std::uint8_t* ram, std::uint32_t base, std::uint32_t bytes) {
  ram_ = ram;
  ram_base_ = base;
  ram_bytes_ = ram == nullptr ? 0 : bytes & ~1U;
  entries_.assign(ram_bytes_ / 2 + 1, Entry{});
  codes_.assign(ram_bytes_ / 2 + 1, 0);
  trail_.fill(0);
  decoded_from_ = 0;
  decoded_to_ = entries_.size();
  flush();
}

void Hart::flush() {
  if (labels_ == nullptr) return;
  Entry undecoded;
  undecoded.handler = labels_[handler_code(Handler::kUndecoded, 2)];
  const auto at = [](auto& list, std::size_t index) {
    return list.begin() + static_cast<std::ptrdiff_t>(index);
  };
  decoded_to_ = std::max(decoded_from_, decoded_to_);
  std::fill(at(entries_, decoded_from_), at(entries_, decoded_to_), undecoded);
  std::fill(at(codes_, decoded_from_), at(codes_, decoded_to_), std::uint8_t{0});
  decoded_from_ = entries_.size();
  decoded_to_ = 0;
}

void Hart::invalidate_code() {
  flush();
}

bool Hart::fetch(std::uint32_t pc, std::uint32_t& bits) const {
  const std::uint32_t offset = pc - ram_base_;
  if (offset >= ram_bytes_ || offset + 2 > ram_bytes_) return false;
  std::uint16_t half = 0;
  std::memcpy(&half, ram_ + offset, sizeof half);
  bits = half;
  if (!is_full_length(half)) return true;
  if (offset + 4 > ram_bytes_) return false;
  std::memcpy(&bits, ram_ + offset, sizeof bits);
  return true;
}

bool Hart::is_far(const Instruction& i, std::size_t index) const {
  if (i.operation < Operation::kJal || i.operation > Operation::kBgeu || i.operation == Operation::kJalr)
    return false;
  const std::int64_t target = static_cast<std::int64_t>(index) * 2 + i.immediate;
  return target < 0 || target >= static_cast<std::int64_t>(ram_bytes_);
}

unsigned Hart::code_of(const Instruction& i, std::size_t index, Entry& entry) const {
  Handler handler = handler_of(i.operation);
  // x0 reads as 0 because nothing is ever written to it: results that nobody wants go to a 33rd register.
  entry.rd = i.rd == 0 ? std::uint8_t{32} : i.rd;
  entry.rs1 = i.rs1;
  entry.rs2 = i.rs2;
  entry.immediate = i.immediate;
  const auto pc = ram_base_ + 2U * static_cast<std::uint32_t>(index);
  switch (i.operation) {
    case Operation::kLui:
      handler = Handler::kConstant;
      break;
    case Operation::kAuipc:
      handler = Handler::kConstant;
      entry.immediate = static_cast<std::int32_t>(pc + static_cast<std::uint32_t>(i.immediate));
      break;
    case Operation::kAddi:
      if (i.rs1 == 0) handler = Handler::kConstant;
      break;
    case Operation::kJal:
      if (i.rd == 0) handler = Handler::kJump;
      break;
    default:
      break;
  }
  if (config_.trap_misaligned) handler = aligned(handler);
  if (i.operation >= Operation::kJal && i.operation <= Operation::kBgeu && i.operation != Operation::kJalr)
    entry.immediate /= 2;
  if (is_far(i, index)) handler = Handler::kFar;
  return handler_code(handler, i.length);
}

unsigned Hart::code_below(std::size_t index) {
  std::uint32_t bits = 0;
  const std::uint32_t pc = ram_base_ + 2U * static_cast<std::uint32_t>(index);
  if (!fetch(pc, bits)) return handler_code(Handler::kFetchFault, 2);
  const Instruction i = decode(bits);
  Entry& entry = entries_[index];
  const unsigned code = code_of(i, index, entry);
  if (i.operation == Operation::kIllegal) entry.immediate = static_cast<std::int32_t>(bits);
  return code;
}

unsigned Hart::code_at(std::size_t index) {
  return handler_of(codes_[index]) == Handler::kBreakpoint ? code_below(index) : codes_[index];
}

bool Hart::decode_entry(std::size_t index) {
  const unsigned below = code_below(index);
  unsigned code = below;
  const std::uint32_t pc = ram_base_ + 2U * static_cast<std::uint32_t>(index);
  if (!breakpoints_.empty() && breakpoints_.count(pc) != 0)
    code = handler_code(Handler::kBreakpoint, length_of(below));
  codes_[index] = static_cast<std::uint8_t>(code);
  entries_[index].handler = labels_[code];
  decoded_from_ = std::min(decoded_from_, index);
  decoded_to_ = std::max(decoded_to_, index + 1);
  return !ends_block(handler_of(below));
}

void Hart::decode_block(Entry* first) {
  const void* const alone[2] = {labels_[handler_code(Handler::kAlone, 2)],
                                labels_[handler_code(Handler::kAlone, 4)]};
  std::array<std::size_t, kLongestBlock> path;
  std::size_t count = 0;
  auto index = static_cast<std::size_t>(first - entries_.data());
  for (;;) {
    path[count++] = index;
    // An entry that ends a long block has others before it that rely on that.
    if (entries_[index].handler == alone[0] || entries_[index].handler == alone[1]) break;
    if (!decode_entry(index)) break;
    if (count == kLongestBlock) {
      entries_[index].handler = alone[codes_[index] % 2U];
      break;
    }
    index += static_cast<std::size_t>(length_of(codes_[index])) / 2;
  }
  for (std::size_t k = 0; k < count; ++k) entries_[path[k]].block = static_cast<std::uint8_t>(count - k);
}

std::vector<std::uint32_t> Hart::trail(std::size_t most) const {
  std::vector<std::uint32_t> pcs;
  const auto pc_of = [this](std::uintptr_t word) {
    const auto* entry = reinterpret_cast<const Entry*>(word & ~std::uintptr_t{3});
    return ram_base_ + 2U * static_cast<std::uint32_t>(entry - entries_.data());
  };
  for (unsigned k = 1; k <= kTrail; ++k) {
    const std::uintptr_t word = trail_[(trail_at_ + k) % kTrail];
    if (word == 0) continue;
    std::uint32_t pc = pc_of(word);
    if ((word & 3U) == kOneInstruction) pcs.push_back(pc);
    if ((word & 3U) != kWholeBlock) continue;
    const std::uintptr_t next = k < kTrail ? trail_[(trail_at_ + k + 1) % kTrail] : 0;
    const bool cut = (next & 1U) != 0;
    const std::uint32_t end = cut ? pc_of(next) : 0;
    for (std::size_t n = 0; n < kLongestBlock; ++n) {
      if (cut && pc == end && (next & 3U) == kEndsBefore) break;
      pcs.push_back(pc);
      std::uint32_t bits = 0;
      if ((cut && pc == end) || !fetch(pc, bits)) break;
      const Instruction i = decode(bits);
      if (ends_block(handler_of(i.operation))) break;
      pc += static_cast<std::uint32_t>(i.length);
    }
  }
  if (pcs.size() > most) pcs.erase(pcs.begin(), pcs.end() - static_cast<std::ptrdiff_t>(most));
  return pcs;
}

}  // namespace meshkv::riscv
