// CUDA C++ kernels for the emulator's tests: compiled by NVRTC, run by emulator_kernel.h. The kernel's name
// is k: extern "C" __global__ void k(...).
#pragma once

#include "instrumentation/compile/compile.h"
#include "tests/emulator/emulator_kernel.h"

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace wl::emulator::test {

// The PTX of the source, whose lines are those of "k.cu"; of the debug build when asked.
inline std::string ptx_of(const std::string& source, bool debug = false) {
    namespace fs = std::filesystem;
    std::string folder = (fs::temp_directory_path() / "warplens-cuda-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return {};
    const fs::path path = fs::path(folder) / "k.cu";
    std::ofstream(path) << source;
    compile::CompileOptions options;
    options.source_path = path.string();
    options.display_path = "k.cu";
    options.debug = debug;
    std::string text = compile::compile(options).ptx;
    fs::remove_all(folder);
    return text;
}

// Line of the source where a site's instruction stands, through all calls that were inlined.
inline int line_of(const Program& program, uint32_t site) {
    const std::vector<capture::Site> all = sites(program);
    const capture::Site* s = &all[site];
    while (s->inlined_at >= 0) s = &all[static_cast<size_t>(s->inlined_at)];
    return s->line;
}

// What a run reported, for messages.
inline std::string told(const RunResult& result) {
    std::string text;
    for (const Incident& i : result.incidents)
        text += fmt::format(
            "kind {} block {} warp {} lanes {:x} {} at {:#x}: {}\n",
            static_cast<int>(i.kind),
            i.first.block,
            i.first.warp,
            i.first.lanes,
            i.first.memory,
            i.first.address,
            i.detail
        );
    return text;
}

}  // namespace wl::emulator::test
