// A program of these tests, compiled as its users compile theirs: with the compiler's and the runtime's files
// of the wheels.
#pragma once

#include "tests/support/program.h"

#include <cstdlib>
#include <filesystem>
#include <string>

namespace wl::test {

// tests/runtime/NAME.cu as FOLDER/AS. What nvcc says goes to FOLDER/said; false: there is no program.
inline bool compiled(
    const std::string& folder, const std::string& name, const std::string& flags = "", std::string as = ""
) {
    const std::string cuda = WL_CUDA, link = folder + "/libcudart.so";
    if (as.empty()) as = name;
    if (!std::filesystem::exists(link)) std::filesystem::create_symlink(cuda + "/lib/libcudart.so.13", link);
    const std::string command = cuda + "/bin/nvcc -L" + folder +
        " -cudart shared -gencode arch=compute_80,code=compute_80 -lineinfo " + flags + " " +
        source_path("tests/runtime/" + name + ".cu") + " -o " + folder + "/" + as + " 2>" + folder + "/said";
    return std::system(command.c_str()) == 0;
}

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace wl::test
