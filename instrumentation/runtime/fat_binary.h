// What nvcc puts into a program for its kernels: PTX and machine code, each compressed or not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wl::runtime {

struct Image {
    bool is_ptx = false;  // else machine code
    int arch = 0;         // 80 of compute_80 and sm_80
    std::string ptx;
};

// Of the struct that a program hands to __cudaRegisterFatBinary. Throws Error where it is none.
std::vector<Image> images_of(const void* wrapper);
// Of a fat binary itself, as cudaLibraryLoadData takes it; also plain PTX.
std::vector<Image> images_in(const void* data);

// The PTX to run: that of the newest architecture. Throws Error that says what can be done, when there is
// none. `from`: where the images lie.
const Image& chosen(const std::vector<Image>& images, const void* from);

// How a program has to be built.
constexpr const char* kHowToBuild = "-cudart shared -gencode arch=compute_80,code=compute_80";

}  // namespace wl::runtime
