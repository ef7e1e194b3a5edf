// The shared arrays of a recorded block as they are when all its threads have come to a barrier.
#pragma once

#include "instrumentation/emulator/machine/block.h"

namespace wl::emulator {

// At barrier `id`, which is complete and releases nobody yet.
void take_arrays(Block& block, uint32_t id);

}  // namespace wl::emulator
