// Seeing every instruction of a block before it runs, and stopping there: hooks around the executors of a
// copy of the program, so that a run which is not watched pays nothing.
#pragma once

#include "instrumentation/emulator/schedule/warp.h"

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
    const Program* original = nullptr;
    Program program;  // its kPlain code stops at the hook
    // Called with the warp's registers and lanes as the instruction will find them. False: the block stops
    // here, before it; its state can be read and stays as it is.
    std::function<bool(Warp&, const Instr*)> before;
    // Called when it was executed, which a collective that still waits for lanes was not. May be empty.
    std::function<void(Warp&, const Instr*)> after;
    bool stopped = false;
    Turn turn;  // that is running
};

// The watcher must stay where it is while a block runs its program.
void watch(Watcher& watcher, const Program& program);

// The running split of a warp in its turn is said to stand before `i`; how it goes on does not change.
void stand_before(Warp& w, const Instr* i);

// Index of the instruction in Program::code.
inline size_t code_index(const Block& block, const Instr* i) {
    return static_cast<size_t>(i - block.program->code[block.variant].data());
}

}  // namespace wl::emulator
