// What reads of a traveller need of its inside. Internal to replay.
#pragma once

#include "instrumentation/emulator/machine/block.h"
#include "instrumentation/emulator/replay/travel.h"

namespace wl::emulator {

const Warp& warp_here(const Replayer& t);
const Instr* instruction_here(const Replayer& t);
const Block& block_inside(const Replayer& t);

// Whose instant reads are of.
struct Viewpoint {
    Here here;
    const Instr* at = nullptr;
};
Viewpoint viewpoint(const Replayer& t);
void look_from(Replayer& t, const Viewpoint& from);

}  // namespace wl::emulator
