// The two loops of a hart, made of one set of handlers: see hart.h.
#include <algorithm>
#include <cstring>
#include <limits>

#include "models/riscv/arithmetic.h"
#include "models/riscv/hart.h"
#include "models/riscv/hart_handlers.h"

namespace meshkv::riscv {

namespace {
constexpr std::int64_t kFewInstructions = 4;
}

RunResult Hart::finish(StopReason reason) {
  RunResult result;
  result.cycles = cycles_ - run_from_cycles_;
  result.instructions = instructions() - run_from_instructions_;
  result.reason = reason;
  return result;
}

RunResult Hart::run(std::uint64_t cycles) {
  run_from_cycles_ = cycles_;
  run_from_instructions_ = instructions();
  left_ = static_cast<std::int64_t>(
      std::min<std::uint64_t>(cycles, std::numeric_limits<std::int64_t>::max() / 2));
  if (labels_ == nullptr) execute<false>();  // only tells the labels
  for (;;) {
    if (lockup_) return finish(StopReason::kLockup);
    if (attention_) {
      StopReason reason = StopReason::kBudget;
      if (must_stop(reason)) return finish(reason);
      if (left_ > 0) take_interrupt();
    }
    if (left_ <= 0) return finish(StopReason::kBudget);
    if (pc_ - ram_base_ >= ram_bytes_) {
      fail(Cause::kFetchFault, pc_);
      trap_now();
      continue;
    }
    const bool alone = pass_breakpoint_;
    Leave leave;
    // Entering the fast loop costs more than it saves for a few instructions.
    if (!alone && left_ > kFewInstructions && !needs_exact()) {
      leave = execute<false>();
      if (leave == Leave::kBlock) leave = execute<true>();
      if (leave == Leave::kAlone) leave = execute_one();
    } else {
      leave = alone ? execute_one() : execute<true>();
      if (leave != Leave::kLater) pass_breakpoint_ = false;
    }
    if (leave == Leave::kTrap) trap_now();
    if (leave == Leave::kLater) return finish(StopReason::kBusLater);
    if (leave == Leave::kBreakpoint) return finish(StopReason::kBreakpoint);
    if (leave == Leave::kWatchpoint) return finish(StopReason::kWatchpoint);
  }
}

bool Hart::must_stop(StopReason& reason) {
  if (stop_requested_) {
    stop_requested_ = false;
    reason = StopReason::kRequested;
  } else if (waiting()) {
    reason = StopReason::kWaiting;
    return true;
  } else {
    waiting_ = false;
    update_attention();
    return false;
  }
  update_attention();
  return true;
}

Hart::Leave Hart::execute_one() {
  const std::int64_t rest = left_ - 1;
  left_ = 1;
  const Leave leave = execute<true>();
  left_ += rest;
  return leave;
}

void Hart::observe(unsigned code) {
  const Handler handler = handler_of(code);
  const bool stops = handler == Handler::kBreakpoint || (handler == Handler::kEbreak && stop_at_ebreak_);
  if (!observed_ && (!stops || pass_breakpoint_)) observer_->instruction(*this, cycles_);
  observed_ = false;
}

void Hart::trap_now() {
  ++cycles_;
  ++lost_cycles_;
  --left_;
  raise(trap_cause_, trap_value_);
}

// The handlers. In both loops `e` is the entry of the instruction in progress and `left` what is left of the
// budget; in the fast one the rest of the block has already been taken from it, which REFUND gives back.
// `kSkip` is the instruction's length in entries.

#define TRAIL(tag)                    \
  trail_at = (trail_at + 1) % kTrail; \
  trail_[trail_at] = reinterpret_cast<std::uintptr_t>(e) | (tag)

/// What ENTER noted is not executed after all.
#define NOT_EXECUTED                    \
  if (kExact)                           \
    trail_at = (trail_at - 1) % kTrail; \
  else {                                \
    TRAIL(kEndsBefore);                 \
  }

#define ENTER                                                   \
  do {                                                          \
    if (kExact) goto next_exact;                                \
    if (__builtin_expect(e->block > left, 0)) goto leave_block; \
    left -= e->block;                                           \
    TRAIL(kWholeBlock);                                         \
    goto * e->handler;                                          \
  } while (false)

#define NEXT(skip)             \
  e += (skip);                 \
  if (kExact) goto next_exact; \
  goto * e->handler

#define HANDLER(name, ...)                    \
  L_##name##_2 : {                            \
    [[maybe_unused]] constexpr int kSkip = 1; \
    __VA_ARGS__                               \
  }                                           \
  NEXT(1);                                    \
  L_##name##_4 : {                            \
    [[maybe_unused]] constexpr int kSkip = 2; \
    __VA_ARGS__                               \
  }                                           \
  NEXT(2);

