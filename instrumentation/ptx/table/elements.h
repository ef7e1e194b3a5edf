// How wide an element of a matrix is.
#pragma once

#include "instrumentation/ptx/table/opcodes.h"

namespace wl::ptx {

// Bits of one element of a fragment: less than a register's, which may hold several.
constexpr int element_bits(Type t) {
    switch (t) {
        case Type::b1: return 1;
        case Type::u4:
        case Type::s4: return 4;
        case Type::u8:
        case Type::s8:
        case Type::e4m3:
        case Type::e5m2: return 8;
        case Type::f16:
        case Type::bf16: return 16;
        case Type::f64: return 64;
        default: return 32;
    }
}

}  // namespace wl::ptx
