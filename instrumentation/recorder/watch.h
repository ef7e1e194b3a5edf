// What a program loads and launches: modules with their images, kernels by handle, and whether it is the
// launch that is meant.
#pragma once

#include "instrumentation/recorder/images.h"

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wl::recorder {

struct Module {
    std::vector<std::byte> copy;  // of an image that the program may free
    Image image;
    std::string file;  // it was loaded from, if any
    size_t texts = 0;  // PTX that the program had made until then
};

struct Kernel {
    std::string name;  // in PTX
    std::shared_ptr<const Module> module;
    bool is_kernel = false;  // its handle is a CUkernel, else a CUfunction
    bool meant = false;
    std::atomic<uint64_t> launches{0};
};

// Handles: modules and libraries, functions and kernels.
void module_loaded(const void* handle, const void* image);
void module_loaded_from(const void* handle, const char* file);
void module_is(const void* handle, const void* same);  // of a library
void function_found(const void* handle, const void* module, const char* name, bool is_kernel);
void function_is(const void* handle, const void* kernel);
// PTX that the program made, on its way to machine code.
void text_made(std::string ptx);

// A launch that is to be kept, and its numbers from 1.
struct Turn {
    std::shared_ptr<const Kernel> kernel;
    uint64_t number = 0, of_kernel = 0;
    std::string text;  // the PTX that the program made of it, if any
};
// Counts a launch; nothing: it is none that is meant.
std::optional<Turn> turn_of(CUfunction function);

// Is there anything left to wait for? Until then a launch is worth looking at.
extern std::atomic<bool> armed;
inline bool is_armed() { return armed.load(std::memory_order_relaxed); }

}  // namespace wl::recorder