#define A x[e->rs1]
#define B x[e->rs2]
#define RD x[e->rd]
#define IMMEDIATE static_cast<std::uint32_t>(e->immediate)
#define SIGNED(value) static_cast<std::int32_t>(value)
#define PC (base + 2U * static_cast<std::uint32_t>(e - entries))

#define BRANCH(name, condition) \
  HANDLER(                      \
      name,                     \
      if (condition) {          \
        e += e->immediate;      \
        ENTER;                  \
      } e += kSkip;             \
      ENTER;)

#define LOAD(name, type, mask)                                                                            \
  HANDLER(name, address = A + IMMEDIATE; const std::uint32_t offset = address - base;                     \
          if (__builtin_expect(                                                                           \
                  offset > last_byte + 1 - sizeof(type) || (offset & (mask)) != 0 || (kExact && watched), \
                  0)) goto slow_load;                                                                     \
          type value; std::memcpy(&value, ram + offset, sizeof value);                                    \
          RD = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));)

#define STORE(name, type, mask)                                                                           \
  HANDLER(name, address = A + IMMEDIATE; const std::uint32_t offset = address - base;                     \
          if (__builtin_expect(                                                                           \
                  offset > last_byte + 1 - sizeof(type) || (offset & (mask)) != 0 || (kExact && watched), \
                  0)) goto slow_store;                                                                    \
          const auto value = static_cast<type>(B); std::memcpy(ram + offset, &value, sizeof value);)

