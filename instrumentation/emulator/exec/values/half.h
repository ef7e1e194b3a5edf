// The 16-bit floating point formats: to float exactly, from float by every rounding.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <immintrin.h>

namespace wl::emulator {

struct Half {};  // f16: 1 sign, 5 exponent, 10 fraction bits
struct Bf16 {};  // bf16: 1 sign, 8 exponent, 7 fraction bits

inline float half_to_float(uint16_t x) { return _cvtsh_ss(x); }
template <bool Ftz>
inline float half_value(uint16_t x) {
    return half_to_float(Ftz && (x & 0x7c00) == 0 ? x & 0x8000 : x);
}
inline float brain_value(uint16_t x) { return std::bit_cast<float>(uint32_t{x} << 16); }

constexpr uint16_t kHalfNan = 0x7fff;  // of both formats, as results have it

// min or max, PTX ISA 9.7.4.7: -0 < +0; one NaN gives the other operand, unless KeepNan.
template <bool Max, bool KeepNan>
inline float extremum(float a, float b) {
    const bool a_nan = a != a, b_nan = b != b;
    if (KeepNan && (a_nan || b_nan)) return std::bit_cast<float>(0x7fffffffu);
    if (a_nan) return b;
    if (b_nan) return a;
    if (a == b) return std::signbit(a) == Max ? b : a;
    return (a < b) == Max ? b : a;
}

// Rounds of the immediate of vcvtps2ph: 0 to nearest even, 1 down, 2 up, 3 to zero.
template <int Round>
inline uint16_t float_to_half(float x) {
    const uint16_t h = _cvtss_sh(x, Round);
    return x == x ? h : kHalfNan;
}
template <int Round>
inline uint16_t float_to_brain(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    const bool negative = (bits >> 31) != 0;
    const uint32_t rest = bits & 0xffff;
    uint32_t up = 0;
    if constexpr (Round == 0) up = rest + (bits >> 16 & 1) > 0x8000 ? 1 : 0;
    if constexpr (Round == 1) up = negative && rest != 0 ? 1 : 0;
    if constexpr (Round == 2) up = !negative && rest != 0 ? 1 : 0;
    const bool infinite = (bits & 0x7fffffff) == 0x7f800000;
    const uint16_t rounded = static_cast<uint16_t>((bits >> 16) + (infinite ? 0 : up));
    return x == x ? rounded : kHalfNan;
}

// 32 lanes at once.
inline void halves_to_floats(const uint32_t* in, float* out) {
    for (int k = 0; k < 32; k += 8) {
        const __m256i low = _mm256_and_si256(
            _mm256_load_si256(reinterpret_cast<const __m256i*>(in + k)), _mm256_set1_epi32(0xffff)
        );
        const __m128i packed =
            _mm_packus_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
        _mm256_store_ps(out + k, _mm256_cvtph_ps(packed));
    }
}
template <int Round>
inline void floats_to_halves(const float* in, uint32_t* out) {
    for (int k = 0; k < 32; k += 8) {
        const __m256 x = _mm256_load_ps(in + k);
        const __m256i wide = _mm256_cvtepu16_epi32(_mm256_cvtps_ph(x, Round | _MM_FROUND_NO_EXC));
        const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
        const __m256i result = _mm256_blendv_epi8(wide, _mm256_set1_epi32(0x7fff), nan);
        _mm256_store_si256(reinterpret_cast<__m256i*>(out + k), result);
    }
}

}  // namespace wl::emulator
