// The device address space of a run: allocations apart from each other, with shadow bytes for what was never
// written.
#pragma once

#include "instrumentation/emulator/memory/texture.h"
#include "instrumentation/emulator/memory/windows.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace wl::emulator {

struct Allocation {
    std::string name;   // the argument or module variable it belongs to
    uint64_t base = 0;  // device address, 256-byte aligned
    std::vector<std::byte> bytes;
    std::vector<uint8_t> written;  // one flag a byte; empty: everything counts as initialised
};

struct Heap;

// Between two allocations lies an unmapped gap of at least 64 KiB, so that an overrun is never a neighbour's
// element.
struct GlobalMemory {
    std::vector<Allocation> allocations;  // by rising base
    std::vector<Texture> textures;        // by handle
    std::shared_ptr<Heap> heap;           // of device-side malloc; nullptr: no kernel used it yet
};

// An allocation of `bytes.size()`; `initialised` false: reading a byte before a kernel wrote it is a finding.
uint64_t allocate(
    GlobalMemory& memory, std::string name, std::vector<std::byte> bytes, bool initialised = true
);

// A handle for instructions on textures and surfaces. All of the texture's texels lie in one allocation.
uint64_t add_texture(GlobalMemory& memory, Texture texture);
// What the handle stands for, or nullptr.
const Texture* find_texture(const GlobalMemory& memory, uint64_t handle);

// The allocation that holds all of [address, address + size), or nullptr.
Allocation* find(GlobalMemory& memory, uint64_t address, uint64_t size);

}  // namespace wl::emulator
