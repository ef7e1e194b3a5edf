// Integer arithmetic as the ISA defines it: everything wraps, products may be wanted whole or by halves.
#pragma once

#include "instrumentation/emulator/exec/values/wide.h"

#include <cstdint>
#include <type_traits>

namespace wl::emulator {

// Arithmetic wraps: do it in the unsigned type, at least 32 bits wide.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T>
using Double = std::conditional_t<
    std::is_signed_v<T>,
    std::conditional_t<sizeof(T) == 2, int32_t, std::conditional_t<sizeof(T) == 4, int64_t, Int128>>,
    std::conditional_t<sizeof(T) == 2, uint32_t, std::conditional_t<sizeof(T) == 4, uint64_t, UInt128>>>;

template <class T>
T add(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}
template <class T>
T sub(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}
template <class T>
T mul_lo(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}
template <class T>
T mul_hi(T a, T b) {
    return static_cast<T>(Double<T>(a) * Double<T>(b) >> (8 * sizeof(T)));
}

}  // namespace wl::emulator
