// Blocks of a launch run one after the other, alone, each instruction told to a watcher.
#pragma once

#include "instrumentation/base/work.h"
#include "instrumentation/emulator/observe/watcher.h"
#include "instrumentation/emulator/program/load.h"
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

// Which blocks, and for how long.
struct WatchedTurn {
    const std::vector<int64_t>& blocks;  // linear; empty: all
    uint64_t most_instructions = 0;      // of warps, over all of them: the rest is left out
};
// How many came to their end, in their order: none behind one that waits for another block, or for which the
// instructions did not suffice. `begun` sees a block before its first instruction; `goes_on(done, of)` says
// behind each whether there is to be another.
template <class Begun, class GoesOn>
int64_t run_watched(
    WatchedBlocks& watched, const WatchedLaunch& launch, const WatchedTurn& turn, Begun begun, GoesOn goes_on
) {
    const uint64_t wanted = turn.blocks.empty() ? count(launch.launch.grid) : turn.blocks.size();
    uint64_t left = turn.most_instructions, done = 0;
    while (done < wanted && left > 0) {
        watched.options.budget = left;
        Block block;
        BlockContext context;
        run_hooked(context, watched.hooked);
        context.launch = &launch.launch;
        context.options = &watched.options;
        context.memory = &launch.memory;
        context.loaded = &watched.loaded;
        make_ready(block, context);
        block.watcher = &watched.watcher;
        begin_block(block, turn.blocks.empty() ? static_cast<int64_t>(done) : turn.blocks[done], kPlain);
        begun(block);
        const Ended ended = run_block(block);
        const uint64_t instructions = issued(block);
        constexpr double kBlock = 50e3, kInstruction = 200;  // of search-work.json
        count_work(kBlock + kInstruction * static_cast<double>(instructions));
        if (ended == Ended::set_aside || instructions >= left) break;
        left -= instructions;
        if (!goes_on(++done, wanted)) break;
    }
    return static_cast<int64_t>(done);
}

}  // namespace wl::emulator
