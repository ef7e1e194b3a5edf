// One launch kept: what it finds in memory, the launch itself, and what it leaves.
#pragma once

#include "instrumentation/base/dim3.h"
#include "instrumentation/recorder/watch.h"

#include <cuda.h>

#include <cstdint>
#include <functional>

namespace wl::recorder {

struct Launching {
    CUfunction function = nullptr;  // or a CUkernel
    CUstream stream = nullptr;
    Dim3 grid, block, cluster;
    uint32_t shared = 0;
    bool cooperative = false;
    void** params = nullptr;  // an address each; nullptr: `extra` holds the buffer
    void** extra = nullptr;
};

// `forward` is the launch itself. What it answers is what the program gets.
CUresult keep_launch(const Launching& launching, const Turn& turn, const std::function<CUresult()>& forward);

}  // namespace wl::recorder
