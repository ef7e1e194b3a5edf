// Counting what every request of a launch costs, by hooks before the memory instructions.
#pragma once

#include "instrumentation/emulator/observe/hooked.h"

#include <unordered_map>

namespace wl::emulator {

// The lanes of a request by the memory that they ask for; mask 0: none does. `lanes`: those that execute it.
struct Asked {
    LaneAccesses shared, global;
};
Asked asked_by(Warp& w, uint32_t lanes, const MemorySite& site, const MemoryRequest& request);

struct AccessCounting {
    const Program* program = nullptr;
    std::vector<RowMap> row_maps;
};
// Memory instructions count as they are executed by blocks of this variant.
void count_accesses(Hooked& hooked, Variant variant);

// What one worker counted.
struct AccessCounter {
    const AccessCounting* counting = nullptr;
    int64_t pattern_block = 0;                        // patterns are those of this block
    std::vector<capture::AccessSite> shared, global;  // by memory site
    std::vector<capture::AccessPattern> patterns;
    std::vector<uint32_t> patterns_of;                // how many, by memory site
    std::unordered_map<uint64_t, size_t> pattern_at;  // by hash of site and accesses
    bool patterns_complete = true;
    std::vector<capture::SharedRegion> regions;
    std::vector<LaneAccesses> pending_shared, pending_global;  // of the instruction that is being executed
};
void begin_counting(AccessCounter& counter, const AccessCounting& counting, int64_t pattern_block);
void note_region(AccessCounter& counter, const capture::SharedRegion& region);

// Independent of how the blocks were shared out among the counters.
capture::AccessCounts gathered(
    const AccessCounting& counting, const std::vector<const AccessCounter*>& counters
);

}  // namespace wl::emulator
