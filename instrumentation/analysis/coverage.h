// Who stored to the elements of an array of global memory, over all blocks of a launch: counted.
#pragma once

#include "instrumentation/analysis/pattern.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace wl::analysis {

// Of one element: who stored to it last, of two blocks the later one in block order; and how often anybody
// did.
struct Writer {
    int64_t block = -1;  // linear; -1: nobody wrote it
    int warp = 0, lane = 0;
    uint32_t site = 0;
    uint32_t stores = 0;
    bool operator==(const Writer&) const = default;
};

struct Coverage {
    int64_t elements = 0;
    int64_t never = 0;  // nobody ever set them
    int64_t stale = 0;  // no store of this launch: they hold what was there before it
    int64_t once = 0, many = 0;
    uint32_t most_stores = 0;                           // to one element
    int64_t most_stored = -1;                           // the first such element
    int64_t blocks = 0;                                 // that are the last writer of some element
    std::vector<int64_t> by_warp, by_lane;              // elements by their last writer
    std::vector<std::pair<uint32_t, int64_t>> by_site;  // the same, most first
    Pattern unwritten, repeated;                        // never or stale; many
};

// One writer an element, row-major. `held`: a flag an element that had a value before the launch; empty: none
// had.
Coverage coverage_of(
    const std::vector<int64_t>& shape, std::span<const Writer> writers, std::span<const uint8_t> held
);

}  // namespace wl::analysis
