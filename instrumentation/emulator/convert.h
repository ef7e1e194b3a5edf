// Conversions of one value between any two scalar types, by way of a carrier that holds every source exactly.
#pragma once

#include "instrumentation/emulator/lowering.h"

namespace wl::emulator {

bool is_integer(ptx::Type t);
bool is_signed(ptx::Type t);

// The executor for every pair of scalar types, one lane at a time.
Selected lower_any_conversion(Lowering& l);

}  // namespace wl::emulator
