// From what a user types to a manifest, and from paths to what a user reads.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/ptx_file.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/manifest/shipped.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>

namespace wl::manifest {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

// `path` relative to `folder` when it lies below it, else empty.
std::string below(const fs::path& path, const fs::path& folder) {
    const fs::path relative = path.lexically_relative(folder);
    return relative.empty() || *relative.begin() == ".." ? std::string() : relative.string();
}

}  // namespace

std::string shipped_folder(const std::string& name, const char* variable) {
    if (const char* chosen = std::getenv(variable); chosen && *chosen) return chosen;
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    for (const fs::path& folder : {program / name, program.parent_path() / "share/warplens" / name})
        if (is_folder(folder)) return folder.string();
    return WL_SOURCE_DIR "/" + name;
}

std::string kernels_folder() { return shipped_folder("kernels", "WARPLENS_KERNELS"); }

std::vector<std::string> shipped() {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(kernels_folder(), ignored))
        if (entry.path().extension() == ".toml") found.push_back(entry.path().string());
    std::sort(found.begin(), found.end());
    return found;
}

std::string resolve(const std::string& kernel) {
    const fs::path path(kernel);
    if (path.extension() == ".toml") {
        if (is_file(path)) return kernel;
        throw Error(fmt::format("there is no manifest {}.", kernel));
    }
    if (path.extension() == ".cu" || compile::is_ptx_file(kernel)) {
        const fs::path manifest = fs::path(path).replace_extension(".toml");
        if (!is_file(path)) throw Error(fmt::format("there is no kernel source {}.", kernel));
        if (is_file(manifest)) return manifest.string();
        throw Error(fmt::format(
            "{} has no manifest: `warplens init {}` writes {} to go on with.",
            kernel,
            kernel,
            manifest.string()
        ));
    }
    if (path.extension() == ".wllaunch")
        throw Error(fmt::format(
            "{} is a recorded launch, which has no manifest: `warplens run`, diagnose, hazards, banks, at, "
            "why "
            "and open take it.",
            kernel
        ));
    std::vector<std::string> names;
    for (const std::string& found : shipped()) {
        names.push_back(fs::path(found).stem().string());
        if (names.back() == kernel) return found;
    }
    const std::string nearest = nearest_word(kernel, names);
    throw Error(fmt::format(
        "unknown kernel \"{}\"{} Shipped kernels: {}. A kernel of your own is named by its path, such as "
        "./gemm.toml.",
        kernel,
        nearest.empty() ? "." : "; did you mean \"" + nearest + "\"?",
        names.empty() ? "none in " + kernels_folder() : join(names, ", ")
    ));
}

std::string display_path(const std::string& path) {
    std::error_code ignored;
    const fs::path whole = fs::absolute(path, ignored).lexically_normal();
    const fs::path kernels = (fs::absolute(kernels_folder(), ignored) / "").lexically_normal().parent_path();
    if (const std::string name = below(whole, kernels); !name.empty())
        return (kernels.filename() / name).string();
    std::string relative = below(whole, fs::current_path(ignored));
    return relative.empty() ? path : relative;
}

std::string place(const Kernel& kernel, const std::string& key) {
    const auto found = kernel.lines.find(key);
    const int line = found == kernel.lines.end() ? 1 : found->second;
    return fmt::format("{}:{}: {}", display_path(kernel.path), line, key);
}

}  // namespace wl::manifest
