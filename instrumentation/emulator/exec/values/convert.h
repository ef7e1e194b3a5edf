// Conversions of one value between any two scalar types, by way of a carrier that holds every source exactly.
#pragma once

#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

// Of one element. Fits Instr::offset.
struct Conversion {
    ptx::Type to = ptx::Type::none, from = ptx::Type::none;
    ptx::Rounding rounding = ptx::Rounding::none;
    bool sat : 1 = false, ftz : 1 = false, relu : 1 = false, satfinite : 1 = false;
    bool wide_to = false, wide_from = false;  // registers of 8 bytes
    bool joined = false;                      // pairs: both elements come from one register
    uint8_t unused = 0;
};
static_assert(sizeof(Conversion) == sizeof(int64_t));

Conversion conversion_of(const ptx::Instruction& in);
// The destination's bits of an element with these bits.
uint64_t convert_one(const Conversion& c, uint64_t bits);

bool is_integer(ptx::Type t);
bool is_signed(ptx::Type t);

// The executor for every pair of scalar types, one lane at a time.
Selected lower_any_conversion(Lowering& l);
// The same for destinations of two elements.
Selected lower_pair_conversion(Lowering& l);

}  // namespace wl::emulator
