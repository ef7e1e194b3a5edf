// The device that a launch runs on: an H200, compute capability 9.0 (CUDA C++ Programming Guide 13.0,
// "Technical Specifications per Compute Capability"; multiprocessors as cudaGetDeviceProperties says on one).
#pragma once

#include "instrumentation/base/dim3.h"

#include <algorithm>
#include <cstdint>

namespace wl::emulator {

constexpr uint32_t kMultiprocessors = 132;
constexpr uint32_t kWarpsOfMultiprocessor = 64;
constexpr uint32_t kBlocksOfMultiprocessor = 32;
constexpr uint32_t kSharedOfMultiprocessor = 228 << 10;  // bytes
constexpr uint32_t kSharedReserved = 1 << 10;            // bytes of it that the driver takes for each block
// Their name among a program's shared variables, where it uses them.
constexpr const char* kReservedVariable = "shared memory reserved by the system";
constexpr uint32_t kSharedUnit = 128;  // bytes: the granularity of what a block is given

constexpr uint32_t shared_given(uint32_t bytes) {
    return (bytes + kSharedUnit - 1) / kSharedUnit * kSharedUnit;
}

// At most so many blocks can be running at once. Registers are not counted: PTX does not tell how many a
// thread gets.
inline uint64_t resident_blocks(Dim3 block, uint32_t shared_bytes) {
    const auto warps = static_cast<uint32_t>((count(block) + 31) / 32);
    const uint32_t by_warps = kWarpsOfMultiprocessor / std::max(warps, 1u);
    const uint32_t by_shared = kSharedOfMultiprocessor / (shared_given(shared_bytes) + kSharedReserved);
    return uint64_t{kMultiprocessors} *
        std::clamp(std::min(by_warps, by_shared), 1u, kBlocksOfMultiprocessor);
}

}  // namespace wl::emulator
