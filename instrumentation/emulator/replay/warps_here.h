// Where every warp of a block stands at an instant, what it waits for, and what its lanes hold.
#pragma once

#include "instrumentation/emulator/replay/travel.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace wl::emulator {

// Lanes of a warp that stand at one instruction.
struct StandingHere {
    int warp = 0;
    int split = 0;                  // among those of its warp
    uint32_t site = 0;              // of the instruction that they execute next, or wait at
    uint32_t lanes = 0;             // 0: the warp has ended
    std::string waits;              // for what; empty: for their turn alone
    std::vector<uint32_t> calls{};  // sites of the calls that they are in, the innermost first
};
std::vector<StandingHere> warps_here(const Replayer& t);  // by warp

// While it lives, registers, memory and names are read as those lanes have them, as if they were about to
// execute. Nothing is to be run meanwhile.
struct Glance {
    Glance(Replayer& t, const StandingHere& at);
    ~Glance();
    Glance(const Glance&) = delete;
    Glance& operator=(const Glance&) = delete;

private:
    struct Before;
    Replayer& t_;
    std::unique_ptr<Before> before_;
};

}  // namespace wl::emulator
