// Who wrote each element of an array last, over all blocks of a launch.
#pragma once

#include "instrumentation/diagnosis/run.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

struct Writer {
    int64_t block = -1;  // linear; -1: nobody wrote it
    int warp = 0, lane = 0;
    uint32_t site = 0;
};

// One an element of `size` bytes of the argument's array, of a further run of the launch. Of two blocks that
// write an element, the later one in block order. None where that would take too long, or too much memory.
struct WritersQuestion {
    const Experiment& experiment;
    std::string array;
    size_t size = 0;  // bytes of an element
    int64_t elements = 0;
    double instructions = 0;  // that warps took in the run
};
std::optional<std::vector<Writer>> last_writers(const WritersQuestion& question);

}  // namespace wl::diagnosis
