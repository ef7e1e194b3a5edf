// The write log of a recorded block, as capture events in order of execution.
#pragma once

#include "instrumentation/emulator/observe/hooks.h"

namespace wl::emulator {

struct Recorder {
    capture::BlockRecord record;
    uint64_t max_events = 0;
    uint64_t events = 0;                                              // with those beyond the cap
    std::map<const Allocation*, std::vector<capture::Owner>> owners;  // one a byte of the allocation
};

// An event of the whole warp.
void record_warp(Warp& w, const Instr* i, capture::EventKind kind, uint64_t address, uint64_t value = 0);
void record_shared(Warp& w, const Instr* i, uint32_t mask, uint32_t bytes, const uint32_t* at);

}  // namespace wl::emulator
