// PTX that somebody else made: as text, or inside a fat binary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wl::compile {

// Whether the file is PTX, a fat binary, an object or a cubin, by its name: no source of ours to compile.
bool is_ptx_file(const std::string& path);

// The PTX in the bytes of such a file, or of a module as a program loads it; of several texts the one for the
// newest architecture. Empty: there is none, and `machine_code` says for which architectures there is code.
std::string newest_ptx(std::string_view file, std::vector<std::string>& machine_code);

// The PTX of the file; of several the one for the newest architecture. What ends in zero bytes, as NVIDIA
// Warp writes it, loses them. Throws Error where there is none, with what to do.
std::string read_ptx_file(const std::string& path);

}  // namespace wl::compile
