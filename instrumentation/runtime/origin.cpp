// By the loader's list of files.
#include "instrumentation/runtime/origin.h"

#include "instrumentation/runtime/fat_binary.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

namespace wl::runtime {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStandIns =
    "plain versions on the CPU answer calls of the shared libraries of cuBLAS, cuSPARSE, cuRAND and cuSOLVER "
    "alone";

bool is_program(const std::string& file) {
    std::error_code none;
    return file.empty() || fs::equivalent(file, "/proc/self/exe", none);
}

}  // namespace

std::string file_of(const void* at) {
    Dl_info found{};
    return dladdr(at, &found) == 0 || found.dli_fname == nullptr ? "" : found.dli_fname;
}

bool is_of_nvidia(const std::string& file) {
    constexpr std::array<std::string_view, 11> kLibraries{
        "libcublas",
        "libcudnn",
        "libcudss",
        "libcufft",
        "libcurand",
        "libcusolver",
        "libcusparse",
        "libcutensor",
        "libnccl",
        "libnpp",
        "libnvjpeg"};
    const std::string name = fs::path(file).filename().string();
    return std::any_of(kLibraries.begin(), kLibraries.end(), [&](std::string_view library) {
        return name.starts_with(library);
    });
}

std::string about_library(const std::string& file) {
    return fmt::format(
        "{} is a library of NVIDIA's: its kernels are machine code, which the emulator does not run, and "
        "however the program is linked, that stays so; {}",
        file,
        kStandIns
    );
}

std::string about_machine_code(const void* at, const std::string& kinds) {
    const std::string file = file_of(at);
    if (is_of_nvidia(file)) return about_library(file);
    if (is_program(file))
        return fmt::format(
            "the program holds machine code only{}, and no PTX to emulate; build it with {}. Code of a "
            "static "
            "library of NVIDIA's (libcurand_static.a) has no PTX: link the shared one, as {}",
            kinds,
            kHowToBuild,
            kStandIns
        );
    return fmt::format(
        "{} holds machine code only{}, and no PTX to emulate; build it with {}", file, kinds, kHowToBuild
    );
}

}  // namespace wl::runtime
