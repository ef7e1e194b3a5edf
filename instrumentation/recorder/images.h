// Modules as programs hand them to the driver: how many bytes they are, and which kernels a text has.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace wl::recorder {

struct Image {
    std::span<const std::byte> bytes;
    bool stays =
        false;  // part of the program or a library of it: its bytes are there as long as it is loaded
};

// Of a fat binary, its wrapper in a program (fatbinary_section.h), a cubin, or PTX.
Image image_at(const void* data);

// Whether the PTX defines the kernel.
bool defines(std::string_view ptx, std::string_view kernel);

}  // namespace wl::recorder
