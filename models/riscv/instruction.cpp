#include "models/riscv/instruction.h"

namespace meshkv::riscv {
namespace {

using Op = Operation;

constexpr std::uint32_t bits_of(std::uint32_t value, int high, int low) {
  return (value >> low) & ((1U << (high - low + 1)) - 1U);
}
constexpr std::int32_t sign_extend(std::uint32_t value, int width) {
  const int shift = 32 - width;
  return static_cast<std::int32_t>(value << shift) >> shift;
}
constexpr std::uint8_t reg(std::uint32_t bits, int low) {
  return static_cast<std::uint8_t>(bits_of(bits, low + 4, low));
}
/// The three-bit register fields of compressed instructions name x8 to x15.
constexpr std::uint8_t short_reg(std::uint32_t bits, int low) {
  return static_cast<std::uint8_t>(8 + bits_of(bits, low + 2, low));
}

std::int32_t immediate_i(std::uint32_t b) {
  return sign_extend(b >> 20, 12);
}
std::int32_t immediate_s(std::uint32_t b) {
  return sign_extend((bits_of(b, 31, 25) << 5) | bits_of(b, 11, 7), 12);
}
std::int32_t immediate_b(std::uint32_t b) {
  return sign_extend((bits_of(b, 31, 31) << 12) | (bits_of(b, 7, 7) << 11) | (bits_of(b, 30, 25) << 5) |
                         (bits_of(b, 11, 8) << 1),
                     13);
}
std::int32_t immediate_j(std::uint32_t b) {
  return sign_extend((bits_of(b, 31, 31) << 20) | (bits_of(b, 19, 12) << 12) | (bits_of(b, 20, 20) << 11) |
                         (bits_of(b, 30, 21) << 1),
                     21);
}

Instruction make(Op operation, unsigned rd, unsigned rs1, unsigned rs2, std::int32_t immediate, int length) {
  Instruction i;
  i.operation = operation;
  i.rd = static_cast<std::uint8_t>(rd);
  i.rs1 = static_cast<std::uint8_t>(rs1);
  i.rs2 = static_cast<std::uint8_t>(rs2);
  i.immediate = immediate;
  i.length = length;
  return i;
}

Instruction illegal(int length) {
  return make(Op::kIllegal, 0, 0, 0, 0, length);
}

Op pick(std::uint32_t index, const Op (&table)[8]) {
  return table[index];
}

Op register_operation(std::uint32_t funct3, std::uint32_t funct7) {
  constexpr Op kBase[8] = {Op::kAdd, Op::kSll, Op::kSlt, Op::kSltu, Op::kXor, Op::kSrl, Op::kOr, Op::kAnd};
  constexpr Op kMultiply[8] = {Op::kMul, Op::kMulh, Op::kMulhsu, Op::kMulhu,
                               Op::kDiv, Op::kDivu, Op::kRem,    Op::kRemu};
  if (funct7 == 0) return pick(funct3, kBase);
  if (funct7 == 1) return pick(funct3, kMultiply);
  if (funct7 == 0x20 && funct3 == 0) return Op::kSub;
  if (funct7 == 0x20 && funct3 == 5) return Op::kSra;
  return Op::kIllegal;
}

Instruction immediate_operation(std::uint32_t b) {
  constexpr Op kTable[8] = {Op::kAddi, Op::kSlli, Op::kSlti, Op::kSltiu,
                            Op::kXori, Op::kSrli, Op::kOri,  Op::kAndi};
  const std::uint32_t funct3 = bits_of(b, 14, 12);
  const std::uint32_t funct7 = bits_of(b, 31, 25);
  Op operation = pick(funct3, kTable);
  std::int32_t immediate = immediate_i(b);
  if (funct3 == 1 || funct3 == 5) {
    if (funct3 == 5 && funct7 == 0x20)
      operation = Op::kSrai;
    else if (funct7 != 0)  // a shift by 32 and more does not exist in RV32
      return illegal(4);
    immediate = static_cast<std::int32_t>(bits_of(b, 24, 20));
  }
  return make(operation, reg(b, 7), reg(b, 15), 0, immediate, 4);
}

Instruction system_operation(std::uint32_t b) {
  constexpr Op kTable[8] = {Op::kIllegal, Op::kCsrrw,  Op::kCsrrs,  Op::kCsrrc,
                            Op::kIllegal, Op::kCsrrwi, Op::kCsrrsi, Op::kCsrrci};
  switch (b) {
    case 0x00000073:
      return make(Op::kEcall, 0, 0, 0, 0, 4);
    case 0x00100073:
      return make(Op::kEbreak, 0, 0, 0, 0, 4);
    case 0x30200073:
      return make(Op::kMret, 0, 0, 0, 0, 4);
    case 0x10500073:
      return make(Op::kWfi, 0, 0, 0, 0, 4);
    default:
      break;
  }
  const Op operation = pick(bits_of(b, 14, 12), kTable);
  if (operation == Op::kIllegal) return illegal(4);
  return make(operation, reg(b, 7), reg(b, 15), 0, static_cast<std::int32_t>(b >> 20), 4);
}

Instruction decode_full(std::uint32_t b) {
  constexpr Op kBranches[8] = {Op::kBeq, Op::kBne, Op::kIllegal, Op::kIllegal,
                               Op::kBlt, Op::kBge, Op::kBltu,    Op::kBgeu};
  constexpr Op kLoads[8] = {Op::kLb,  Op::kLh,  Op::kLw,      Op::kIllegal,
                            Op::kLbu, Op::kLhu, Op::kIllegal, Op::kIllegal};
  constexpr Op kStores[8] = {Op::kSb,      Op::kSh,      Op::kSw,      Op::kIllegal,
                             Op::kIllegal, Op::kIllegal, Op::kIllegal, Op::kIllegal};
  const std::uint32_t funct3 = bits_of(b, 14, 12);
  const auto upper = static_cast<std::int32_t>(b & 0xfffff000U);
  switch (b & 0x7fU) {
    case 0x37:
      return make(Op::kLui, reg(b, 7), 0, 0, upper, 4);
    case 0x17:
      return make(Op::kAuipc, reg(b, 7), 0, 0, upper, 4);
    case 0x6f:
      return make(Op::kJal, reg(b, 7), 0, 0, immediate_j(b), 4);
    case 0x67:
      return funct3 == 0 ? make(Op::kJalr, reg(b, 7), reg(b, 15), 0, immediate_i(b), 4) : illegal(4);
    case 0x63:
      return make(pick(funct3, kBranches), 0, reg(b, 15), reg(b, 20), immediate_b(b), 4);
    case 0x03:
      return make(pick(funct3, kLoads), reg(b, 7), reg(b, 15), 0, immediate_i(b), 4);
    case 0x23:
      return make(pick(funct3, kStores), 0, reg(b, 15), reg(b, 20), immediate_s(b), 4);
    case 0x13:
      return immediate_operation(b);
    case 0x33:
      return make(register_operation(funct3, bits_of(b, 31, 25)), reg(b, 7), reg(b, 15), reg(b, 20), 0, 4);
    // Fences order what one hart does as others see it; here every access takes effect at once.
    case 0x0f:
      return funct3 == 0   ? make(Op::kFence, 0, 0, 0, 0, 4)
             : funct3 == 1 ? make(Op::kFenceI, 0, 0, 0, 0, 4)
                           : illegal(4);
    case 0x73:
      return system_operation(b);
    default:
      return illegal(4);
  }
}

// Compressed instructions, by quadrant (volume I, chapter "C").

std::int32_t immediate_ci(std::uint32_t b) {
  return sign_extend((bits_of(b, 12, 12) << 5) | bits_of(b, 6, 2), 6);
}
std::int32_t immediate_cj(std::uint32_t b) {
  return sign_extend((bits_of(b, 12, 12) << 11) | (bits_of(b, 11, 11) << 4) | (bits_of(b, 10, 9) << 8) |
                         (bits_of(b, 8, 8) << 10) | (bits_of(b, 7, 7) << 6) | (bits_of(b, 6, 6) << 7) |
                         (bits_of(b, 5, 3) << 1) | (bits_of(b, 2, 2) << 5),
                     12);
}
std::int32_t immediate_cb(std::uint32_t b) {
  return sign_extend((bits_of(b, 12, 12) << 8) | (bits_of(b, 11, 10) << 3) | (bits_of(b, 6, 5) << 6) |
                         (bits_of(b, 4, 3) << 1) | (bits_of(b, 2, 2) << 5),
                     9);
}

Instruction decode_quadrant0(std::uint32_t b) {
  const auto word = static_cast<std::int32_t>((bits_of(b, 12, 10) << 3) | (bits_of(b, 6, 6) << 2) |
                                              (bits_of(b, 5, 5) << 6));
  switch (bits_of(b, 15, 13)) {
    case 0: {
      const auto wide = static_cast<std::int32_t>((bits_of(b, 12, 11) << 4) | (bits_of(b, 10, 7) << 6) |
                                                  (bits_of(b, 6, 6) << 2) | (bits_of(b, 5, 5) << 3));
      return wide == 0 ? illegal(2) : make(Op::kAddi, short_reg(b, 2), 2, 0, wide, 2);
    }
    case 2:
      return make(Op::kLw, short_reg(b, 2), short_reg(b, 7), 0, word, 2);
    case 6:
      return make(Op::kSw, 0, short_reg(b, 7), short_reg(b, 2), word, 2);
    default:
      return illegal(2);
  }
}

Instruction decode_arithmetic(std::uint32_t b) {
  constexpr Op kTable[4] = {Op::kSub, Op::kXor, Op::kOr, Op::kAnd};
  const std::uint8_t rd = short_reg(b, 7);
  const auto shift = static_cast<std::int32_t>(bits_of(b, 6, 2));
  const bool high = bits_of(b, 12, 12) != 0;
  switch (bits_of(b, 11, 10)) {
    case 0:
      return high ? illegal(2) : make(Op::kSrli, rd, rd, 0, shift, 2);
    case 1:
      return high ? illegal(2) : make(Op::kSrai, rd, rd, 0, shift, 2);
    case 2:
      return make(Op::kAndi, rd, rd, 0, immediate_ci(b), 2);
    default:
      return high ? illegal(2) : make(kTable[bits_of(b, 6, 5)], rd, rd, short_reg(b, 2), 0, 2);
  }
}

Instruction decode_quadrant1(std::uint32_t b) {
  const std::uint8_t rd = reg(b, 7);
  switch (bits_of(b, 15, 13)) {
    case 0:
      return make(Op::kAddi, rd, rd, 0, immediate_ci(b), 2);
    case 1:
      return make(Op::kJal, 1, 0, 0, immediate_cj(b), 2);
    case 2:
      return make(Op::kAddi, rd, 0, 0, immediate_ci(b), 2);
    case 3: {
      if (rd == 2) {
        const std::int32_t step =
            sign_extend((bits_of(b, 12, 12) << 9) | (bits_of(b, 6, 6) << 4) | (bits_of(b, 5, 5) << 6) |
                            (bits_of(b, 4, 3) << 7) | (bits_of(b, 2, 2) << 5),
                        10);
        return step == 0 ? illegal(2) : make(Op::kAddi, 2, 2, 0, step, 2);
      }
      const std::int32_t upper = immediate_ci(b);
      return upper == 0 ? illegal(2)
                        : make(Op::kLui, rd, 0, 0,
                               static_cast<std::int32_t>(static_cast<std::uint32_t>(upper) << 12), 2);
    }
    case 4:
      return decode_arithmetic(b);
    case 5:
      return make(Op::kJal, 0, 0, 0, immediate_cj(b), 2);
    case 6:
      return make(Op::kBeq, 0, short_reg(b, 7), 0, immediate_cb(b), 2);
    default:
      return make(Op::kBne, 0, short_reg(b, 7), 0, immediate_cb(b), 2);
  }
}

Instruction decode_quadrant2(std::uint32_t b) {
  const std::uint8_t rd = reg(b, 7);
  const std::uint8_t rs2 = reg(b, 2);
  switch (bits_of(b, 15, 13)) {
    case 0:
      return bits_of(b, 12, 12) ? illegal(2) : make(Op::kSlli, rd, rd, 0, static_cast<std::int32_t>(rs2), 2);
    case 2: {
      const auto offset = static_cast<std::int32_t>((bits_of(b, 12, 12) << 5) | (bits_of(b, 6, 4) << 2) |
                                                    (bits_of(b, 3, 2) << 6));
      return rd == 0 ? illegal(2) : make(Op::kLw, rd, 2, 0, offset, 2);
    }
    case 4:
      if (bits_of(b, 12, 12) == 0) {
        if (rs2 != 0) return make(Op::kAdd, rd, 0, rs2, 0, 2);
        return rd == 0 ? illegal(2) : make(Op::kJalr, 0, rd, 0, 0, 2);
      }
      if (rs2 != 0) return make(Op::kAdd, rd, rd, rs2, 0, 2);
      return rd == 0 ? make(Op::kEbreak, 0, 0, 0, 0, 2) : make(Op::kJalr, 1, rd, 0, 0, 2);
    case 6: {
      const auto offset = static_cast<std::int32_t>((bits_of(b, 12, 9) << 2) | (bits_of(b, 8, 7) << 6));
      return make(Op::kSw, 0, 2, rs2, offset, 2);
    }
    default:
      return illegal(2);
  }
}

}  // namespace

Instruction decode(std::uint32_t bits) {
  switch (bits & 3U) {
    case 0:
      return decode_quadrant0(bits & 0xffffU);
    case 1:
      return decode_quadrant1(bits & 0xffffU);
    case 2:
      return decode_quadrant2(bits & 0xffffU);
    default:
      return decode_full(bits);
  }
}

}  // namespace meshkv::riscv
