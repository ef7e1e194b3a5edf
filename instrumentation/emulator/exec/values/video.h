// What the video instructions, scalar and SIMD, have in common: selected bytes and halves, and operations on
// them in more bits than any result has.
#pragma once

#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

// Operand::selector, taken apart.
struct Selector {
    uint32_t bits = 0;    // of an element: 8, 16; 32: none
    uint32_t count = 0;   // elements
    uint32_t digits = 0;  // three bits an element, the lowest first
};
constexpr Selector selector_of(uint16_t packed) {
    if (packed == 0) return {32, 1, 0};
    return {(packed & 0x8000) != 0 ? 16u : 8u, packed >> 12 & 7u, packed & 0xfffu};
}
constexpr uint32_t digit(const Selector& s, uint32_t k) { return s.digits >> (3 * k) & 7; }

// Element `index` of `bits` bits of {high, low}, extended.
inline int64_t element_of(uint32_t low, uint32_t high, uint32_t bits, uint32_t index, bool is_signed) {
    const uint64_t both = uint64_t{high} << 32 | low;
    const uint64_t shifted = both >> (bits * index) << (64 - bits);
    return is_signed ? static_cast<int64_t>(shifted) >> (64 - bits)
                     : static_cast<int64_t>(shifted >> (64 - bits));
}

inline int64_t clamped(int64_t value, uint32_t bits, bool is_signed) {
    const int64_t most = (int64_t{1} << (is_signed ? bits - 1 : bits)) - 1, least = is_signed ? ~most : 0;
    return value < least ? least : value > most ? most : value;
}

inline bool compares(ptx::Compare compare, int64_t a, int64_t b) {
    switch (compare) {
        case ptx::Compare::eq: return a == b;
        case ptx::Compare::ne: return a != b;
        case ptx::Compare::lt: return a < b;
        case ptx::Compare::le: return a <= b;
        case ptx::Compare::gt: return a > b;
        default: return a >= b;
    }
}

// A lowered video instruction: selectors in Instr::offset, the rest in Instr::target.
struct VideoSelectors {
    uint16_t d = 0, a = 0, b = 0;
    bool negate_product = false, negate_c = false;  // vmad
};
struct VideoForm {
    uint8_t op = 0;       // ptx::Op less Op::vadd
    uint8_t compare = 0;  // vset: ptx::Compare; vmad: bits to shift
    uint8_t second = 0;   // ptx::AtomOp
    bool d_signed : 1 = false, a_signed : 1 = false, b_signed : 1 = false;
    bool sat : 1 = false, wrap : 1 = false, plus_one : 1 = false, merges : 1 = false;
};
static_assert(sizeof(VideoSelectors) == sizeof(Instr::offset) && sizeof(VideoForm) == sizeof(Instr::target));

inline ptx::Op op_of(const VideoForm& f) {
    return static_cast<ptx::Op>(static_cast<int>(ptx::Op::vadd) + f.op);
}

// What the mnemonic says; the family adds what the operands say.
VideoForm video_form(const ptx::Instruction& in);
// r = {d, a, b, c}, zero where there is no c.
void video_operands(Lowering& l);

}  // namespace wl::emulator
