// By the folders in which toolkits lie, and names that only they use.
#include "instrumentation/base/toolkit_header.h"

namespace wl {

bool is_toolkit_header(const std::string& path) {
    const bool named_so = path.ends_with(".h") || path.ends_with(".hpp") || path.ends_with(".cuh");
    const bool standard = path.find('.', path.rfind('/') + 1) == std::string::npos;  // <cuda/pipeline>
    const bool header = named_so || standard;
    const bool toolkit = path.find("/cu13/") != std::string::npos ||
        path.find("/cuda") != std::string::npos || path.find("targets/") != std::string::npos ||
        path.find('/') == std::string::npos || path.ends_with("__nv_nvrtc_builtin_header.h");
    return header && (toolkit || path.ends_with("warplens.cuh"));
}

}  // namespace wl
