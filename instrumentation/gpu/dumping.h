// The instrumented kernel run on a device, as often as the buffer for its records needs.
#pragma once

#include "instrumentation/gpu/dump.h"
#include "instrumentation/gpu/instrument.h"
#include "instrumentation/gpu/session.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace wl::gpu {

// What a run needs of the module, which is not kept.
struct Kernel {
    ptx::Module module;
    std::string entry;
    execution::Listing listing;
    std::string text;  // PTX of the plain kernel
    const ptx::Function& function() const { return ptx::entry_of(module, entry); }
};

struct Range {
    uint64_t first = 0, end = 0;  // blocks, linear
};

struct Dumping {
    CUresult status = CUDA_SUCCESS;
    bool timed_out = false;
    double seconds = 0;                               // of all launches, on the device
    uint64_t lost = 0;                                // records of one block alone that found no room
    std::vector<std::vector<std::byte>> memory = {};  // of each allocation, after the last launch
};

struct DumpWork {
    const Kernel& kernel;
    const Instrumented& instrumented;
    const execution::Launch& launch;        // of the plain kernel
    const execution::GlobalMemory& memory;  // before the launch, which each run finds anew
    Range blocks;
    execution::Recording recording = {};
    bool survives =
        false;  // the records lie in the host's memory, and what was dumped before a fault is told
};

// Of the device's memory, or of the host's, which the device reaches and a fault of a kernel leaves. Throws
// Unsupported where there is no room.
std::unique_ptr<Buffer> buffer_for_records(const Session& s, bool in_host_memory);

// Throws Unsupported where there is no room for records, Error when the driver cannot compile what was put
// in.
Dumping dump_blocks(Session& session, const DumpWork& work, const std::function<void(Dump&&)>& on_dump);

}  // namespace wl::gpu
