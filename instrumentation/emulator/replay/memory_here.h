// What the block's memory is about to be asked for at an instant, and what is on its way into shared memory.
#pragma once

#include "instrumentation/base/banks.h"
#include "instrumentation/emulator/replay/travel.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace wl::emulator {

// One request of the instruction at `here`, by the lanes that its guard lets through: shared memory by offset
// in the block's window, global by device address. As `count_accesses` counts it.
struct RequestHere {
    bool global = false;
    LaneAccesses accesses;
};
std::vector<RequestHere> requests_here(const Replayer& t);

// An asynchronous copy that was issued and has not landed.
struct CopyHere {
    int warp = 0;
    uint32_t site = 0;
    uint64_t time = 0;      // of the warp's clock, at its issue
    uint32_t lanes = 0;     // whose bytes have not landed
    int age = -1;           // commit groups since its own; -1: it is in none
    int32_t mbarrier = -1;  // at which it completes; -1: at none
};
std::vector<CopyHere> copies_here(const Replayer& t);
// Their lanes, counted: a look that costs nothing.
int lanes_in_flight(const Replayer& t);

struct SharedVariableHere {
    std::string symbol;              // of the PTX
    uint32_t offset = 0, bytes = 0;  // of dynamic memory all that is behind it
};
std::vector<SharedVariableHere> shared_variables(const Replayer& t);
std::span<const std::byte> shared_memory(const Replayer& t);  // static and dynamic

}  // namespace wl::emulator
