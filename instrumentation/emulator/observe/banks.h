// Counting what every request of a launch costs. It stands before the executors in a copy of the program, so
// that a run which does not count pays nothing.
#pragma once

#include "instrumentation/emulator/schedule/warp.h"

#include <unordered_map>

namespace wl::emulator {

// A program whose memory instructions count before they execute.
struct CountingProgram {
    struct Counted {
        Exec executor = nullptr;  // the one that was there
        size_t first = 0, count = 0;
    };
    Program program;
    std::vector<Counted> counted;  // by instruction
    std::vector<RowMap> row_maps;
};
CountingProgram counting_program(const Program& program, Variant variant, std::vector<RowMap> row_maps);

// What one worker counted.
struct AccessCounter {
    const CountingProgram* counting = nullptr;
    int64_t pattern_block = 0;                        // patterns are those of this block
    std::vector<capture::AccessSite> shared, global;  // by memory site
    std::vector<capture::AccessPattern> patterns;
    std::vector<uint32_t> patterns_of;                // how many, by memory site
    std::unordered_map<uint64_t, size_t> pattern_at;  // by hash of site and accesses
    bool patterns_complete = true;
    std::vector<capture::SharedRegion> regions;
    std::vector<LaneAccesses> pending_shared, pending_global;  // of the instruction that is being executed
};
void prepare(AccessCounter& counter, const CountingProgram& counting, int64_t pattern_block);
void note_region(AccessCounter& counter, const capture::SharedRegion& region);

// Independent of how the blocks were shared out among the counters.
capture::AccessCounts gathered(
    const CountingProgram& counting, const std::vector<const AccessCounter*>& counters
);

}  // namespace wl::emulator
