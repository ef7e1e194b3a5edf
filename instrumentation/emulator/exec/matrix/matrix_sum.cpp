// Models the sums of the tensor cores of sm_90: measured on an H200, see matrix_sum.h. Not modelled: other
// architectures' widths and groups.
#include "instrumentation/emulator/exec/matrix/matrix_sum.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <immintrin.h>

namespace wl::emulator {
namespace {

constexpr int kKeptBits = 25;      // below the largest exponent
constexpr int kNarrowBits = 13;    // of 8-bit floats in wgmma
constexpr int kBias = 127;         // of an f32's exponent
constexpr int kLeastShift = -100;  // any product shifted that far is cut to nothing

// Eight columns of one row: 2^(exponent - power), where the difference is at most kKeptBits.
inline __m256 power_of_two(__m256i exponent, __m256i biased_power) {
    const __m256i biased = _mm256_sub_epi32(exponent, biased_power);
    const __m256i least = _mm256_set1_epi32(kBias + kLeastShift);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_max_epi32(biased, least), 23));
}

// sum * 2^power, exact: a sum has at most 33 bits.
inline __m256d scaled(__m128i low, __m128i high, __m128i power) {
    const __m256d sum = _mm256_add_pd(_mm256_cvtepi32_pd(low), _mm256_cvtepi32_pd(high));
    const __m256i wide = _mm256_cvtepi32_epi64(_mm_max_epi32(power, _mm_set1_epi32(-1000)));
    const __m256i bits = _mm256_slli_epi64(_mm256_add_epi64(wide, _mm256_set1_epi64x(1023)), 52);
    return _mm256_mul_pd(sum, _mm256_castsi256_pd(bits));
}

