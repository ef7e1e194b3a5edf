// A program of these tests, compiled as its users compile theirs: with the compiler's and the runtime's files
// of the wheels. Each test is a process of its own, so that what was compiled is kept for the next.
#pragma once

#include "tests/support/program.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <unistd.h>

namespace wl::test {

constexpr const char* kAsPtx = "-cudart shared -gencode arch=compute_80,code=compute_80 -lineinfo";

// tests/runtime/NAME.cu as FOLDER/AS. What nvcc says goes to FOLDER/said; false: there is no program.
inline bool compiled(
    const std::string& folder, const std::string& name, const std::string& flags = kAsPtx, std::string as = ""
) {
    namespace fs = std::filesystem;
    if (as.empty()) as = name;
    const std::string cuda = WL_CUDA, kept = WL_KEPT, source = source_path("tests/runtime/" + name + ".cu");
    const size_t of = std::hash<std::string>()(cuda + '\n' + flags + '\n' + read_file(source));
    const std::string whole = fmt::format("{}/{}-{:x}", kept, name, of),
                      own = fmt::format("{}-{}", whole, getpid());
    std::error_code there;
    fs::create_directories(kept + "/lib", there);
    fs::create_symlink(cuda + "/lib/libcudart.so.13", kept + "/lib/libcudart.so", there);
    if (!fs::exists(whole)) {
        const std::string command =
            fmt::format("{}/bin/nvcc -L{}/lib {} {} -o {} 2>{}/said", cuda, kept, flags, source, own, folder);
        if (std::system(command.c_str()) != 0) return false;
        fs::rename(own, whole);
    }
    return fs::copy_file(whole, folder + "/" + as, there);
}

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace wl::test
