// CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability".
#include "instrumentation/base/device_limits.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace wl {

namespace {

struct Row {
    int capability;
    uint32_t shared_opted;  // KiB
};

// From 8.0 on a kibibyte of a multiprocessor's shared memory is the system's for each block.
constexpr std::array<Row, 18> kRows{
    {
     {50, 48},
     {52, 48},
     {53, 48},
     {60, 48},
     {61, 48},
     {62, 48},
     {70, 96},
     {72, 96},
     {75, 64},
     {80, 163},
     {86, 99},
     {87, 163},
     {89, 99},
     {90, 227},
     {100, 227},
     {103, 227},
     {120, 99},
     {121, 99},
     }
};

}  // namespace

std::optional<DeviceLimits> device_limits(std::string_view architecture) {
    const size_t digits = architecture.find('_') + 1;
    int capability = 0;
    std::from_chars(architecture.data() + digits, architecture.data() + architecture.size(), capability);
    const auto above = std::ranges::upper_bound(kRows, capability, {}, &Row::capability);
    if (above == kRows.begin()) return std::nullopt;
    const Row& row = *(above - 1);
    if (row.capability / 10 != capability / 10) return std::nullopt;
    DeviceLimits limits;
    limits.capability = row.capability;
    limits.shared_opted = row.shared_opted << 10;
    if (row.capability == 53 || row.capability == 62) limits.registers = 32 << 10;
    return limits;
}

std::string capability_text(const DeviceLimits& limits) {
    return std::to_string(limits.capability / 10) + "." + std::to_string(limits.capability % 10);
}

uint64_t registers_of_block(const DeviceLimits& limits, uint64_t threads, int registers_of_thread) {
    const uint64_t warps = (threads + 31) / 32;
    const uint64_t asked = static_cast<uint64_t>(registers_of_thread) * 32;
    return warps * ((asked + limits.register_unit - 1) / limits.register_unit * limits.register_unit);
}

}  // namespace wl
