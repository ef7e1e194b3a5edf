// Whoever can run a decoded module: what it is asked for, and what it is asked by. Plain functions, so that
// one that runs elsewhere, or answers from a file, is a value like another.
#pragma once

#include "instrumentation/base/banks.h"
#include "instrumentation/base/dim3.h"
#include "instrumentation/execution/listing.h"
#include "instrumentation/execution/memory.h"
#include "instrumentation/execution/recording.h"
#include "instrumentation/execution/result.h"
#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wl::execution {

struct Launch {
    Dim3 grid, block;
    uint32_t dynamic_shared = 0;    // bytes
    std::vector<std::byte> params;  // the entry's parameter buffer, laid out as in PTX
    uint32_t stack_bytes = 0;       // cudaLimitStackSize: for recursion and alloca; 0: 1024, CUDA's default
    bool cooperative = false;       // as by cudaLaunchCooperativeKernel: the grid can synchronise
    bool programmatic = false;  // it may begin before the launch before it is over: griddepcontrol.wait waits
};

struct Checks {
    // Shared memory: happens-before over barrier and syncwarp epochs, byte granularity. Global memory,
    // between warps of all blocks, when all of them are run and none is recorded: on one thread if the
    // program has atomics, fences or volatile accesses of memory that blocks share.
    bool races = true;
    bool uninitialised = true;  // shared and global reads of bytes nobody wrote
    bool uniform = true;        // warp reductions over a value that all lanes share
    // Address bounds, alignment, barriers and the budget are always checked by who can: without them a broken
    // kernel could not be run.
};

// A store to global memory, of one lane.
struct Stored {
    int64_t block = 0;
    capture::Owner by;
    std::string_view array;  // its allocation's name
    uint64_t offset = 0;     // of the first byte in it
    uint32_t bytes = 0;
};

struct RunOptions {
    // Linear indices; empty: all. If the kernel's blocks may wait for each other, the rest runs too: without
    // checks, marks or record.
    std::vector<int64_t> blocks;
    bool alone = false;  // these alone: who asks knows that none waits for another
    uint64_t budget =
        0;  // warp instructions of a block; 0: 2^25 of one warp. More: an endless_loop, the launch ends
    int threads = 0;  // 0: as many as cores
    Checks checks;
    bool marks = true;               // take snapshots
    bool record = false;             // write log and owners: every shared and global write of the blocks run
    Recording recording;             // with record, besides marks
    std::vector<Array> arrays;       // those that Recording::barriers means
    uint64_t max_events = 4u << 20;  // per recorded block; beyond it the record says it is truncated; 0: only
                                     // RunResult::events
    bool touched = false;            // RunResult::touched, where races are looked for in global memory
    bool count_accesses = false;     // wavefronts and sectors of every request
    std::vector<RowMap> row_maps;    // shared memory as if laid out so, for the counts alone
    std::function<void(const Stored&)> on_store;  // with record, in place of RunResult::global_owners; on
                                                  // worker threads, several at a time
    uint64_t schedule_seed = 0;  // 0: the fixed order; else a legal one of warps and blocks, by seed
    // Atomic sums of floating point values are those of real numbers, rounded once: the same in every order
    // of their terms. On one thread.
    bool exact_sums = false;
    // What a shuffle gives that reads a lane which takes no part; nothing: the lane's own value.
    std::optional<uint32_t> of_absent_lane;
    const GlobalMemory* before =
        nullptr;  // memory as the run finds it, kept by who asks; nullptr: nobody has it
    std::function<void(TileSnapshot&&)> on_tile;  // on worker threads, several at a time
    std::function<bool(uint64_t done, uint64_t total)>
        on_progress;  // blocks; on one thread at a time; false cancels
};

// An entry made ready, to be run as often as wanted.
struct Executable {
    std::shared_ptr<const Listing> listing;
    uint32_t static_shared = 0;  // bytes of a block
    // Never throws for what the kernel does. Blocks of one launch share the memory, and leave it as they
    // wrote it: bytes and written flags of its allocations, and those of module variables, which a launch
    // adds.
    std::function<RunResult(const Launch&, GlobalMemory&, const RunOptions&)> run;
};

// What an executor leaves out of RunOptions without a word; who asks for it looks here first.
struct Abilities {
    Checks checks{.races = false, .uninitialised = false, .uniform = false};
    bool bounds = false, barriers = false;  // out_of_bounds and misaligned; divergent_barrier and deadlock
    bool record = false;                    // RunOptions::record, as far as the executor sees what happens
    bool count_accesses = false, schedules = false;
};

struct Executor {
    std::string
        name;  // of a capture: "emulator" (values are simulated), "gpu: <device>" (they were measured)
    Abilities can;
    // Throws Unsupported "unsupported: <instruction> at <file>:<line>" when the entry or a function it calls
    // holds an instruction that the executor lacks, and Error when there is no such entry. The module is not
    // kept.
    std::function<Executable(const ptx::Module&, std::string_view entry)> prepare;
};

}  // namespace wl::execution
