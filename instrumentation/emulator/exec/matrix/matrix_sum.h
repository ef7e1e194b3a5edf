// The sums of the tensor cores, bit for bit as an H200 makes them (docs/measured/README.md): the products of
// one machine instruction and the addend are aligned to the largest exponent, cut to 25 fraction bits below
// it, added exactly, and cut (f32) or rounded to nearest even (f16).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace wl::emulator {

constexpr size_t kMaxFactors = 1024;     // elements of a or b
constexpr size_t kMaxResults = 256;      // elements of c
constexpr int32_t kNoExponent = -20000;  // of zero: below every other by more than any sum reaches

// Numbers as significand (+-[1, 2), or 0; infinities and NaN as they are) times 2^exponent.
template <size_t Size>
struct Numbers {
    alignas(32) std::array<float, Size> significand;
    alignas(32) std::array<int32_t, Size> exponent;
    bool special = false;  // some are infinite or NaN
};
using Factors = Numbers<kMaxFactors>;
using Addends = Numbers<kMaxResults>;

// Significands and exponents of values; subnormals are normalised. True: some are infinite or NaN.
bool decompose(const float* values, size_t count, float* significands, int32_t* exponents);

struct SumExtents {
    int rows = 0, columns = 0;  // of the result; columns: a multiple of 8
    int stored = 0;             // factors in a row of a
    int first = 0, count = 0;   // those of them that are in this sum: 4, 8 or 16; narrow: 32
    bool to_half = false;       // the result is rounded to f16, else cut to f32
    bool narrow = false;        // 13 fraction bits are kept, of the terms and of the result
};

struct SumOperands {
    const Factors& a;        // (rows, stored)
    const Factors& b;        // (k, columns)
    const uint16_t* row_of;  // (rows, stored): the row of b that a factor of a meets
    const Addends& c;        // (rows, columns)
};
// d: (rows, columns); NaN comes out as 0x7fffffff, zeros as +0.
void add_products(const SumOperands& operands, const SumExtents& extents, float* d);

}  // namespace wl::emulator
