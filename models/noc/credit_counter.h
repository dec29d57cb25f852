// Slots of a downstream FIFO, with credits that are known before they may be used. Plain and 16 bytes: hot.
#pragma once

#include <cstdint>

#include "models/common/types.h"

namespace meshkv::noc {

/// Set bits of a byte. (The compiler's own is a library call on the baseline instruction set.)
struct BitCounts {
  std::uint8_t of[256];
  constexpr BitCounts() : of() {
    for (unsigned k = 1; k < 256; ++k) of[k] = static_cast<std::uint8_t>(of[k / 2] + k % 2);
  }
};
inline constexpr BitCounts kBitCounts;

/// Events of one kind that are announced a few cycles ahead, at most one a cycle and in order of their
/// cycles. 64-bit time and a short history: never stale, however long a VC idles.
struct Announced {
  Cycle last = 0;            ///< cycle of the latest event
  std::uint8_t history = 0;  ///< bit k: there was an event in cycle last - k

  void add(Cycle at) {
    const Cycle shift = at - last;
    history = static_cast<std::uint8_t>(shift < 8 ? (unsigned{history} << shift) | 1U : 1U);
    last = at;
  }
  /// Events that lie after cycle `t`; none is announced more than 7 cycles ahead.
  int after(Cycle t) const {
    // max(last - t, 0) without a branch: it is as often one as the other, and compilers do not believe that.
    const auto ahead = static_cast<std::int64_t>(last - t);
    const auto shift = static_cast<unsigned>(ahead & ~(ahead >> 63));
    return kBitCounts.of[history & ((1U << shift) - 1U)];
  }
  /// Cycle of the n-th event from the end (n = 1: the latest). At most 7 cycles back.
  Cycle from_end(int n) const {
    unsigned h = history;
    for (; n > 1; --n) h &= h - 1U;
    return last - static_cast<Cycle>(__builtin_ctz(h));
  }
};

struct CreditCounter : Announced {
  std::uint8_t owner = 0;    ///< input VC that holds this output VC; the router's own, as is `pointer`
  std::uint16_t count = 0;   ///< free slots downstream, those announced included
  std::uint8_t pointer = 0;  ///< round robin over the input VCs that bid for this output VC

  void give_back(Cycle usable_at) {
    add(usable_at);
    ++count;
  }
  /// Credits that may be used in cycle `t`.
  int usable(Cycle t) const { return count == 0 ? 0 : static_cast<int>(count) - after(t); }
  /// First cycle in which a credit may be used; only if count > 0 and usable(now) == 0.
  Cycle first_usable() const { return from_end(count); }
};
static_assert(sizeof(CreditCounter) == 16, "two output VCs in 32 bytes");

}  // namespace meshkv::noc
