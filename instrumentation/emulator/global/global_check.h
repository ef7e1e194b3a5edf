// What is done before accesses while a program runs: races in global memory are looked for, and the accesses
// are made in the order of a schedule.
#pragma once

#include "instrumentation/emulator/global/global_shadow.h"
#include "instrumentation/emulator/global/pair_order.h"
#include "instrumentation/emulator/machine/block.h"

#include <memory>
#include <optional>

namespace wl::emulator {

struct TurnLog;

struct GlobalCheck {
    std::unique_ptr<PairRun> pair;  // of a directed schedule
    TurnLog* log = nullptr;         // that is told where blocks store
    GlobalShadow shadow;
    bool has_bulk_copies = false;
    bool loose_is_plain = false;  // no fence, poll, atomic or ordered access in the program
};

// `memory` and the check stay where they are while the launch runs the hooked program.
// Looks for races in blocks of this variant.
void look_for_races(Hooked& hooked, Variant variant);
void start(GlobalCheck& check, const Program& program, GlobalMemory& memory, LookFor look_for);
// Accesses come as in the schedule of this seed: behind pauses, or the two of the pair in their order.
void follow(GlobalCheck& check, Hooked& hooked, uint64_t seed, const std::optional<PairOrder>& pair);
// Blocks that nobody observes tell `log` where they store, but for what Program::memory_sites does not have.
void tell_stores(GlobalCheck& check, Hooked& hooked, TurnLog& log);
// The block begins; its own shadow has begun already.
void begin_global(GlobalCheck& check, Block& block);

}  // namespace wl::emulator
