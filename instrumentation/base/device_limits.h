// What a block may take of a device, by compute capability.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wl {

struct DeviceLimits {
    int capability = 0;                 // 90: 9.0
    uint32_t shared_static = 48 << 10;  // bytes of a block: `__shared__` arrays of fixed size, everywhere
    uint32_t shared_unasked =
        48 << 10;                   // bytes of a block, static and dynamic, without an opt-in by the host
    uint32_t shared_opted = 0;      // bytes of a block, with one (cudaFuncSetAttribute)
    uint32_t registers = 64 << 10;  // of a block
    uint32_t register_unit = 256;   // registers are given to a warp in such pieces
};

// Of "compute_86", "sm_90a", ...: the device of that capability, or the newest one known below it of the same
// major number. Nothing: no such device.
std::optional<DeviceLimits> device_limits(std::string_view architecture);

// "8.6"
std::string capability_text(const DeviceLimits& limits);

// Registers that a block takes: a warp's are rounded up to whole pieces.
uint64_t registers_of_block(const DeviceLimits& limits, uint64_t threads, int registers_of_thread);

}  // namespace wl
