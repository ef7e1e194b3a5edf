// Laying a problem out in device memory.
#include "instrumentation/diagnosis/launch.h"

#include "instrumentation/base/error.h"
#include "instrumentation/manifest/params.h"

#include <cassert>

namespace wl::diagnosis {

namespace {

// Extents in reverse: the last is the channels' where there are several, the first the layers' of a layered
// one.
execution::Texture texture_of(const manifest::BoundArgument& argument, uint64_t address) {
    const manifest::TextureRule& rule = *argument.texture;
    execution::Texture t;
    t.name = argument.name;
    t.data = address;
    t.dtype = argument.data.dtype;
    t.channels = static_cast<uint32_t>(rule.channels);
    std::vector<int64_t> shape = argument.data.shape;
    if (rule.channels > 1) shape.pop_back();
    if (rule.layered) {
        t.layers = static_cast<uint32_t>(shape.front());
        shape.erase(shape.begin());
    }
    for (size_t axis = 0; axis < shape.size(); ++axis)
        t.extent[axis] = static_cast<uint32_t>(shape[shape.size() - 1 - axis]);
    t.as_float = rule.numbers, t.normalized = rule.normalized, t.linear = rule.linear;
    t.border = rule.border;
    for (size_t axis = 0; axis < 3; ++axis) {
        const std::string& mode = rule.address[axis];
        t.address[axis] = mode == "wrap" ? execution::AddressMode::wrap
            : mode == "mirror"           ? execution::AddressMode::mirror
            : mode == "border"           ? execution::AddressMode::border
                                         : execution::AddressMode::clamp;
    }
    return t;
}

}  // namespace

Prepared prepare_launch(const manifest::Problem& problem, const ptx::Function& entry) {
    Prepared out;
    out.launch.grid = problem.grid, out.launch.block = problem.block,
    out.launch.dynamic_shared = problem.shared, out.launch.stack_bytes = problem.stack;
    out.launch.cooperative = problem.cooperative;
    std::vector<uint64_t> sizes;
    for (const ptx::Variable& p : entry.params) sizes.push_back(p.bytes);
    manifest::check_params(problem, entry.name, sizes);
    std::vector<uint64_t> addresses;
    for (const manifest::BoundArgument* a : manifest::arrays(problem)) {
        const bool initialised = !a->output || a->filled;
        const uint64_t address = execution::allocate(out.memory, a->data.name, a->data.bytes, initialised);
        addresses.push_back(
            a->texture ? execution::add_texture(out.memory, texture_of(*a, address)) : address
        );
    }
    out.launch.params = manifest::param_buffer(problem, addresses);
    return out;
}

const std::vector<std::byte>& array_of(const execution::GlobalMemory& memory, const std::string& argument) {
    const execution::Allocation* found = execution::find_named(memory, argument);
    assert(found != nullptr);
    return found->bytes;
}

}  // namespace wl::diagnosis
