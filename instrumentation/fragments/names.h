// The instructions whose fragments are known, by the words that name them. Help, errors and tests read this
// one table.
#pragma once

#include "instrumentation/fragments/map.h"

#include <string>
#include <vector>

namespace wl::fragments {

struct Instruction {
    const char* word;      // "mma.sp"
    const char* shapes;    // "m16n8k16|m16n8k32"; of moves "x1|x2|x4"
    const char* types;     // of a and b; of moves their element
    const char* sums;      // types of c and d
    const char* measured;  // those of `types` that a GPU was asked about
    const char* measured_sums;
    const char* section;  // of PTX ISA 9.0
};
const std::vector<Instruction>& instructions();

// Of words like those of the instruction in PTX, apart by spaces or points, in any order: "wmma.m16n16k16 a
// f16 row", "mma.m16n8k16 bf16" (a, b and c), "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32". Throws
// Error for what is not known, with the nearest that is.
std::vector<Map> maps_named(const std::string& words);

std::vector<std::string> every_name();  // of one map each: every row, shape, operand and type

}  // namespace wl::fragments
