// What a device can do at most, measured by kernels of our own that do nothing else.
#pragma once

#include "instrumentation/gpu/stream.h"
#include "instrumentation/ptx/module.h"

namespace wl::gpu {

// A second; 0: it could not be measured, as there is no room, or the device lacks the instruction.
struct Ceilings {
    double copy = 0;  // bytes read and written by a copy of 1 GiB on the device
    double fill = 0;  // bytes written by filling 1 GiB
    double fma = 0;   // operations, two of each fma.rn.f32
    double mma = 0;   // operations of mma.sync.m16n8k16, f16 into f32; wgmma is not measured
};
Ceilings measure_ceilings(const Session& s, const Stream& stream);

// Does the entry, or what it calls, multiply matrices?
bool multiplies_matrices(const ptx::Module& module, const ptx::Function& entry);

}  // namespace wl::gpu
