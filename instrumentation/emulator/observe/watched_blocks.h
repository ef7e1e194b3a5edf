// Blocks of a launch run one after the other, alone, each instruction told to a watcher.
#pragma once

#include "instrumentation/emulator/load.h"
#include "instrumentation/emulator/observe/watcher.h"
#include "instrumentation/emulator/schedule/block.h"

namespace wl::emulator {

struct WatchedLaunch {
    const ptx::Module& module;
    const Program& program;  // lowered from it
    const Launch& launch;
    GlobalMemory& memory;  // as before the launch
};

struct WatchedBlocks {
    Hooked hooked;
    Watcher watcher;
    Loaded loaded;
    RunOptions options;  // no marks, no checks
};
// Not to be moved once a block has run.
WatchedBlocks watched_blocks(const WatchedLaunch& launch, uint64_t schedule_seed);

// How a block ended, and what it cost.
struct WatchedEnd {
    Ended ended = Ended::finished;
    uint64_t instructions = 0;  // of its warps
};
// `begun` sees the block before its first instruction.
template <class Begun>
WatchedEnd run_watched(WatchedBlocks& blocks, const WatchedLaunch& launch, int64_t index, Begun begun) {
    Block block;
    BlockContext context;
    run_hooked(context, blocks.hooked);
    context.launch = &launch.launch;
    context.options = &blocks.options;
    context.memory = &launch.memory;
    context.loaded = &blocks.loaded;
    make_ready(block, context);
    block.watcher = &blocks.watcher;
    begin_block(block, index, kPlain);
    begun(block);
    WatchedEnd out;
    out.ended = run_block(block);
    out.instructions = issued(block);
    return out;
}

}  // namespace wl::emulator
