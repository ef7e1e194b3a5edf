// What memory instructions tell the observers: the shadow of shared memory, and the recorder.
#pragma once

#include "instrumentation/emulator/machine/access.h"

#include <array>

namespace wl::emulator {

// The values of a vector access: element c of lane l lies at values[c] + l * stride.
struct Values {
    const std::byte* values[4] = {};
    uint32_t components = 1;
    uint32_t stride = 4;
};

enum class Touching : uint8_t { read, write, atomic };

// An access to shared memory: `bytes` a lane at offsets at[32], for the lanes in mask.
struct SharedTouch {
    Touching how = Touching::read;
    uint32_t mask = 0, bytes = 0;
    const uint32_t* at = nullptr;
    bool beside = false;  // not at the instruction's first address
};
// Memory holds what the access finds: a store or an atomic tells of itself before it is made, and again
// after.
void observe_shared(Warp& w, const Instr* i, const SharedTouch& touch, const Values& values);
void after_store(Warp& w, const Instr* i, const SharedTouch& touch);
// A global write of one lane, for the recorder only.
void record_global(Warp& w, const Instr* i, int lane, const Place& place, uint32_t bytes);

// An access to a surface: `bytes` a lane at these device addresses. Told before it is made, and again after.
struct SurfaceTouch {
    AccessKind kind = AccessKind::load;
    uint32_t mask = 0, bytes = 0;
    std::array<uint64_t, kLanes> at{};
};
void before_surface(Warp& w, const Instr* i, const SurfaceTouch& touch);
void after_surface(Warp& w, const Instr* i, const SurfaceTouch& touch);

}  // namespace wl::emulator
