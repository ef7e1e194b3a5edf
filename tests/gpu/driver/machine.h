// The emulated device: what every part of the driver over it shares.
#pragma once

#include "instrumentation/execution/executor.h"
#include "instrumentation/execution/memory.h"
#include "instrumentation/ptx/module.h"

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace wl::emulated {

using Graph = std::vector<std::function<CUresult()>>;

struct Machine {
    execution::GlobalMemory memory;
    std::map<void*, CUdeviceptr> pinned;
    Graph* recorded = nullptr;       // a graph on its way
    CUresult status = CUDA_SUCCESS;  // a fault stays
    uint64_t launches = 0, allocations = 0;
};

// What a CUfunction and a CUmodule point to.
struct Module;
struct Function {
    std::string name;
    execution::Executable executable;
    const Module* module = nullptr;
};
struct Module {
    ptx::Module ptx;
    std::map<std::string, std::unique_ptr<Function>> functions;
    bool endless = false;
};

inline Machine& machine() {
    static Machine made;
    return made;
}

// Where the device's bytes lie; nullptr: it has none there.
inline std::byte* at(CUdeviceptr address, size_t bytes) {
    execution::Allocation* const a = execution::find(machine().memory, address, bytes);
    return a == nullptr ? nullptr : a->bytes.data() + (address - a->base);
}

}  // namespace wl::emulated
