// By the folders in which toolkits lie, and names that only they use.
#include "instrumentation/base/toolkit_header.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace wl {

namespace {

// "cuda", "cuda-13.0", "cuda12", "cu13": not "cuda-kernels", which is somebody's own.
bool names_toolkit(std::string_view folder) {
    if (!folder.starts_with("cu")) return false;
    folder.remove_prefix(folder.starts_with("cuda") ? 4 : 2);
    return std::all_of(folder.begin(), folder.end(), [](char c) {
        return c == '-' || c == '.' || (c >= '0' && c <= '9');
    });
}

bool lies_in_toolkit(const std::filesystem::path& path) {
    bool toolkit = false, include = false;
    for (const std::filesystem::path& part : path.parent_path()) {
        const std::string name = part.string();
        toolkit = toolkit || names_toolkit(name) || name == "targets";
        include = include || name == "include";
    }
    const std::string whole = path.string();
    return (toolkit && include) || whole.starts_with("/usr/include/") ||
        whole.starts_with("/usr/local/include/");
}

}  // namespace

bool is_toolkit_header(const std::string& path) {
    const bool named_so = path.ends_with(".h") || path.ends_with(".hpp") || path.ends_with(".cuh");
    const bool standard = path.find('.', path.rfind('/') + 1) == std::string::npos;  // <cuda/pipeline>
    if (!named_so && !standard) return false;
    if (path.ends_with("warplens.cuh") || path.ends_with("__nv_nvrtc_builtin_header.h")) return true;
    std::error_code ignored;
    // A compiler's own name for what it has built in, unless somebody has a file of that name here.
    if (path.find('/') == std::string::npos) return !std::filesystem::is_regular_file(path, ignored);
    return lies_in_toolkit(path);
}

}  // namespace wl
