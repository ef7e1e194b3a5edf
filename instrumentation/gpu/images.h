// Textures and surfaces on a device: what the emulator knows by a handle becomes an object of the driver's.
#pragma once

#include "instrumentation/execution/executor.h"
#include "instrumentation/gpu/driver.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>

namespace wl::gpu {

struct Session;

// How the kernel uses the handle at a byte of its parameters.
struct HandleUse {
    bool samples = false, surface = false;  // by instructions on textures; on surfaces
    std::string geometry;  // "1d", "2d", "a2d", "3d", "cube", ...; empty: it only asks for properties
};
// By byte of the parameters, as far as the entry itself loads handles from there.
std::map<uint64_t, HandleUse> handles_of(const ptx::Function& entry);

// One object, whose texels lie in an array of the device, or where they are where rows have pitch.
struct Image {
    const Session& session;
    CUarray array = nullptr;
    CUtexObject texture = 0;
    CUsurfObject surface = 0;
    // NOLINTNEXTLINE(bugprone-invalid-enum-default-initialization): the driver wants zeros
    CUDA_MEMCPY3D fill{};  // from the buffer into the array

    explicit Image(const Session& owner) : session(owner) {}
    ~Image();
    Image(const Image&) = delete;
    Image& operator=(const Image&) = delete;
    uint64_t handle() const { return surface != 0 ? surface : texture; }
};
using Images = std::deque<Image>;

// Makes the objects of the memory's textures, in their order. `place`: the device's address of one of the
// memory. Throws Unsupported where it does not say how a handle is used, or the driver refuses an object.
void make_images(
    Images& out,
    const Session& session,
    const execution::Launch& launch,
    const execution::GlobalMemory& memory,
    const ptx::Function& entry,
    const std::function<uint64_t(uint64_t)>& place
);
// What a launch left in surfaces goes back into the buffers.
void fetch_surfaces(const Images& images);

}  // namespace wl::gpu
