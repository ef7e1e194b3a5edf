// Looking for races in global memory while a program runs: a hook before the executors of a copy of it, so
// that a run which does not look pays nothing.
#pragma once

#include "instrumentation/emulator/global_shadow.h"
#include "instrumentation/emulator/pair_order.h"
#include "instrumentation/emulator/warp.h"

#include <memory>

namespace wl::emulator {

struct GlobalCheck {
    struct Hooked {
        Exec executor = nullptr;      // the one that was there
        size_t first = 0, count = 0;  // of Program::memory_sites
        OrderSite order;
    };
    Program program;
    std::vector<Hooked> hooked;     // by instruction
    bool looks = true;              // for races
    bool pauses = false;            // before some accesses, where the schedule is random
    std::unique_ptr<PairRun> pair;  // of a directed schedule
    GlobalShadow shadow;
};

// `memory` and the check stay where they are while the launch runs.
void prepare(GlobalCheck& check, const Program& program, Variant variant);
// Two accesses of the launch shall come in this order.
void direct(GlobalCheck& check, const PairOrder& order, Variant variant);
void start(GlobalCheck& check, GlobalMemory& memory, bool one_thread);
// The block begins; its own shadow has begun already.
void begin_global(GlobalCheck& check, Block& block);

}  // namespace wl::emulator
