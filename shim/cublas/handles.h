// What a program has of cuBLAS.
#pragma once

#include "shim/libraries/calls.h"

namespace wl::cublas {

struct Handle {
    void* stream = nullptr;
    int math = 0, pointers = 0, atomics = 0;
};
libraries::Handles<Handle>& handles();

constexpr int kF32 = 0, kF64 = 1, kF16 = 2;  // cudaDataType

}  // namespace wl::cublas
