// Laying a problem out in device memory.
#include "instrumentation/diagnosis/launch.h"

#include "instrumentation/base/error.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <cassert>

namespace wl::diagnosis {

Prepared prepare_launch(const manifest::Problem& problem, const ptx::Function& entry) {
    Prepared out;
    out.launch.grid = problem.grid, out.launch.block = problem.block,
    out.launch.dynamic_shared = problem.shared, out.launch.stack_bytes = problem.stack;
    std::vector<uint64_t> sizes;
    for (const ptx::Variable& p : entry.params) sizes.push_back(p.bytes);
    manifest::check_params(problem, entry.name, sizes);
    std::vector<uint64_t> addresses;
    for (const manifest::BoundArgument* a : manifest::arrays(problem)) {
        const bool initialised = !a->output || a->filled;
        addresses.push_back(emulator::allocate(out.memory, a->name, a->data.bytes, initialised));
    }
    out.launch.params = manifest::param_buffer(problem, addresses);
    return out;
}

const std::vector<std::byte>& array_of(const emulator::GlobalMemory& memory, const std::string& argument) {
    const auto it = std::find_if(memory.allocations.begin(), memory.allocations.end(), [&](const auto& a) {
        return a.name == argument;
    });
    assert(it != memory.allocations.end());
    return it->bytes;
}

}  // namespace wl::diagnosis
