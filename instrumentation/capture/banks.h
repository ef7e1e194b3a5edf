// What a run that counts accesses leaves behind: costs by instruction, and what shared memory holds where.
#pragma once

#include "instrumentation/base/banks.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::capture {

// The most expensive request of an instruction, the first of several.
struct AccessWitness {
    int64_t block = -1;  // linear
    int warp = -1;
    LaneAccesses accesses;  // after any RowMap
    int cost = 0;           // wavefronts or sectors
};

// One instruction and one memory. A wmma instruction may make several requests.
struct AccessSite {
    uint32_t site = 0;    // index in the program's sites
    bool global = false;  // sectors of global memory; else wavefronts of shared memory
    AccessKind kind = AccessKind::load;
    uint8_t bytes = 4;  // a lane
    uint64_t requests = 0, cost = 0, ideal = 0;
    int degree = 0;  // shared: the worst phase's
    AccessWitness witness;
};

// Different requests of one instruction to shared memory, from the first block alone, as they were made.
struct AccessPattern {
    uint32_t site = 0;
    uint64_t count = 0;
    LaneAccesses accesses;
};

// A matrix in shared memory that a mark named, or a variable of the program (one row).
struct SharedRegion {
    std::string name;
    bool variable = false;
    uint32_t begin = 0;  // offset in the window
    int64_t rows = 0, cols = 0, ld = 0;
    uint32_t element = 1;  // bytes
    bool operator==(const SharedRegion&) const = default;
};

struct AccessCounts {
    std::vector<AccessSite> sites;        // by (site, memory); only those that were executed
    std::vector<AccessPattern> patterns;  // by site, in the order of first appearance
    std::vector<SharedRegion> regions;    // each once, by (begin, name)
    std::vector<uint32_t> uncounted;      // sites of memory instructions that no rule counts
    bool patterns_complete = true;        // false: an instruction had more different requests than are kept
};

}  // namespace wl::capture
