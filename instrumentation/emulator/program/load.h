// A program in the memory of a launch: module variables allocated, addresses known.
#pragma once

#include "instrumentation/emulator/program/program.h"

#include <cstddef>
#include <vector>

namespace wl::emulator {

struct Loaded {
    std::vector<std::vector<std::byte>> images;  // RegisterFile::image of Program::functions
    std::vector<std::byte> constant_bank;
    std::vector<uint64_t> globals;  // device addresses of Program::globals
};

// Module variables become allocations once; a second launch over the same memory finds them there.
Loaded load(const Program& program, GlobalMemory& memory);

// By site: the allocation that the launch's pointer, or the module's variable, lies in from which the site's
// address is made; nullptr: unknown.
std::vector<Allocation*> allocations_meant(
    const Program& program, const Loaded& loaded, const std::vector<std::byte>& params, GlobalMemory& memory
);

// What cooperative groups keep the grid's barrier in, as it is before a cooperative launch: its device
// address.
uint64_t place_workspace(GlobalMemory& memory);

}  // namespace wl::emulator
