// What an atomic operation makes of a word that holds `old`; `global`: it lies in global memory, which adds
// apart from the cores. Not used by most: c.
#pragma once

#include "instrumentation/emulator/exec/values/float32.h"
#include "instrumentation/emulator/exec/values/half.h"
#include "instrumentation/ptx/table/opcodes.h"

#include <type_traits>

namespace wl::emulator {

template <class Word>
using Combine = Word (*)(Word old, Word b, Word c, bool global);

template <class Word>
Word exchange(Word, Word b, Word, bool) {
    return b;
}
template <class Word>
Word compare_and_swap(Word old, Word b, Word c, bool) {
    return old == b ? c : old;
}
template <class T, ptx::AtomOp O, class Word = std::make_unsigned_t<T>>
Word integer(Word old, Word b, Word, bool) {
    switch (O) {
        case ptx::AtomOp::add: return old + b;
        case ptx::AtomOp::min: return static_cast<T>(old) < static_cast<T>(b) ? old : b;
        case ptx::AtomOp::max: return static_cast<T>(old) < static_cast<T>(b) ? b : old;
        case ptx::AtomOp::and_: return old & b;
        case ptx::AtomOp::or_: return old | b;
        case ptx::AtomOp::xor_: return old ^ b;
        case ptx::AtomOp::inc: return old >= b ? 0 : old + 1;
        case ptx::AtomOp::dec: return old == 0 || old > b ? b : old - 1;
        default: return old;
    }
}
// Global memory adds singles with flush to zero, shared memory without (ISA 9.7.13.5).
inline uint32_t add_single(uint32_t old, uint32_t b, uint32_t, bool global) {
    const auto x = std::bit_cast<float>(old), y = std::bit_cast<float>(b);
    if (!global) return std::bit_cast<uint32_t>(canonical(x + y));
    return std::bit_cast<uint32_t>(canonical(flush<true>(flush<true>(x) + flush<true>(y))));
}
// Global memory keeps a signalling NaN as it is, shared memory does not (measured).
inline uint64_t add_double(uint64_t old, uint64_t b, uint64_t, bool global) {
    const auto x = std::bit_cast<double>(old), y = std::bit_cast<double>(b);
    if (global && x != x) return old;
    if (global && y != y) return b;
    return std::bit_cast<uint64_t>(x + y);
}

inline float value_of(Half, uint16_t x) { return half_to_float(x); }
inline float value_of(Bf16, uint16_t x) { return brain_value(x); }
inline uint16_t bits_of(Half, float x) { return float_to_half<0>(x); }
inline uint16_t bits_of(Bf16, float x) { return float_to_brain<0>(x); }

// Single precision has more than twice the bits: its sum rounds the same way.
template <class Format, ptx::AtomOp O>
uint16_t half(uint16_t old, uint16_t b, uint16_t, bool) {
    const float x = value_of(Format{}, old), y = value_of(Format{}, b);
    if constexpr (O == ptx::AtomOp::add) return bits_of(Format{}, x + y);
    return bits_of(Format{}, extremum<O == ptx::AtomOp::max, false>(x, y));
}
template <class Format, ptx::AtomOp O>
uint32_t pair(uint32_t old, uint32_t b, uint32_t, bool) {
    const auto one = [=](int shift) {
        const auto of_old = static_cast<uint16_t>(old >> shift), of_b = static_cast<uint16_t>(b >> shift);
        return uint32_t{half<Format, O>(of_old, of_b, 0, false)} << shift;
    };
    return one(16) | one(0);
}

// Of 32 and 64 bits, and of 16; nullptr: there is no such operation.
template <class T>
Combine<std::make_unsigned_t<T>> combine_integers(ptx::AtomOp op) {
    switch (op) {
        case ptx::AtomOp::add: return integer<T, ptx::AtomOp::add>;
        case ptx::AtomOp::min: return integer<T, ptx::AtomOp::min>;
        case ptx::AtomOp::max: return integer<T, ptx::AtomOp::max>;
        case ptx::AtomOp::and_: return integer<T, ptx::AtomOp::and_>;
        case ptx::AtomOp::or_: return integer<T, ptx::AtomOp::or_>;
        case ptx::AtomOp::xor_: return integer<T, ptx::AtomOp::xor_>;
        case ptx::AtomOp::inc: return integer<T, ptx::AtomOp::inc>;
        case ptx::AtomOp::dec: return integer<T, ptx::AtomOp::dec>;
        default: return nullptr;
    }
}
template <class Format>
Combine<uint16_t> combine_halves(ptx::AtomOp op) {
    switch (op) {
        case ptx::AtomOp::add: return half<Format, ptx::AtomOp::add>;
        case ptx::AtomOp::min: return half<Format, ptx::AtomOp::min>;
        case ptx::AtomOp::max: return half<Format, ptx::AtomOp::max>;
        default: return nullptr;
    }
}

}  // namespace wl::emulator
