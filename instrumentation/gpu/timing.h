// How long a plain kernel takes on a device, and what the device could do in that time.
#pragma once

#include "instrumentation/execution/executor.h"
#include "instrumentation/gpu/ceilings.h"
#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wl::gpu {

// Seconds of one launch, from samples that are each the mean of a graph's launches.
struct Spread {
    double median = 0, low = 0, high = 0;  // low, high: the quartiles
    int samples = 0, launches = 0;         // launches of one sample
};

struct Timing {
    std::string device;
    Spread warm;  // the same arrays again and again: what fits lies in L2
    Spread cold;  // arrays in turn, together more than twice L2: each launch finds its own evicted
    uint64_t l2_bytes = 0;
    int sets = 0;                      // of arrays, taken in turn
    int registers = 0;                 // a thread
    uint32_t local_bytes = 0;          // a thread: spills and arrays of its own
    uint32_t shared_bytes = 0;         // a block, static and dynamic
    int blocks_resident = 0;           // of a multiprocessor
    double occupancy = 0;              // resident threads / those that a multiprocessor can hold
    uint64_t array_bytes = 0;          // all arrays once: what must move at least
    bool multiplies_matrices = false;  // by matrix instructions: of the two rates of operations it is mma's
    Ceilings ceilings;
};

struct TimeOptions {
    int device = 0;
    int samples = 30, launches = 20;  // launches of a graph; a graph is replayed for each sample
};

// What is timed.
struct Timed {
    const ptx::Module& module;
    std::string_view entry;
    const execution::Launch& launch;
    const execution::GlobalMemory& memory;
};

// Warms up until the clocks are up, then takes samples: each replays a CUDA graph of launches between two
// events. Outputs are not set back between launches. Throws Unsupported where there is no GPU or no room,
// Error when a launch fails.
Timing time_kernel(const Timed& timed, const TimeOptions& options);

// What dumping costs: the instrumented kernel beside the plain one, launched in the same way, warm.
struct Observed {
    Spread plain, idle, one, all;     // idle: no block dumps; one: block 0; all: every block
    uint64_t bytes = 0, dropped = 0;  // of all blocks: elements and heads of records; records without room
};
Observed time_observed(const Timed& timed, const TimeOptions& options);

}  // namespace wl::gpu
