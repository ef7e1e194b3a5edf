// What would order two accesses: barriers and fences put into the program, and the races that are left then.
#pragma once

#include "instrumentation/diagnosis/prove/trial.h"
#include "instrumentation/diagnosis/rules/symptoms.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

// Races between one pair of source lines, in either order, in one kind of memory: one change mends them all.
struct Cause {
    bool global = false;
    capture::Where first, second;                      // file and line alone
    std::vector<const emulator::Incident*> incidents;  // the gravest kind first: blocks or warps before lanes
};
bool is_race(emulator::Incident::Kind kind);
bool has_race(const std::vector<emulator::Incident>& incidents);
const char* race_name(emulator::Incident::Kind kind);  // of its rule: race_warp, race_global, race_shared
// Of shared memory first, and of those the ones that need a block barrier; of global memory lost updates
// first. They point into `incidents`.
std::vector<Cause> race_causes(
    const ptx::Module& module, const ptx::Function& entry, const std::vector<emulator::Incident>& incidents
);

// Put before an instruction of the program as it is.
struct Insertion {
    enum class What : uint8_t { block_barrier, syncwarp, fence };
    What what = What::block_barrier;
    size_t function = 0;  // index in Module::functions
    uint32_t at = 0;      // in Function::code
};

// One change of the source.
struct Mending {
    std::vector<Insertion> insertions;
    std::string text;  // "a block barrier before gemm.cu:31"
};

// What tried mendings came to: for each cause the mending after which it is gone.
struct Ordering {
    static constexpr int kNone = -1;
    std::vector<Mending> mendings;  // each tried together with those before it
    std::vector<int> gone_with;     // by cause: index in mendings; kNone: none was found
    std::vector<bool> tried;        // by cause: false of what an earlier finding accounts for
    std::vector<bool> seen;         // by cause: the unchanged program shows it when its blocks run alone
    Trial trial;                    // all mendings together
    std::string blocks;             // that the trials ran: "block (0,3,1)", "2 blocks", "all blocks"
    bool complete = false;          // every race was seen and is gone, and no other fault has come
    std::optional<ptx::Module> program = {};  // with all mendings, where they are complete
};

// Tries, for the first causes, single changes of the source: a block barrier for a __syncwarp, a barrier or a
// __syncwarp before a line, a fence before an atomic. A change counts when its cause is gone, no other race
// and no other fault has come, and the kernel still ends. Not for causes that
// an earlier finding accounts for.
Ordering find_ordering(const Symptoms& s, const std::vector<Cause>& causes);

}  // namespace wl::diagnosis
