// Offsets, sizes and bytes of kernel parameters.
#include "instrumentation/manifest/params.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>

namespace wl::manifest {
namespace {

constexpr uint64_t kPointer = 8;  // .address_size 64

uint64_t rounded_up(uint64_t n, uint64_t multiple) { return (n + multiple - 1) / multiple * multiple; }

void collect(const BoundArgument& argument, std::vector<const BoundArgument*>& found) {
    if (argument.array) found.push_back(&argument);
    for (const BoundArgument& field : argument.fields) collect(field, found);
}

// Size and alignment of an argument; its offset is the caller's.
ParamSlot slot_of(const BoundArgument& argument) {
    ParamSlot slot{argument.name, 0, argument.array ? kPointer : size_of(argument.data.dtype), 1};
    slot.align = slot.bytes;
    if (argument.array || argument.fields.empty()) return slot;
    slot.bytes = 0;
    slot.align = std::max<uint64_t>(argument.align, 1);
    for (const BoundArgument& field : argument.fields) {
        const ParamSlot inner = slot_of(field);
        slot.bytes = rounded_up(slot.bytes, inner.align) + inner.bytes;
        slot.align = std::max(slot.align, inner.align);
    }
    slot.bytes = rounded_up(slot.bytes, slot.align);
    return slot;
}

struct Writer {
    std::vector<std::byte>& buffer;
    const std::map<const BoundArgument*, uint64_t>& addresses;

    uint64_t address_of(const std::string& array) const {
        for (const auto& [argument, address] : addresses)
            if (argument->data.name == array) return address;
        throw Error("there is no array \"" + array + "\" for a view");
    }
    void write(const BoundArgument& argument, uint64_t offset) {
        if (argument.array) {
            std::memcpy(&buffer[offset], &addresses.at(&argument), kPointer);
            return;
        }
        if (!argument.pointers.empty()) {
            const auto& [array, at] = argument.pointers.front();
            const uint64_t address = address_of(array) + at;
            std::memcpy(&buffer[offset], &address, kPointer);
            return;
        }
        for (const BoundArgument& field : argument.fields) {
            const ParamSlot slot = slot_of(field);
            offset = rounded_up(offset, slot.align);
            write(field, offset);
            offset += slot.bytes;
        }
        if (argument.fields.empty())
            std::memcpy(&buffer[offset], argument.data.bytes.data(), argument.data.bytes.size());
    }
};

}  // namespace

std::vector<const BoundArgument*> arrays(const Problem& problem) {
    std::vector<const BoundArgument*> found;
    for (const BoundArgument& argument : problem.args) collect(argument, found);
    return found;
}

std::vector<const BoundArgument*> parameters(const Problem& problem) {
    std::vector<const BoundArgument*> out;
    for (const Parameter& p : launch_of(problem).parameters)
        out.push_back(p.argument < 0 ? &p.own : &problem.args[static_cast<size_t>(p.argument)]);
    return out;
}

std::vector<ParamSlot> param_layout(const Problem& problem) {
    std::vector<ParamSlot> slots;
    uint64_t end = 0;
    for (const BoundArgument* argument : parameters(problem)) {
        ParamSlot slot = slot_of(*argument);
        slot.offset = rounded_up(end, slot.align);
        end = slot.offset + slot.bytes;
        slots.push_back(std::move(slot));
    }
    return slots;
}

std::vector<std::byte> param_buffer(const Problem& problem, const std::vector<uint64_t>& addresses) {
    const std::vector<const BoundArgument*> all = arrays(problem);
    if (all.size() != addresses.size())
        throw Error(fmt::format(
            "{} has {} arrays, but {} addresses were given.",
            problem.kernel.name,
            all.size(),
            addresses.size()
        ));
    std::map<const BoundArgument*, uint64_t> address_of;
    for (size_t i = 0; i < all.size(); ++i) address_of[all[i]] = addresses[i];
    const std::vector<const BoundArgument*> given = parameters(problem);
    const std::vector<ParamSlot> slots = param_layout(problem);
    std::vector<std::byte> buffer(slots.empty() ? 0 : slots.back().offset + slots.back().bytes);
    Writer writer{buffer, address_of};
    for (size_t i = 0; i < slots.size(); ++i) writer.write(*given[i], slots[i].offset);
    return buffer;
}

void check_params(const Problem& problem, const std::string& entry, const std::vector<uint64_t>& sizes) {
    const std::vector<ParamSlot> slots = param_layout(problem);
    const std::string own = launch_of(problem).key + ".args";
    const std::string key = problem.kernel.lines.contains(own + "[0]") ? own : "args";
    for (size_t i = 0; i < std::min(sizes.size(), slots.size()); ++i)
        if (slots[i].bytes != sizes[i])
            throw Error(fmt::format(
                "{}: \"{}\" is {} bytes, but parameter {} of {} is {} bytes.",
                place(problem.kernel, fmt::format("{}[{}]", key, i)),
                slots[i].name,
                slots[i].bytes,
                i,
                entry,
                sizes[i]
            ));
    if (slots.size() != sizes.size())
        throw Error(fmt::format(
            "{} lists {} arguments, but {} has {} parameters.",
            place(problem.kernel, key),
            slots.size(),
            entry,
            sizes.size()
        ));
}

}  // namespace wl::manifest
