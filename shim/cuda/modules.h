// Modules and libraries that a program loads, and their kernels by handle.
#pragma once

#include "shim/cuda/state.h"

namespace wl::cuda {

// Handles of modules, libraries and of what is in them are the addresses of these; they stay, so that one
// that is out of date is known.
struct Loaded {
    runtime::Module* module = nullptr;
    bool alive = true;
    std::map<std::string, std::unique_ptr<std::string>> kernels;  // their handles: addresses of the names
    std::vector<std::string> entries;                             // as PTX names them, in order
};

// Of CUmodule or CUlibrary; nullptr: no handle of one.
Loaded* loaded(const void* handle);
// That a function belongs to; nullptr: none.
Loaded* loaded_of(const void* function);

// PTX, a fat binary or a cubin into a module of the machine. Throws Error that says what cannot be run.
CUresult load(const void* image, Loaded** out);

// Of PTX text, without its trailing zeros.
bool is_machine_code(const void* image);

}  // namespace wl::cuda
