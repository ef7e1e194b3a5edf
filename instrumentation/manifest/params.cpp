// Offsets, sizes and bytes of kernel parameters.
#include "instrumentation/manifest/params.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

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
    if (argument.fields.empty()) return slot;
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
    const std::vector<uint64_t>& addresses;
    size_t next = 0;  // address

    void write(const BoundArgument& argument, uint64_t offset) {
        for (const BoundArgument& field : argument.fields) {
            const ParamSlot slot = slot_of(field);
            offset = rounded_up(offset, slot.align);
            write(field, offset);
            offset += slot.bytes;
        }
        if (!argument.fields.empty()) return;
        if (argument.array)
            std::memcpy(&buffer[offset], &addresses[next++], kPointer);
        else
            std::memcpy(&buffer[offset], argument.data.bytes.data(), argument.data.bytes.size());
    }
};

}  // namespace

std::vector<const BoundArgument*> arrays(const Problem& problem) {
    std::vector<const BoundArgument*> found;
    for (const BoundArgument& argument : problem.args) collect(argument, found);
    return found;
}

std::vector<ParamSlot> param_layout(const Problem& problem) {
    std::vector<ParamSlot> slots;
    uint64_t end = 0;
    for (const BoundArgument& argument : problem.args) {
        ParamSlot slot = slot_of(argument);
        slot.offset = rounded_up(end, slot.align);
        end = slot.offset + slot.bytes;
        slots.push_back(std::move(slot));
    }
    return slots;
}

std::vector<std::byte> param_buffer(const Problem& problem, const std::vector<uint64_t>& addresses) {
    if (const size_t wanted = arrays(problem).size(); wanted != addresses.size())
        throw Error(fmt::format(
            "{} has {} arrays, but {} addresses were given.", problem.kernel.name, wanted, addresses.size()
        ));
    const std::vector<ParamSlot> slots = param_layout(problem);
    std::vector<std::byte> buffer(slots.empty() ? 0 : slots.back().offset + slots.back().bytes);
    Writer writer{buffer, addresses};
    for (size_t i = 0; i < slots.size(); ++i) writer.write(problem.args[i], slots[i].offset);
    return buffer;
}

void check_params(const Problem& problem, const std::string& entry, const std::vector<uint64_t>& sizes) {
    const std::vector<ParamSlot> slots = param_layout(problem);
    for (size_t i = 0; i < std::min(sizes.size(), slots.size()); ++i)
        if (slots[i].bytes != sizes[i])
            throw Error(fmt::format(
                "{}: \"{}\" is {} bytes, but parameter {} of {} is {} bytes.",
                place(problem.kernel, fmt::format("args[{}]", i)),
                slots[i].name,
                slots[i].bytes,
                i,
                entry,
                sizes[i]
            ));
    if (slots.size() != sizes.size())
        throw Error(fmt::format(
            "{} lists {} arguments, but {} has {} parameters.",
            place(problem.kernel, "args"),
            slots.size(),
            entry,
            sizes.size()
        ));
}

}  // namespace wl::manifest
