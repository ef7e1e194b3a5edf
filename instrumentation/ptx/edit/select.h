// Which instructions a change is about: one of the source is a group of them.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace wl::ptx {

// An instruction of a module.
struct Place {
    size_t function = 0;  // index in Module::functions
    uint32_t at = 0;      // in Function::code

    friend bool operator==(const Place&, const Place&) = default;
    friend bool operator<(const Place& a, const Place& b) {
        return a.function != b.function ? a.function < b.function : a.at < b.at;
    }
};
using Places = std::vector<Place>;

size_t index_of(const Module& module, const Function& function);

// The function and all that it calls, by name or through a list, and what those call. Where a function's
// address is taken or a call has only a prototype: every function whose address is taken anywhere.
std::vector<size_t> reached_from(const Module& module, size_t function);

// The instructions of these functions for which `is_wanted` holds, in their order.
Places select(
    const Module& module,
    const std::vector<size_t>& functions,
    const std::function<bool(const Instruction&)>& is_wanted
);

bool same_line(const Module& module, int32_t a, int32_t b);  // file, line and inlining chain

// Whether a location is of this line, or was inlined into it: "kernel.cu", 31.
bool lies_at(const Module& module, int32_t location, std::string_view file, int line);
// Whether a location is this call site, or was inlined through it.
bool inlined_through(const Module& module, int32_t location, int32_t call_site);

// All instructions of one source line reached through the same calls: one edit of the source is such a group.
struct Group {
    int32_t location = -1;          // of its first instruction
    std::vector<uint32_t> members;  // in order
};
std::vector<Group> group_by_line(
    const Module& module, const Function& function, const std::vector<uint32_t>& instructions
);

// The same over functions: a group is of one function.
std::vector<Places> group_by_line(const Module& module, const Places& places);

Places places_in(size_t function, const std::vector<uint32_t>& instructions);

}  // namespace wl::ptx
