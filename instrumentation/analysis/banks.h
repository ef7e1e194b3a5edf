// Bank conflicts by instruction and array, and the layouts of an array that would remove them.
#pragma once

#include "instrumentation/capture/banks.h"
#include "instrumentation/capture/capture.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace wl::analysis {

// What shared memory holds: matrices that marks named, taken together where they overlap or share a name, and
// variables that no mark speaks of.
struct SharedArray {
    std::string name;                                   // "K", "scores, masked, P"
    std::vector<std::pair<uint32_t, uint32_t>> ranges;  // offsets [begin, end), sorted, apart
    uint32_t pitch = 0;                                 // bytes from one row to the next; 0: nobody said
    uint32_t element = 0;                               // bytes; 0: nobody said
};
std::vector<SharedArray> shared_arrays(const std::vector<capture::SharedRegion>& regions);
// Index of the array that holds the offset, -1 if none does.
int array_at(const std::vector<SharedArray>& arrays, uint64_t offset);

// One other layout of one array: its rows padded, or their pieces permuted (RowMap).
struct Remedy {
    int array = -1;
    uint32_t pitch = 0, element = 0;  // bytes; where nobody said: as tried
    uint32_t padding = 0;             // bytes a row; 0: a swizzle
    uint32_t unit = 0, mask = 0, shift = 0;
    uint64_t before = 0, after = 0;  // wavefronts of the patterns that touch the array
};
std::vector<RowMap> maps_of(const SharedArray& array, const Remedy& remedy);

// For every array with conflicts the best padding and the best swizzle that take fewer wavefronts. Paddings
// of 1 to 16 elements and XORs with the row are tried on all patterns that touch the array, and keep every
// access aligned.
std::vector<Remedy> find_remedies(
    const std::vector<SharedArray>& arrays, const std::vector<capture::AccessPattern>& patterns
);

// By what they cost more than need be, worst first; only those of one memory.
std::vector<capture::AccessSite> worst_first(const capture::AccessCounts& counts, bool global);

// The accesses that one line of the kernel's own source makes to one array: inlined headers count for the
// line that calls them, unrolled copies and the members of a vector are one.
struct AccessLine {
    int source = -1, line = 0;
    std::vector<int> inlined_at;  // lines of the calls through which it was inlined, innermost first
    int array = -1;               // shared memory: of the most expensive request
    size_t instructions = 0;
    capture::AccessSite sum;  // `site` and `witness` are those of the most expensive request
};
// In the order of what they cost more than need be, worst first.
std::vector<AccessLine> by_line(
    const std::vector<capture::Site>& program,
    const std::vector<SharedArray>& arrays,
    const std::vector<capture::AccessSite>& sites
);

struct AccessTotal {
    uint64_t requests = 0, cost = 0, ideal = 0;
};
AccessTotal total(const std::vector<capture::AccessSite>& sites);

}  // namespace wl::analysis
