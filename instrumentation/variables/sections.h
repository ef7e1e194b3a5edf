// The DWARF sections of a PTX module as an ELF image in memory, with every label resolved, for libdw to read.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::variables {

// Addresses of the image: an instruction of a function, or a byte of a PTX variable.
struct CodeAddress {
    int function = -1;
    int32_t instruction = 0;
};
struct DataAddress {
    std::string symbol;
    ptx::Space space = ptx::Space::none;
    uint64_t offset = 0;
};

struct Image {
    std::vector<std::byte> elf;     // empty: the module has no .debug_info
    std::vector<DataAddress> data;  // by symbol number
};

// Throws Error when a section names a label that the module does not have, or does not parse.
Image debug_image(const ptx::Module& module);

std::optional<CodeAddress> code_address(uint64_t address);
std::optional<DataAddress> data_address(const Image& image, uint64_t address);

}  // namespace wl::variables
