// Laying a problem out in device memory.
#include "instrumentation/diagnosis/launch.h"

#include "instrumentation/base/error.h"
#include "instrumentation/manifest/params.h"

#include <cassert>
#include <cstring>
#include <utility>

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
    if (rule.layered || rule.cube) {
        t.layers = static_cast<uint32_t>(shape.front());
        shape.erase(shape.begin());
    }
    for (size_t axis = 0; axis < shape.size(); ++axis)
        t.extent[axis] = static_cast<uint32_t>(shape[shape.size() - 1 - axis]);
    t.cube = rule.cube;
    if (rule.texels != 0) t.pitch = std::exchange(t.extent[0], rule.texels);
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

execution::GlobalMemory fresh_memory(const manifest::Problem& problem) {
    execution::GlobalMemory memory;
    const std::vector<const manifest::BoundArgument*> all = manifest::arrays(problem);
    for (const manifest::BoundArgument* a : all)  // first: the others go where there is room
        if (a->base != 0) execution::place(memory, a->data.name, a->base, a->data.bytes);
    for (const manifest::BoundArgument* a : all) {
        const bool initialised = !a->output || a->filled;
        const uint64_t address =
            a->base != 0 ? a->base : execution::allocate(memory, a->data.name, a->data.bytes, initialised);
        if (a->texture) execution::add_texture(memory, texture_of(*a, address));
    }
    for (const manifest::BoundArgument* table : all) {
        std::byte* to =
            table->pointers.empty() ? nullptr : execution::find_named(memory, table->data.name)->bytes.data();
        for (const auto& [array, offset] : table->pointers) {
            if (array.empty()) {  // null
                to += sizeof(uint64_t);
                continue;
            }
            const uint64_t address = execution::find_named(memory, array)->base + offset;
            std::memcpy(to, &address, sizeof address);
            execution::Allocation& holder = *execution::find_named(memory, table->data.name);
            holder.addresses.push_back(static_cast<uint64_t>(to - holder.bytes.data()));
            to += sizeof address;
        }
    }
    return memory;
}

execution::Launch launch_in(
    const manifest::Problem& problem, const ptx::Function& entry, const execution::GlobalMemory& memory
) {
    const manifest::BoundLaunch& bound = manifest::launch_of(problem);
    execution::Launch launch;
    launch.grid = bound.grid, launch.block = bound.block, launch.dynamic_shared = bound.shared,
    launch.stack_bytes = bound.stack, launch.cooperative = bound.cooperative;
    if (manifest::is_recorded(problem) && (!bound.buffer.empty() || entry.params.empty())) {
        launch.params = bound.buffer;
        return launch;
    }
    std::vector<uint64_t> sizes, addresses;
    for (const ptx::Variable& p : entry.params) sizes.push_back(p.bytes);
    manifest::check_params(problem, entry.name, sizes);
    uint64_t textures = 0;
    for (const manifest::BoundArgument* a : manifest::arrays(problem))
        addresses.push_back(
            a->texture ? execution::kTextureBase | ++textures
                       : execution::find_named(memory, a->data.name)->base
        );
    launch.params = manifest::param_buffer(problem, addresses);
    return launch;
}

Prepared prepare_launch(const manifest::Problem& problem, const ptx::Function& entry) {
    Prepared out;
    out.memory = fresh_memory(problem);
    out.launch = launch_in(problem, entry, out.memory);
    return out;
}

const std::vector<std::byte>& array_of(const execution::GlobalMemory& memory, const std::string& argument) {
    const execution::Allocation* found = execution::find_named(memory, argument);
    assert(found != nullptr);
    return found->bytes;
}

}  // namespace wl::diagnosis
