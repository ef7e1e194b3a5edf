// Fast approximations of transcendental functions, branch-free so that they vectorise. Each states its error;
// the ISA's limits are in PTX ISA 9.7.3.
#pragma once

#include "instrumentation/emulator/exec/values/float32.h"

namespace wl::emulator {

// 2^x. Taylor series of 2^f to degree 7 on |f| <= 1/2: truncation (ln 2 / 2)^8 / 8! < 6e-9, so that rounding
// of the last steps decides: within 1 ulp; the ISA allows 2 ulp.
inline float exp2_approx(float x) {
    const float limited = x < -160.0f ? -160.0f : x > 160.0f ? 160.0f : x;
    const float n = std::nearbyint(limited);
    const float f = limited - n;
    float p = 1.5252734e-5f;
    p = std::fma(p, f, 1.5403530e-4f);
    p = std::fma(p, f, 1.3333558e-3f);
    p = std::fma(p, f, 9.6181291e-3f);
    p = std::fma(p, f, 5.5504109e-2f);
    p = std::fma(p, f, 2.4022651e-1f);
    p = std::fma(p, f, 6.9314718e-1f);
    p = std::fma(p, f, 1.0f);
    // In two factors: the first product is exact, so that a subnormal result is rounded once.
    const int32_t exponent = static_cast<int32_t>(x == x ? n : 0.0f);
    const int32_t half = exponent >> 1;
    const float scale = std::bit_cast<float>((half + 127) << 23);
    const float rest = std::bit_cast<float>((exponent - half + 127) << 23);
    return x == x ? p * scale * rest : x;
}

// log2(x) = e + 2 log2(e) atanh(s), s = (m-1)/(m+1), |s| < 0.172: the series to s^9 leaves s^10/11 < 3e-9.
// Relative error within 2^-22, absolute within 2^-22 near 1, as the ISA asks.
inline float log2_approx(float x) {
    const bool tiny = x < 0x1p-126f;
    const float scaled = tiny ? x * 0x1p23f : x;
    const uint32_t bits = std::bit_cast<uint32_t>(scaled);
    const int32_t shift = static_cast<int32_t>(bits - 0x3f3504f3u) >> 23;  // m in [sqrt(1/2), sqrt(2))
    const float m = std::bit_cast<float>(bits - (static_cast<uint32_t>(shift) << 23));
    const float e = static_cast<float>(shift - (tiny ? 23 : 0));
    const float s = (m - 1.0f) / (m + 1.0f);
    const float q = s * s;
    float p = std::fma(q, 1.0f / 9, 1.0f / 7);
    p = std::fma(p, q, 1.0f / 5);
    p = std::fma(p, q, 1.0f / 3);
    p = std::fma(p, q, 1.0f);
    const float result = std::fma(s * p, 2.8853900817779268f, e);
    const float special = x == 0 ? -INFINITY : x == INFINITY ? x : std::bit_cast<float>(0x7fffffffu);
    return x > 0 && x < INFINITY ? result : special;
}

// sin (Quarter 0) or cos (Quarter 1). The hardware multiplies by 1/(2 pi) in single precision, cut, and takes
// the sine of that many turns: which is why large angles lose their digits and huge ones are whole turns.
// Error within 2^-21.3 on [-pi, pi] by that product; the ISA allows 2^-20.5 there, and 2^-14.7 to 100 pi.
template <int Quarter>
inline float sine_approx(float x) {
    const double exact = static_cast<double>(x) * static_cast<double>(0.15915494f);
    const float nearest = static_cast<float>(exact);
    const bool above = std::abs(static_cast<double>(nearest)) > std::abs(exact);
    const double turns = std::bit_cast<float>(std::bit_cast<uint32_t>(nearest) - (above ? 1u : 0u));
    const double q = std::nearbyint(turns * 4);
    const double r = (turns - q * 0.25) * 6.283185307179586;
    const double quarter = q + Quarter;
    const double turn = quarter - 4 * std::floor(quarter * 0.25);  // 0, 1, 2, 3
    const double z = r * r;
    const double sine = r + r * z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880))));
    const double cosine =
        1 + z * (-0.5 + z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800)))));
    const double value = turn == 1 || turn == 3 ? cosine : sine;
    const float result = static_cast<float>(turn >= 2 ? -value : value);
    return result == 0 ? std::copysign(result, x) : result;
}

// tanh(x) = (t-1)/(t+1), t = 2^(2x log2 e); near 0 the series. Relative error far below the ISA's 2^-11.
inline float tanh_approx(float x) {
    const float a = magnitude(x);
    const float t = exp2_approx((a < 10 ? a : 10.0f) * 2.8853900817779268f);
    const float far = (t - 1) / (t + 1);
    const float z = x * x;
    const float near = a * std::fma(z, std::fma(z, 2.0f / 15, -1.0f / 3), 1.0f);
    const float result = a < 0.1f ? near : far;
    return x == x ? std::copysign(result, x) : x;
}

// .approx.ftz.f64: reads and writes the upper words alone, so that a NaN whose payload lies in the lower one
// is an infinity; flushes subnormals.
template <auto F>
double upper_word(double x) {
    constexpr uint64_t kUpper = 0xffffffff00000000, kSign = uint64_t{1} << 63, kExponent = 0x7ff0000000000000;
    const auto flushed = [](uint64_t bits) { return (bits & kExponent) == 0 ? bits & kSign : bits & kUpper; };
    const double result = F(std::bit_cast<double>(flushed(std::bit_cast<uint64_t>(x))));
    return std::bit_cast<double>(
        result == result ? flushed(std::bit_cast<uint64_t>(result)) : uint64_t{0x7fffffff00000000}
    );
}

}  // namespace wl::emulator
