// What is known of the code around a mark before it runs; for the files of this folder.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace wl::gpu {

struct Flow {
    const ptx::Function& function;
    std::vector<int32_t> labels = {};                           // ascending
    std::map<int32_t, std::optional<uint64_t>> constants = {};  // by register: written once, with that number
};
Flow flow_of(const ptx::Function& function);

// The number that an operand is, where the text says it and it is no negative one.
std::optional<uint32_t> count_of(const Flow& flow, const ptx::Operand& operand);

// Do threads that are at `from` come to `to` without writing memory, waiting or going elsewhere?
bool is_quiet_between(const Flow& flow, uint32_t from, uint32_t to);
// The same, to a barrier of the whole block.
bool meets_soon(const Flow& flow, uint32_t at);

// The marks of a fragment's registers from `first` on, one after the other in one run of code, that can all
// be taken at the last of them: nothing between changes what the earlier name.
std::vector<uint32_t> standing_together(const Flow& flow, uint32_t first);

}  // namespace wl::gpu
