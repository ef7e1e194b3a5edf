// From dumps to what an executor returns: tiles to who asked for them, timelines, and what is to be said.
#pragma once

#include "instrumentation/execution/executor.h"
#include "instrumentation/gpu/dumping.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace wl::gpu {

struct Delivery {
    const Kernel& kernel;
    const execution::RunOptions& options;
    uint64_t tiles = 0, stores = 0, incomplete = 0;              // stores: events
    uint64_t lost = 0;                                           // records that found no room
    std::map<int64_t, std::vector<capture::Event>> events = {};  // by block, where blocks are recorded
    std::map<std::pair<int64_t, int>, std::string> last = {};    // the last mark, or store, of each warp
};

// Tiles of blocks that nobody asked for are passed over.
void deliver(Delivery& delivery, Dump&& dump);

// Timelines of the recorded blocks as far as marks make them, empty ones where there are none.
void add_records(execution::RunResult& result, Delivery& delivery, const execution::Launch& launch);
// Which marks were dumped last before a fault.
void say_last_marks(execution::RunResult& result, const Delivery& delivery);

}  // namespace wl::gpu
