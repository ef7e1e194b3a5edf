// One block from start to end, in memory that the worker uses again for the next one.
#pragma once

#include "instrumentation/emulator/warp.h"

namespace wl::emulator {

// What all blocks of a worker share.
struct BlockContext {
    const Program* program = nullptr;
    const Launch* launch = nullptr;
    const RunOptions* options = nullptr;
    GlobalMemory* memory = nullptr;
    Variant variant = kPlain;
    const Loaded* loaded = nullptr;
};

void prepare(Block& block, const BlockContext& context);

// Runs block `index`; its findings, counts and record stay in `block`. False: it was given up (deadlock,
// budget, trap).
bool run_block(Block& block, int64_t index);

}  // namespace wl::emulator
