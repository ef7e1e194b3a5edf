// The paths of a source: as a compiler gets them, and as people read them.
#pragma once

#include "instrumentation/compile/options.h"

#include <string>
#include <utility>
#include <vector>

namespace wl::compile {

// A compiler gets the source's absolute path, so that #include "..." means what it means to the user; PTX and
// messages then show the path, and those of headers below its folder, as the user wrote them.
struct Names {
    std::string source, display;                // "/home/u/gemm.cu" -> "kernels/gemm.cu"
    std::string source_folder, display_folder;  // "/home/u/" -> "kernels/"
};

Names names_of(const CompileOptions& options);
std::string readable_log(std::string log, const Names& names);  // "gemm.cu:12: error: ..."
// `links`: paths that the compiler was given, and those that they stand for.
std::string with_display_files(
    const std::string& ptx,
    const Names& names,
    const std::vector<std::pair<std::string, std::string>>& links = {}
);

}  // namespace wl::compile
