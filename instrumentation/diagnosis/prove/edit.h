// Small changes of a decoded function: what the counterfactual runs try.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::diagnosis {

ptx::Function& entry_of(ptx::Module& module, const std::string& entry);
const ptx::Function& entry_of(const ptx::Module& module, const std::string& entry);

// A block-wide bar.sync 0 before instruction `at`; branches to `at` reach the barrier first.
void insert_barrier(ptx::Function& function, uint32_t at);
// The same with a bar.warp.sync of all 32 lanes.
void insert_syncwarp(ptx::Function& function, uint32_t at);
// The same with a fence of the whole GPU.
void insert_fence(ptx::Function& function, uint32_t at);

// The instruction becomes `mov destination, source`; guard and location stay.
void replace_by_move(ptx::Function& function, uint32_t at, const ptx::Operand& source);

// The branch or guarded instruction behaves as if its predicate were `value`.
void fix_guard(ptx::Function& function, uint32_t at, bool value);

// wmma.load of these indices: row for col and col for row, with the layouts of the products that use them;
// ldmatrix: with .trans for without.
void toggle_layout(ptx::Function& function, const std::vector<uint32_t>& loads);

// All instructions of one source line reached through the same calls: one edit of the source is such a group.
struct Group {
    int32_t location = -1;          // of its first instruction
    std::vector<uint32_t> members;  // in order
};
std::vector<Group> group_by_line(
    const ptx::Module& module, const ptx::Function& function, const std::vector<uint32_t>& instructions
);

bool same_line(const ptx::Module& module, int32_t a, int32_t b);  // file, line and inlining chain

}  // namespace wl::diagnosis
