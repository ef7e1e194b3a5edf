// One block from start to end, in memory that is used again for later ones.
#pragma once

#include "instrumentation/emulator/machine/progress.h"
#include "instrumentation/emulator/observe/watcher.h"

namespace wl::emulator {

void make_ready(Block& block, const BlockContext& context);

// Block `index` at its first instruction.
void begin_block(Block& block, int64_t index, Variant variant);

enum class Ended : uint8_t {
    finished,
    given_up,     // deadlock, trap: noted
    endless,      // a loop that never ends, or its budget is used up: noted
    set_aside,    // it spins, waiting for other blocks to change memory: to be run again
    interrupted,  // by its schedule, for others to run in between
    held,         // by its schedule, until another block has made an access
};
// Runs the block on from where it was; its findings, counts and record stay in `block`. `interruptible`: a
// random schedule may end its turn at any time.
Ended run_block(Block& block, bool interruptible = false);

// Goes on inside a warp's turn, before the instruction at its running split's pc: after a watcher stopped the
// block, or when its state was restored.
Ended resume_block(Block& block, Turn turn, bool interruptible = false);

// It was set aside. True: by the poll that set it aside before, with the same answer.
bool note_spin(Block& block);

// The place where the block polls memory, or else the one it has spent most on.
Access spinning_at(const Block& block);

}  // namespace wl::emulator
