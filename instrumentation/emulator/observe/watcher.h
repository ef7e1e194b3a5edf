// Seeing every instruction of a block before it runs, and stopping there.
#pragma once

#include "instrumentation/emulator/observe/hooked.h"

#include <functional>

namespace wl::emulator {

// A warp's turn, and what it began with.
struct Turn {
    int warp = -1;
    uint32_t live = 0;       // lanes
    uint64_t changes = 0;    // Block::changes
    int64_t early = -1;      // the warp that had the first turn of the round; -1: they come in order
    uint64_t slice_end = 0;  // the warp's, once it was stopped
};

struct Watcher {
    // Called with the warp's registers and lanes as the instruction will find them. False: the block stops
    // here, before it; its state can be read and stays as it is.
    std::function<bool(Warp&, const Instr*)> before;
    // Called when it was executed, which a collective that still waits for lanes was not. May be empty.
    std::function<void(Warp&, const Instr*)> after;
    bool stopped = false;
    Turn turn;  // that is running
};

// Blocks of kPlain that run the program tell their Block::watcher.
void watch(Hooked& hooked);

// The running split of a warp in its turn is said to stand before `i`; how it goes on does not change.
void stand_before(Warp& w, const Instr* i);

}  // namespace wl::emulator
