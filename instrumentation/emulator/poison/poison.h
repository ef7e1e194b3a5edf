// Values that nobody initialised, followed bit by bit from the instruction that reads them first to the one
// where they decide something or leave the block. Models registers, local, shared and global memory, masks
// and shifts that drop bits, shuffles, and matrix products by row and column. Not modelled: the carry flag,
// the parameters of calls, textures.
#pragma once

#include "instrumentation/emulator/schedule/watched_blocks.h"

#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

namespace wl::emulator {

// Can some path of the entry, or of a function it calls, read a register or local memory that nothing wrote
// before? Shared and global memory are the business of RunOptions::checks.
bool may_read_uninitialised(const ptx::Module& module, std::string_view entry);

struct PoisonOptions;

// Reads whose threads find at that place what another thread writes, some time in the launch.
struct ReadAndWrite {
    uint32_t read = 0, write = 0;  // sites: a load; a store or an atomic
};
struct RacingReads {
    // By the read's site: threads of the launch, block * threads of a block + thread.
    std::map<uint32_t, std::unordered_set<uint64_t>> threads;
};
// Of all blocks, run one after the other, alone; nothing: they do not come to their end, or too much is read.
std::optional<RacingReads> racing_reads(
    const WatchedLaunch& run, const std::vector<ReadAndWrite>& pairs, const PoisonOptions& options
);

struct PoisonOptions {
    uint64_t most_instructions = uint64_t{1} << 25;  // of warps, over all blocks: the rest is left out
    uint64_t schedule_seed = 0;
    std::vector<int64_t> blocks;  // linear; empty: all
    // Groups of sites that read, as the copies of one source line: no further block is followed once one of
    // each group is known to matter. Empty: all blocks are.
    std::vector<std::vector<uint32_t>> until;
    // The counterfactual: what nobody wrote is zero, in registers and memory, when it is read first. Nothing
    // is poisoned then, and `memory` holds what such a launch leaves.
    bool as_zero = false;
    // What these read is poisoned, and nothing else is: their sites are the births.
    const RacingReads* reads = nullptr;
    std::function<bool(uint64_t done, uint64_t total)> on_progress;  // blocks; false cancels
};

struct PoisonTrace {
    int64_t blocks = 0;  // followed to their end, in the order in which they were asked for
    // Kind::uninitialised_read: `first` is where the value was read (memory "register", "local", "shared" or
    // "global V"; detail: which register or variable), `second` where it first matters: memory is "branch",
    // "address", "lane", "barrier", "call" for what it decides, or "global V" when it leaves. One for each
    // instruction that read; `count` instructions executed where it mattered.
    std::vector<Incident> incidents;
    std::vector<uint32_t> harmless;  // sites of such reads whose values did neither, nor went where they are
                                     // not followed
    bool answered = false;           // every group of PoisonOptions::until: it ended there
    bool cancelled = false;
};

// Blocks one after the other, alone: it ends early at a block that waits for another one, and does not begin
// when all of them may.
PoisonTrace trace_poison(const WatchedLaunch& run, const PoisonOptions& options);

}  // namespace wl::emulator
