// Blocks of the experiment's launch run alone, each instruction looked at.
#pragma once

#include "instrumentation/diagnosis/prove/prover.h"
#include "instrumentation/emulator/observe/watcher.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace wl::diagnosis {

// Called with an instruction and its site in the program's listing.
struct Looks {
    // False: the block stops there, and nothing more is looked at. May be empty.
    std::function<bool(emulator::Warp& warp, const emulator::Instr* instruction, uint32_t site)> before = {};
    // When it was executed. May be empty.
    std::function<void(emulator::Warp& warp, const emulator::Instr* instruction, uint32_t site)> after = {};
};

struct WatchedRun {
    const ptx::Module& module;
    const emulator::Program& program;    // lowered from it
    uint64_t seed_offset = 0;            // of the inputs
    const std::vector<int64_t>& blocks;  // linear; empty: all
    uint64_t most_instructions = 0;      // of warps
};
// How many of these blocks came to their end.
int64_t watch(Prover& prover, const WatchedRun& run, const Looks& looks);

}  // namespace wl::diagnosis
