// The device memory of a run: allocations apart from each other, with shadow bytes for what was never
// written; textures; the heap of device-side malloc. It outlives a launch: the next one finds it as it was
// left.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/execution/windows.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace wl::execution {

struct Allocation {
    std::string name;   // the argument or module variable it belongs to
    uint64_t base = 0;  // device address, 256-byte aligned
    std::vector<std::byte> bytes;
    std::vector<uint8_t> written;          // one flag a byte; empty: everything counts as initialised
    std::vector<uint64_t> addresses = {};  // bytes at which addresses of allocations lie, before any launch
};

enum class AddressMode : uint8_t { wrap, clamp, mirror, border };

// Texels in one allocation, densely: channels, then x, y, and z or the layer. CUDA C++ Programming
// Guide 13.0, "Texture and Surface Memory".
struct Texture {
    std::string name;                         // of the argument, or of the .texref or .surfref variable
    uint64_t data = 0;                        // device address of the first texel
    DType dtype = DType::f32;                 // of a channel: u8 s8 u16 s16 u32 s32 f16 f32
    uint32_t channels = 1;                    // 1, 2 or 4
    std::array<uint32_t, 3> extent{1, 1, 1};  // x, y, z
    uint32_t layers = 0;                      // 0: not layered; of a cube map its faces, six a cube
    uint32_t pitch = 0;                       // texels from a row to the next; 0: extent[0]
    bool cube = false;                        // sampled in a direction; layers: +x -x +y -y +z -z
    bool as_float = false;                    // u8 s8 u16 s16 are read as numbers of [0, 1] or [-1, 1]
    bool normalized = false;                  // coordinates run from 0 to 1
    bool linear = false;  // filter; integers that are not read as floats are never filtered
    std::array<AddressMode, 3> address{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
    std::array<float, 4> border{};
};

uint32_t texel_bytes(const Texture& t);
uint64_t texture_bytes(const Texture& t);
inline uint32_t pitch(const Texture& t) { return t.pitch != 0 ? t.pitch : t.extent[0]; }
inline uint32_t slices(const Texture& t) { return t.layers != 0 ? t.layers : t.extent[2]; }

struct HeapPiece {
    uint64_t bytes = 0;  // asked for
    bool live = true;
};

// What device-side malloc gives. Who runs a launch keeps it; an executor on a device has the device's.
struct Heap {
    std::mutex lock;                       // guards all but the bytes, which kernels race for as on a GPU
    Allocation arena;                      // all of it; every access that is in bounds lies in a live piece
    std::map<uint64_t, HeapPiece> pieces;  // by offset in the arena
    uint64_t next = 0;                     // where the search for room begins
};

// Between two allocations lies an unmapped gap of at least 64 KiB, so that an overrun is never a neighbour's
// element; but for those that were placed, which lie as close as they did where they come from.
struct GlobalMemory {
    std::vector<Allocation> allocations;  // by rising base
    std::vector<Texture> textures;        // by handle
    std::shared_ptr<Heap> heap;           // nullptr: no kernel used it yet
};

// An allocation of `bytes.size()`; `initialised` false: reading a byte before a kernel wrote it is a finding.
uint64_t allocate(
    GlobalMemory& memory, std::string name, std::vector<std::byte> bytes, bool initialised = true
);

// The same, initialised, at an address that is given: nothing else lies there.
uint64_t place(GlobalMemory& memory, std::string name, uint64_t base, std::vector<std::byte> bytes);

// All of it again: plain copies share the heap.
GlobalMemory copy_of(const GlobalMemory& memory);

// A handle for instructions on textures and surfaces. All of the texture's texels lie in one allocation.
uint64_t add_texture(GlobalMemory& memory, Texture texture);
// What the handle stands for, or nullptr.
const Texture* find_texture(const GlobalMemory& memory, uint64_t handle);

// The allocation that holds all of [address, address + size), or nullptr.
Allocation* find(GlobalMemory& memory, uint64_t address, uint64_t size);

// The allocation of this name, or nullptr.
const Allocation* find_named(const GlobalMemory& memory, std::string_view name);
Allocation* find_named(GlobalMemory& memory, std::string_view name);

}  // namespace wl::execution
