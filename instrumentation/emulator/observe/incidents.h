// Noting what the kernel under test did wrong: once per cause, with the first witness and a count.
#pragma once

#include "instrumentation/emulator/machine/block.h"

namespace wl::emulator {

// What lane_not_in_mask says of a shuffle whose mask is right, but not its source. Harmless where nobody uses
// what it gave.
constexpr const char* kInactiveSource = "the shuffle reads a lane that does not take part";

// Who and where: the running split of the warp at instruction i.
Access witness(const Warp& w, const Instr* i, uint32_t lanes);

void report(Block& block, Incident incident);
// Counts it where one of the kind, at this site alone, is noted already. False: none is.
bool count_again(Block& block, Incident::Kind kind, uint32_t site);
// Notes the incident and gives the block up: the lanes have nowhere to go on. What the executor returns.
const Instr* give_up(Warp& w, const Instr* i, Incident incident);

// Moves what the shadow has found so far behind what is already noted.
void collect_shadow(Block& block);

// Adds the findings of another worker; of equal causes the witness in the lower block stays.
void merge(Findings& into, Findings&& from);

// By block, then by order of detection.
std::vector<Incident> sorted(Findings&& findings);

}  // namespace wl::emulator