// The 24 leading bits; below the least normal number of f32 its fixed last place counts.
inline __m128 cut_to_float(__m256d x) {
    const __m256d magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
    const __m256i kept = _mm256_set1_epi64x(~int64_t{0x1fffffff});
    const __m256d normal = _mm256_and_pd(x, _mm256_castsi256_pd(kept));
    const __m256d places = _mm256_mul_pd(x, _mm256_set1_pd(0x1p149));
    const __m256d whole = _mm256_round_pd(places, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    const __m256d subnormal = _mm256_mul_pd(whole, _mm256_set1_pd(0x1p-149));
    const __m256d is_small = _mm256_cmp_pd(magnitude, _mm256_set1_pd(0x1p-126), _CMP_LT_OQ);
    return _mm256_cvtpd_ps(_mm256_blendv_pd(normal, subnormal, is_small));
}

// To nearest even, once: what is cut off is left as a sticky last bit for the second rounding.
inline __m128 round_to_half(__m256d x) {
    const __m256i bits = _mm256_castpd_si256(x);
    const __m256i cut = _mm256_and_si256(bits, _mm256_set1_epi64x(0x1fffffff));
    const __m256i none = _mm256_cmpeq_epi64(cut, _mm256_setzero_si256());
    const __m256i sticky = _mm256_andnot_si256(none, _mm256_set1_epi64x(0x20000000));
    const __m256i kept = _mm256_andnot_si256(_mm256_set1_epi64x(0x1fffffff), bits);
    const __m128 odd = _mm256_cvtpd_ps(_mm256_castsi256_pd(_mm256_or_si256(kept, sticky)));
    return _mm_cvtph_ps(_mm_cvtps_ph(odd, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

template <bool ToHalf>
inline __m256 result_of(__m256i even, __m256i odd, __m256i power) {
    const __m256d low =
        scaled(_mm256_castsi256_si128(even), _mm256_castsi256_si128(odd), _mm256_castsi256_si128(power));
    const __m256d high = scaled(
        _mm256_extracti128_si256(even, 1),
        _mm256_extracti128_si256(odd, 1),
        _mm256_extracti128_si256(power, 1)
    );
    return ToHalf ? _mm256_set_m128(round_to_half(high), round_to_half(low))
                  : _mm256_set_m128(cut_to_float(high), cut_to_float(low));
}

// One row, eight columns from `column` on. A product lies below 2^27 units of the last kept place, eight of
// them below 2^30: two 32-bit sums of eight hold sixteen and the addend.
template <bool ToHalf, bool Narrow, int Count>
inline void add_eight(const SumOperands& o, const SumExtents& x, int row, int column, float* d) {
    static_assert(Narrow || Count <= 16);
    const auto result = static_cast<size_t>(row * x.columns + column);
    const auto left = static_cast<size_t>(row * x.stored + x.first);
    __m256i exponents[Count];
    __m256 products[Count];
    const __m256i own = _mm256_load_si256(reinterpret_cast<const __m256i*>(&o.c.exponent[result]));
    __m256i top = own;
    for (size_t k = 0; k < Count; ++k) {
        const size_t at = left + k;
        const size_t right = o.row_of[at] * static_cast<size_t>(x.columns) + static_cast<size_t>(column);
        const __m256i b = _mm256_load_si256(reinterpret_cast<const __m256i*>(&o.b.exponent[right]));
        exponents[k] = _mm256_add_epi32(b, _mm256_set1_epi32(o.a.exponent[at]));
        products[k] =
            _mm256_mul_ps(_mm256_load_ps(&o.b.significand[right]), _mm256_set1_ps(o.a.significand[at]));
        top = _mm256_max_epi32(top, exponents[k]);
    }
    const __m256i power = _mm256_sub_epi32(top, _mm256_set1_epi32(Narrow ? kNarrowBits : kKeptBits));
    const __m256i biased = _mm256_sub_epi32(power, _mm256_set1_epi32(kBias));
    const __m256 addend = _mm256_load_ps(&o.c.significand[result]);
    __m256i even = _mm256_cvttps_epi32(_mm256_mul_ps(addend, power_of_two(own, biased)));
    __m256i odd = _mm256_setzero_si256();
    for (size_t k = 0; k < Count; ++k) {
        const __m256i aligned =
            _mm256_cvttps_epi32(_mm256_mul_ps(products[k], power_of_two(exponents[k], biased)));
        (k % 2 == 0 ? even : odd) = _mm256_add_epi32(k % 2 == 0 ? even : odd, aligned);
    }
    __m256 sum = result_of<ToHalf>(even, odd, power);
    if constexpr (Narrow && !ToHalf)
        sum = _mm256_and_ps(sum, _mm256_castsi256_ps(_mm256_set1_epi32(-1 << (23 - kNarrowBits))));
    _mm256_storeu_ps(d + result, sum);
}

// Infinities and NaN: of the significands, whose finite sums cannot overflow, IEEE 754 gives what is right.
void settle_specials(const SumOperands& o, const SumExtents& x, float* d) {
    for (int row = 0; row < x.rows; ++row)
        for (int column = 0; column < x.columns; ++column) {
            const auto result = static_cast<size_t>(row * x.columns + column);
            float sum = o.c.significand[result];
            for (int k = 0; k < x.count; ++k) {
                const auto at = static_cast<size_t>(row * x.stored + x.first + k);
                sum += o.a.significand[at] *
                    o.b.significand
                        [o.row_of[at] * static_cast<size_t>(x.columns) + static_cast<size_t>(column)];
            }
            if (std::isnan(sum))
                d[result] = std::bit_cast<float>(0x7fffffffu);
            else if (std::isinf(sum))
                d[result] = sum;
        }
}

template <bool ToHalf, bool Narrow, int Count>
void add_all(const SumOperands& o, const SumExtents& x, float* d) {
    for (int row = 0; row < x.rows; ++row)
        for (int column = 0; column < x.columns; column += 8)
            add_eight<ToHalf, Narrow, Count>(o, x, row, column, d);
}
template <bool ToHalf>
void add_counted(const SumOperands& o, const SumExtents& x, float* d) {
    switch (x.count) {
        case 4: add_all<ToHalf, false, 4>(o, x, d); break;
        case 8: add_all<ToHalf, false, 8>(o, x, d); break;
        case 32: add_all<ToHalf, true, 32>(o, x, d); break;
        default: add_all<ToHalf, false, 16>(o, x, d); break;
    }
}

}  // namespace

bool decompose(const float* values, size_t count, float* significands, int32_t* exponents) {
    uint32_t special = 0;
    for (size_t k = 0; k < count; ++k) {
        const uint32_t bits = std::bit_cast<uint32_t>(values[k]);
        const uint32_t raised = std::bit_cast<uint32_t>(values[k] * 0x1p32f);
        const uint32_t magnitude = bits & 0x7fffffff;
        const bool subnormal = magnitude < 0x00800000;
        const uint32_t normal = subnormal ? raised : bits;
        const auto exponent = static_cast<int32_t>(normal >> 23 & 0xff) - (subnormal ? kBias + 32 : kBias);
        const bool odd = magnitude >= 0x7f800000;
        const uint32_t significand = (normal & 0x807fffff) | 0x3f800000;
        significands[k] = std::bit_cast<float>(magnitude == 0 || odd ? bits : significand);
        exponents[k] = magnitude == 0 ? kNoExponent : odd ? 0 : exponent;
        special |= odd ? 1u : 0u;
    }
    return special != 0;
}

void add_products(const SumOperands& operands, const SumExtents& extents, float* d) {
    assert(
        extents.narrow ? extents.count == 32 : extents.count == 4 || extents.count == 8 || extents.count == 16
    );
    assert(extents.columns % 8 == 0);
    if (extents.to_half)
        add_counted<true>(operands, extents, d);
    else
        add_counted<false>(operands, extents, d);
    if (operands.a.special || operands.b.special || operands.c.special) settle_specials(operands, extents, d);
}

}  // namespace wl::emulator
