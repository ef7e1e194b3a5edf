// Facts of the device's floating point that plain C++ arithmetic lacks: canonical NaN, flushing, min and max.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace wl::emulator {

// Single-precision results that are NaN have this pattern (PTX ISA 9.7.3); double precision keeps payloads.
inline float canonical(float x) { return x == x ? x : std::bit_cast<float>(0x7fffffffu); }
inline double canonical(double x) { return x; }

// What neg, abs, min and max make of a NaN: double precision keeps sign and payload and quiets it (measured).
inline float quiet(float x) { return canonical(x); }
inline double quiet(double x) {
    return x == x ? x : std::bit_cast<double>(std::bit_cast<uint64_t>(x) | uint64_t{1} << 51);
}

// .ftz: a subnormal becomes a zero of its sign.
template <bool Ftz>
inline float flush(float x) {
    if constexpr (!Ftz) return x;
    const uint32_t bits = std::bit_cast<uint32_t>(x);
    return std::bit_cast<float>((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}
template <bool Ftz>
inline double flush(double x) {
    return x;
}

// .sat: to [0, 1], NaN becomes +0.
inline float saturate(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
inline double saturate(double x) { return x > 0 ? (x < 1 ? x : 1.0) : 0.0; }

inline uint32_t bits_of_float(float x) { return std::bit_cast<uint32_t>(x); }
inline uint64_t bits_of_float(double x) { return std::bit_cast<uint64_t>(x); }
inline float negated(float x) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x) ^ 0x80000000u); }
inline double negated(double x) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(x) ^ (uint64_t{1} << 63));
}
inline float magnitude(float x) { return std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0x7fffffffu); }
inline double magnitude(double x) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & ~(uint64_t{1} << 63));
}

}  // namespace wl::emulator
