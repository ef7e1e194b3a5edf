// What is done before accesses while a program runs, by hooks before the executors of a copy of it, so that a
// run which does not need them pays nothing: races in global memory are looked for, and the accesses are made
// in the order of a schedule.
#pragma once

#include "instrumentation/emulator/schedule/pair_order.h"
#include "instrumentation/emulator/schedule/warp.h"
#include "instrumentation/emulator/shadow/global_shadow.h"

#include <array>
#include <memory>
#include <optional>

namespace wl::emulator {

struct TurnLog;

struct GlobalCheck {
    struct Hooked {
        Exec executor = nullptr;      // the one that was there
        size_t first = 0, count = 0;  // of Program::memory_sites
        OrderSite order;
    };
    Program program;
    std::vector<Hooked> hooked;  // by instruction
    // By instruction, of a random schedule: the executors that the pauses before some accesses stand before.
    std::array<std::vector<Exec>, kVariants> paused;
    std::unique_ptr<PairRun> pair;  // of a directed schedule
    TurnLog* log = nullptr;         // that is told where blocks store
    std::vector<Exec> telling;      // by instruction: the executors behind that
    GlobalShadow shadow;
};

// `memory` and the check stay where they are while the launch runs.
void prepare(GlobalCheck& check, const Program& program);
// Looks for races in blocks of this variant.
void look_for_races(GlobalCheck& check, Variant variant);
void start(GlobalCheck& check, GlobalMemory& memory, bool one_thread);
// Accesses come as in the schedule of this seed: behind pauses, or the two of the pair in their order.
void follow(GlobalCheck& check, uint64_t seed, const std::optional<PairOrder>& pair);
// Blocks that nobody observes tell `log` where they store, but for what Program::memory_sites does not have.
void tell_stores(GlobalCheck& check, TurnLog& log);
// The block begins; its own shadow has begun already.
void begin_global(GlobalCheck& check, Block& block);

}  // namespace wl::emulator
