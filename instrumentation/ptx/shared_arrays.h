// The shared variables of a module as arrays: names as in C++, and elements by how they are used.
#pragma once

#include "instrumentation/ptx/module.h"

#include <string>
#include <vector>

namespace wl::ptx {

struct SharedArray {
    // What says of which type the elements are.
    enum class By : uint8_t {
        mark,      // a WL_TILE, WL_WARP_TILE or WL_LAYOUT at its address
        accesses,  // all loads and stores through its address
        nobody,    // it is accessed only by pointers that were passed on: bytes
        several,   // it is accessed in several sizes: bytes
    };
    std::string symbol, name;  // of the PTX; of C++, local_name(symbol)
    int function = -1;         // whose it is; -1: the module's
    int32_t variable = 0;      // in Module::variables or Function::variables
    uint64_t bytes = 0;        // 0: dynamic shared memory
    DType dtype = DType::u8;
    By by = By::nobody;
};

// All of them, those of the module first.
std::vector<SharedArray> shared_arrays(const Module& module);

// The C++ name of a variable of a function: _ZZ6kernelE5words is words, a second one of the function words_0.
// Any other name as it is.
std::string local_name(const std::string& symbol);

}  // namespace wl::ptx
