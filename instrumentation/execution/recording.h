// What is looked at in recorded blocks besides marks, so that kernels without any show their work too.
#pragma once

#include "instrumentation/execution/listing.h"
#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::execution {

struct Recording {
    bool stores = false;    // every store to shared memory, as events; with barriers, as it counts them
    bool barriers = false;  // the block's shared arrays at each of its barriers, as tiles
    // Chosen on a device; who sees every store anyway gives all.
    uint64_t warps = ~uint64_t{0};                     // bit w: stores of warp w
    uint32_t first_epoch = 0, end_epoch = UINT32_MAX;  // stores behind so many barriers; barriers by number
    bool operator==(const Recording&) const = default;
};

// Of all warps and epochs: then the last writer of every byte is known.
inline bool is_whole(const Recording& r) {
    return r.warps == ~uint64_t{0} && r.first_epoch == 0 && r.end_epoch == UINT32_MAX;
}
inline bool takes_store(const Recording& r, const capture::Event& e) {
    return (r.warps >> (e.warp % 64) & 1) != 0 && e.epoch >= r.first_epoch && e.epoch < r.end_epoch;
}
inline bool takes_epoch(const Recording& r, int64_t epoch) {
    return epoch >= r.first_epoch && epoch < r.end_epoch;
}

// A shared variable, taken as if a WL_TILE named it before every barrier of the whole block. A barrier in a
// function takes the module's variables and those of that function.
struct Array {
    ptx::Mark mark;      // "shared.words"; its elements are those of ptx::shared_arrays
    std::string symbol;  // the variable of the PTX
    int function = -1;   // whose it is, in Module::functions; -1: the module's
    int32_t variable = 0;
    int rows = 0, cols = 0;                          // a row is at most 128 bytes: the banks once
    uint32_t first_site = 0, end_site = UINT32_MAX;  // barriers that see it
};

// Of what the listing's functions name. Dynamic shared memory is one array, of so many bytes, by the name of
// the first variable that stands for it.
std::vector<Array> arrays_of(const ptx::Module& module, const Listing& listing, uint32_t dynamic_shared);

// TileSnapshot::mark, and events', count arrays behind the listing's marks.
const ptx::Mark& mark_of(const Listing& listing, const std::vector<Array>& arrays, int mark);

// A barrier at which all threads of the block wait, none counted: bar.sync 0, but not bar.sync 1, 64.
bool waits_for_block(const ptx::Instruction& instruction);
// The number of the barrier that it names.
const ptx::Operand& barrier_of(const ptx::Instruction& instruction);

}  // namespace wl::execution
