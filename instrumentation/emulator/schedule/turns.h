// Who of a block's warps runs next, and for how long.
#pragma once

#include "instrumentation/emulator/observe/watcher.h"

namespace wl::emulator {

// Every runnable warp gets a turn, or one of them by chance. False: none could run.
bool turns(Block& block);
// The rest of a turn, from the running split's pc on, and those of the warps behind it.
void resume_turn(Block& block, const Turn& turn);

// Every warp that can run has one straight run, of its last split in the program's order if it is asked so.
// False: none could run.
bool short_turns(Block& block, bool last_first = false);

// It polls, or goes round: others have to change what it waits for, if anything can.
bool spins(Block& block);
// Of one that did: it came into the state again in which it was. That of global memory is not looked at.
bool still_goes_round(Block& block);
// It has used up its budget.
bool is_endless(const Block& block);
// Its warps test mbarriers, and have found nothing new for long.
bool waits_in_vain(const Block& block);
// A random schedule lets other blocks run here.
bool is_interrupted(const Block& block);
// A directed schedule lets one of its warps stand where it is.
bool holds_warp(const Block& block);

}  // namespace wl::emulator
