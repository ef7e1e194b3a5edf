// PTX in, PTX out: the marks of a kernel become code that dumps what they name into a buffer (dump.h); its
// stores to shared memory and its barriers do where that is asked for.
#pragma once

#include "instrumentation/execution/executor.h"
#include "instrumentation/gpu/dump.h"
#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace wl::gpu {

struct Plan {
    bool has_marks = true;      // false: they are left alone
    std::vector<char> marks;    // by index in Listing::marks: 0 is left alone; empty: all are dumped
    bool stages = false;        // dump when warps come to a WL_STAGE, too
    bool iterations = false;    // count them in the kernel, so that Control can choose
    bool host_visible = false;  // each record is in the host's memory before the block goes on: what was
                                // dumped survives a fault
    // Of a block of the launch; 0: not known. Blocks of whole warps dump faster where it is.
    uint32_t threads = 0;
    execution::Recording recording = {};        // stores to shared memory, too, and
    std::vector<execution::Array> arrays = {};  // these at each barrier of the whole block
};

struct Instrumented {
    ptx::Module module;
    uint32_t mailbox_bytes = 0;  // dynamic shared memory beyond the kernel's own, rounded up to 16 first
    Dumped dumped;
    std::vector<std::string> notes;  // stores that are not dumped
};

// Does the mark leave a record? Stages do where they are asked for.
bool is_dumped(const ptx::Mark& mark, bool stages = false);

// `listing` is that of the entry in `module`, which stays as it is. A block's tile is copied by all threads
// of the block between barriers that are put in for it, none where nothing is written from one tile to the
// next or to a barrier of the kernel; those order what the plain kernel leaves unordered. A warp's tiles and
// registers are dumped where the warp stands. Layouts leave no record.
// Throws Unsupported when a mark cannot be dumped: no barrier is left, PTX older than 6.2, ...
Instrumented instrument(const ptx::Module& module, const execution::Listing& listing, const Plan& plan = {});

// The launch with room for the mailbox behind the kernel's own dynamic shared memory.
execution::Launch launch_of(const Instrumented& instrumented, execution::Launch plain);

}  // namespace wl::gpu
