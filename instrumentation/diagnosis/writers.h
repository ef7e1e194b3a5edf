// Who wrote each element of an array, over all blocks of a launch: the last of them, and how often.
#pragma once

#include "instrumentation/analysis/coverage.h"
#include "instrumentation/diagnosis/case.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

using analysis::Writer;

// One an element of `size` bytes of the argument's array, of a further run of the launch. None where that
// would take too long, or too much memory.
struct WritersQuestion {
    const Experiment& experiment;
    std::string array;
    size_t size = 0;  // bytes of an element
    int64_t elements = 0;
    double instructions = 0;  // that warps took in the run
    uint64_t budget = 0;      // as Options::budget
};
std::optional<std::vector<Writer>> last_writers(const WritersQuestion& question);

struct WrittenArray {
    std::string name;
    DType dtype = DType::f32;
    std::vector<int64_t> shape;
    std::vector<Writer> writers;
    std::vector<uint8_t> held;  // an element: it had a value before the launch
    analysis::Coverage coverage;
};
struct WritersReport {
    capture::Capture about;  // launch, sources, sites
    std::vector<WrittenArray> arrays;
    std::string stopped;  // why the launch did not come to its end; what is here is until then
};

// Of the arrays of these names, or of every output, in one run of all blocks. Throws Error for a name that is
// no array, one of more than 2^25 elements, and an executor that records no stores.
WritersReport array_writers(
    manifest::Problem problem, Options options, const std::vector<std::string>& arrays
);

}  // namespace wl::diagnosis
