// Random programs that poll, on registers that change with notice and on the same without: every register,
// counter and stored value must be the same. Changes and interrupts come between two cycles, where it is
// certain which reads come before them.
#include <catch2/catch.hpp>
#include <random>

#include "tests/riscv/module_bench.h"

using namespace meshkv;
using namespace meshkv::test;
using namespace meshkv::test::encode;
using riscv::Interrupt;

namespace {

constexpr std::uint32_t kHandler = 0x800, kScratch = 0x1000, kRamStart = 0x80000000;
constexpr int kPhases = 4;

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine_() % n); }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

 private:
  std::mt19937 engine_;
};

/// Instructions that leave the same behind however often they are executed, and now and then one that does
/// not.
void filler(Program& p, Random& r, bool plain) {
  for (std::uint32_t n = r.below(4); n > 0; --n) {
    switch (r.below(plain ? 7 : 12)) {
      case 0:
        p << addi(a2, a0, static_cast<std::int32_t>(r.below(100)));
        break;
      case 1:
        p << mul(a3, a0, a0);
        break;
      case 2:
        p << lw(t1, a4, static_cast<std::int32_t>(4 * r.below(4)));
        break;
      case 3:
        p << lb(t2, a4, static_cast<std::int32_t>(r.below(16)));
        break;
      case 4:
        p << divu(a5, a0, a2);
        break;
      case 5:
        p << Word{0x0001};  // a compressed nop
        break;
      case 6:
        p << beq(a0, a0, 8) << addi(s1, s1, 1);  // jumps over a change
        break;
      case 7:
        p << addi(s1, s1, 1);
        break;
      case 8:
        p << sw(a0, a4, static_cast<std::int32_t>(4 * r.below(4)));
        break;
      case 9:
        p << csrrs(t3, 0xb00 + 2 * r.below(2), zero);  // mcycle, minstret
        break;
      case 10:
        p << lw(t4, a1, static_cast<std::int32_t>(4 * r.below(4)));  // another register
        break;
      default:
        p << lw(t1, a4, 16) << addi(t1, t1, 1) << sw(t1, a4, 16) << addi(t1, zero, 0);  // counts in RAM only
    }
  }
}

/// Waits kPhases times until a masked register is not 0 and notes what it read, and when.
Program polling_program(Random& r, bool interrupts) {
  Program p;
  p << li(a1, kWords) << li(a4, kRamStart + kScratch) << li(t0, kRamStart + kHandler)
    << csrrw(zero, 0x305, t0) << li(t0, 0x888) << csrrw(zero, 0x304, t0)
    << csrrwi(zero, 0x300, interrupts ? 8 : 0);
  for (int phase = 0; phase < kPhases; ++phase) {
    const std::size_t top = p.size();
    const bool plain = r.chance(70);
    filler(p, r, plain);
    p << lw(a0, a1, static_cast<std::int32_t>(4 * r.below(2)));
    filler(p, r, plain);
    if (r.chance(40)) p << andi(t0, a0, 1) << beq(t0, zero, 8) << xori(a3, a0, 5);
    p << andi(t0, a0, 2 << r.below(4));
    filler(p, r, plain);
    p << beq(t0, zero, static_cast<std::int32_t>(top) - static_cast<std::int32_t>(p.size()));
    p << csrrs(s2, 0xb00, zero) << csrrs(s3, 0xb02, zero);
    p << lw(t1, a4, 16);
    for (const Word noted :
         {static_cast<Word>(a0), static_cast<Word>(s2), static_cast<Word>(s3), static_cast<Word>(t1)})
      p << slli(s0, s0, 3) << add(s0, s0, noted);
    p << sw(s0, a1, 4 * (4 + phase));
  }
  p << jal(zero, 0);
  // The handler notes where and when, and lowers the line by its store.
  constexpr Word s5 = 21, s6 = 22;
  p.at(kHandler) << csrrs(s6, 0x341, zero) << slli(s5, s5, 1) << add(s5, s5, s6) << csrrs(s6, 0xb00, zero)
                 << add(s5, s5, s6) << csrrs(s6, 0xb02, zero) << add(s5, s5, s6) << sw(s5, a1, 36) << mret();
  return p;
}

