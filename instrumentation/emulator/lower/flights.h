// Which instructions touch registers of a wgmma.mma_async, that must have been waited for.
#pragma once

#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

// After the function's code has been lowered, checked variants look before each such instruction whether the
// product is still in flight.
void add_flights(Lowering& l);

}  // namespace wl::emulator