template <bool kExact>
__attribute__((noinline, noclone)) Hart::Leave Hart::execute() {
  static const void* const kLabels[] = {&&L_Undecoded_2,   &&L_Undecoded_4,
#define X(name, mnemonic, format) &&L_##name##_2, &&L_##name##_4,
#include "models/riscv/operations.inc"
#undef X
#define EXTRA(name) &&L_##name##_2, &&L_##name##_4
                                        EXTRA(Constant),   EXTRA(Jump),       EXTRA(AlignedLh),
                                        EXTRA(AlignedLw),  EXTRA(AlignedLhu), EXTRA(AlignedSh),
                                        EXTRA(AlignedSw),  EXTRA(Far),        EXTRA(FetchFault),
                                        EXTRA(Breakpoint), EXTRA(Alone)
#undef EXTRA
  };
  if (!kExact && labels_ == nullptr) {
    labels_ = kLabels;
    flush();
    return Leave::kAttention;
  }

  std::uint32_t* const x = x_.data();
  Entry* const entries = entries_.data();
  std::uint8_t* const ram = ram_;
  const std::uint32_t base = ram_base_;
  const std::uint32_t last_byte = ram_bytes_ - 1;
  const bool watched = !watchpoints_.empty();
  std::int64_t left = left_;
  unsigned trail_at = trail_at_;
  std::uint32_t address = 0;
  Leave leave = Leave::kAttention;
  Entry* e = entries + (pc_ - base) / 2;
  ENTER;

next_exact:
  if (left <= 0) {
    leave = Leave::kBudget;
    goto leave_here;
  }
  if (codes_[static_cast<std::size_t>(e - entries)] == 0) decode_block(e);
  if (observer_ != nullptr) {
    pc_ = PC;
    count_to(left);
    trail_at_ = trail_at;
    observe(codes_[static_cast<std::size_t>(e - entries)]);
  }
  --left;
  TRAIL(kOneInstruction);
  goto* kLabels[codes_[static_cast<std::size_t>(e - entries)]];

  HANDLER(Undecoded, decode_block(e); trail_at = (trail_at - 1) % kTrail; ENTER;)

  HANDLER(Constant, RD = IMMEDIATE;)
  HANDLER(Lui, RD = IMMEDIATE;)
  HANDLER(Auipc, RD = IMMEDIATE;)
  HANDLER(Addi, RD = A + IMMEDIATE;)
  HANDLER(Slti, RD = SIGNED(A) < SIGNED(IMMEDIATE);)
  HANDLER(Sltiu, RD = A < IMMEDIATE;)
  HANDLER(Xori, RD = A ^ IMMEDIATE;)
  HANDLER(Ori, RD = A | IMMEDIATE;)
  HANDLER(Andi, RD = A & IMMEDIATE;)
  HANDLER(Slli, RD = A << IMMEDIATE;)
  HANDLER(Srli, RD = A >> IMMEDIATE;)
  HANDLER(Srai, RD = static_cast<std::uint32_t>(SIGNED(A) >> IMMEDIATE);)
  HANDLER(Add, RD = A + B;)
  HANDLER(Sub, RD = A - B;)
  HANDLER(Sll, RD = A << (B & 31U);)
  HANDLER(Slt, RD = SIGNED(A) < SIGNED(B);)
  HANDLER(Sltu, RD = A < B;)
  HANDLER(Xor, RD = A ^ B;)
  HANDLER(Srl, RD = A >> (B & 31U);)
  HANDLER(Sra, RD = static_cast<std::uint32_t>(SIGNED(A) >> (B & 31U));)
  HANDLER(Or, RD = A | B;)
  HANDLER(And, RD = A & B;)
  HANDLER(Mul, RD = A * B;)
  HANDLER(Mulh, RD = mulh(A, B);)
  HANDLER(Mulhsu, RD = mulhsu(A, B);)
  HANDLER(Mulhu, RD = mulhu(A, B);)
  HANDLER(Div, RD = divide(A, B);)
  HANDLER(Divu, RD = divide_unsigned(A, B);)
  HANDLER(Rem, RD = remainder(A, B);)
  HANDLER(Remu, RD = remainder_unsigned(A, B);)
  HANDLER(Fence, )

  LOAD(Lb, std::int8_t, 0U)
  LOAD(Lbu, std::uint8_t, 0U)
  LOAD(Lh, std::int16_t, 0U)
  LOAD(Lhu, std::uint16_t, 0U)
  LOAD(Lw, std::uint32_t, 0U)
  LOAD(AlignedLh, std::int16_t, 1U)
  LOAD(AlignedLhu, std::uint16_t, 1U)
  LOAD(AlignedLw, std::uint32_t, 3U)
  STORE(Sb, std::uint8_t, 0U)
  STORE(Sh, std::uint16_t, 0U)
  STORE(Sw, std::uint32_t, 0U)
  STORE(AlignedSh, std::uint16_t, 1U)
  STORE(AlignedSw, std::uint32_t, 3U)

  BRANCH(Beq, A == B)
  BRANCH(Bne, A != B)
  BRANCH(Blt, SIGNED(A) < SIGNED(B))
  BRANCH(Bge, SIGNED(A) >= SIGNED(B))
  BRANCH(Bltu, A < B)
  BRANCH(Bgeu, A >= B)
  HANDLER(Jump, e += e->immediate; ENTER;)
  HANDLER(Jal, RD = PC + 2U * kSkip; e += e->immediate; ENTER;)
  HANDLER(Jalr, address = (A + IMMEDIATE) & ~1U; RD = PC + 2U * kSkip;
          if (address - base > last_byte) goto jump_to_address; e = entries + (address - base) / 2; ENTER;)

  HANDLER(Far, pc_ = PC; far_target(); leave = Leave::kFar; goto leave_at_pc;)
  HANDLER(FetchFault, fail(Cause::kFetchFault, e == entries + (last_byte + 1) / 2 ? PC : PC + 2);
          goto trapped;)
  HANDLER(Illegal, fail(Cause::kIllegalInstruction, kSkip == 1 ? IMMEDIATE & 0xffffU : IMMEDIATE);
          goto trapped;)
  HANDLER(Ecall, fail(Cause::kMachineCall, 0); goto trapped;)
  HANDLER(Ebreak, if (stop_at_ebreak_ && !(kExact && pass_breakpoint_)) goto stop_before;
          fail(Cause::kBreakpoint, PC); goto trapped;)
  HANDLER(Breakpoint, if (!kExact || !pass_breakpoint_) goto stop_before;
          goto * kLabels[code_below(static_cast<std::size_t>(e - entries))];)
  HANDLER(Alone, ++left; NOT_EXECUTED; leave = Leave::kAlone; goto leave_here;)
  HANDLER(FenceI, pc_ = PC + 2U * kSkip; flush(); address = pc_; goto jump_to_address;)
  HANDLER(Mret, return_from_trap(); address = pc_; goto jump_to_address;)
  HANDLER(Wfi, pc_ = PC + 2U * kSkip; waiting_ = true; update_attention(); goto leave_at_pc;)
  HANDLER(Csrrw, goto access_csr;)
  HANDLER(Csrrs, goto access_csr;)
  HANDLER(Csrrc, goto access_csr;)
  HANDLER(Csrrwi, goto access_csr;)
  HANDLER(Csrrsi, goto access_csr;)
  HANDLER(Csrrci, goto access_csr;)

jump_to_address:
  if (attention_ || address - base > last_byte) {
    pc_ = address;
    leave = Leave::kFar;
    goto leave_at_pc;
  }
  e = entries + (address - base) / 2;
  ENTER;

access_csr:
  pc_ = PC;
  count_to(left + 1);
  if (!execute_csr(*e, code_at(static_cast<std::size_t>(e - entries)))) goto trapped;
  e += 2;
  if (attention_) goto leave_here;
  ENTER;

slow_load:
  if (!kExact) left += e->block - 1;
  pc_ = PC;
  count_to(left + 1);
  if (!load(address, code_at(static_cast<std::size_t>(e - entries)), RD)) goto failed_access;
  goto after_access;

slow_store:
  if (!kExact) left += e->block - 1;
  pc_ = PC;
  count_to(left + 1);
  if (!store(address, code_at(static_cast<std::size_t>(e - entries)), B)) goto failed_access;

after_access:
  if (!kExact) {
    TRAIL(kEndsHere);
  }
  count_to(left);
  left -= static_cast<std::int64_t>(take_stall());
  e += length_of(codes_[static_cast<std::size_t>(e - entries)]) / 2;
  if (attention_) goto leave_here;
  ENTER;

failed_access:
  leave = bus_later_ ? Leave::kLater : watch_stop_ ? Leave::kWatchpoint : Leave::kTrap;
  if (leave != Leave::kTrap) {
    observed_ = true;
    NOT_EXECUTED
  } else if (!kExact) {
    TRAIL(kEndsHere);
  }
  bus_later_ = watch_stop_ = false;
  ++left;
  goto leave_here;

trapped:  // by the last instruction of its block
  ++left;
  leave = Leave::kTrap;
  goto leave_here;

stop_before:
  if (kExact)
    ++left;
  else
    left += e->block;
  NOT_EXECUTED
  leave = Leave::kBreakpoint;
  goto leave_here;

leave_block:
  leave = Leave::kBlock;
leave_here:
  pc_ = PC;
leave_at_pc:
  count_to(left);
  trail_at_ = trail_at;
  return leave;
}

template Hart::Leave Hart::execute<false>();
template Hart::Leave Hart::execute<true>();

}  // namespace meshkv::riscv