/// Harts in pairs with the same program and the same events, the second of which gets no notice.
class Pairs : public ModuleBench {
 public:
  Pairs(std::uint64_t quantum, bool interrupts, std::uint32_t seed)
      : ModuleBench(quantum, 2 * kPairs), random_(seed) {
    for (std::size_t k = 0; k < 2 * kPairs; k += 2) {
      const Program p = polling_program(random_, interrupts);
      const int extra = static_cast<int>(random_.below(6));
      for (std::size_t n = k; n < k + 2; ++n) {
        device(n).constant = n == k;
        device(n).extra_cycles = extra;
        device(n).on_access = [this, n](const WordDevice::Access& a) {
          if (a.write && a.index == 9) module(n).set_interrupt(Interrupt::kTimer, false);
        };
        module(n).load(image_of(p));
      }
      for (std::uint32_t time = 200; time < kEnd; time += 1 + random_.below(900)) event(k, time, interrupts);
      for (std::uint32_t n = 0; n < 2 * kPhases; ++n) change(k, kEnd + 300 * n, n % 2, 0xff);
    }
    run(kEnd + 4000);
  }
  static constexpr std::size_t kPairs = 8;

 private:
  static constexpr std::uint32_t kEnd = 20000;

  void between(std::uint32_t cycle, const std::function<void()>& what) {
    events.push_back(std::make_unique<At>(sc_core::sc_gen_unique_name("at"), period * (cycle + 0.5), what));
  }
  void change(std::size_t pair, std::uint32_t cycle, std::uint32_t index, std::uint32_t value) {
    for (std::size_t n = pair; n < pair + 2; ++n)
      between(cycle, [this, n, index, value] { device(n).change(index, value); });
  }
  void event(std::size_t pair, std::uint32_t cycle, bool interrupts) {
    if (!interrupts || random_.chance(50)) {
      // Mostly what does not end the waiting.
      const std::uint32_t value = random_.chance(15) ? random_.below(64) : random_.below(2);
      change(pair, cycle, random_.below(3), value);
    } else {
      for (std::size_t n = pair; n < pair + 2; ++n)
        between(cycle, [this, n] { module(n).set_interrupt(Interrupt::kTimer, true); });
    }
  }
  Random random_;
};

void compare(std::uint64_t quantum, bool interrupts, std::uint32_t seed) {
  Pairs bench(quantum, interrupts, seed);
  std::uint64_t saved = 0;
  for (std::size_t k = 0; k < 2 * Pairs::kPairs; k += 2) {
    const riscv::HartModule &with = bench.module(k), &without = bench.module(k + 1);
    CAPTURE(quantum, seed, k);
    for (unsigned n = 0; n < 16; ++n) {
      CAPTURE(n);
      CHECK(bench.device(k).words[n] == bench.device(k + 1).words[n]);
    }
    for (unsigned n = 1; n < 32; ++n) {
      CAPTURE(n);
      CHECK(with.hart().reg(n) == without.hart().reg(n));
    }
    const auto a = with.statistics(), b = without.statistics();
    CHECK(with.hart().pc() == without.hart().pc());
    CHECK(bench.device(k).words[4 + kPhases - 1] != 0);
    CHECK(a.instructions == b.instructions);
    CHECK(a.cycles == b.cycles);
    CHECK(a.accesses == b.accesses);
    CHECK(a.interrupts == b.interrupts);
    saved += bench.device(k + 1).accesses.size() - bench.device(k).accesses.size();
  }
  CHECK(saved > 1000);  // some did sleep
}

}  // namespace

TEST_CASE("Random polling programs live the same with notice: interrupts", "[riscv][poll]") {
  compare(1, true, 1);
}
TEST_CASE("Random polling programs live the same with notice: quantum 1", "[riscv][poll]") {
  compare(1, false, 2);
}
TEST_CASE("Random polling programs live the same with notice: quantum 13", "[riscv][poll]") {
  compare(13, false, 3);
}
TEST_CASE("Random polling programs live the same with notice: quantum 1000", "[riscv][poll]") {
  compare(1000, false, 4);
}
