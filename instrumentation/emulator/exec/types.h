// From the type in a mnemonic to a C++ type: instantiates an executor template for the type met.
#pragma once

#include "instrumentation/emulator/program/program.h"

namespace wl::emulator {

struct None {};

// f.operator()<T>() for the unsigned or signed C++ type of an integer PTX type; untyped bits count as
// unsigned.
template <class F>
Exec by_integer(ptx::Type t, F f) {
    using enum ptx::Type;
    switch (t) {
        case u16:
        case b16: return f.template operator()<uint16_t>();
        case s16: return f.template operator()<int16_t>();
        case u32:
        case b32: return f.template operator()<uint32_t>();
        case s32: return f.template operator()<int32_t>();
        case u64:
        case b64: return f.template operator()<uint64_t>();
        case s64: return f.template operator()<int64_t>();
        default: return nullptr;
    }
}

// f.operator()<T>() for the unsigned C++ type as wide as t's cell contents.
template <class F>
Exec by_width(ptx::Type t, F f) {
    switch (ptx::bytes_of(t)) {
        case 1:
        case 2: return f.template operator()<uint16_t>();
        case 4: return f.template operator()<uint32_t>();
        case 8: return f.template operator()<uint64_t>();
        default: return nullptr;
    }
}

template <class F>
Exec by_float(ptx::Type t, F f) {
    switch (t) {
        case ptx::Type::f32: return f.template operator()<float>();
        case ptx::Type::f64: return f.template operator()<double>();
        default: return nullptr;
    }
}

}  // namespace wl::emulator
