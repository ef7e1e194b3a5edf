// How far a block has come.
#pragma once

#include "instrumentation/emulator/machine/block.h"

#include <cstdint>

namespace wl::emulator {

uint64_t issued(const Block& block);  // warp instructions since its start

// Equal for equal registers, shared and local memory and places of its lanes.
uint64_t fingerprint(const Block& block);

}  // namespace wl::emulator
