// Clusters of blocks, as far as a block knows of them.
#pragma once

#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

// What .reqnctapercluster says; 1: nothing.
uint64_t blocks_of_cluster(const ptx::Function& function);

}  // namespace wl::emulator
