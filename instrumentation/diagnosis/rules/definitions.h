// Which instruction defines a register: the static half of "where does this value come from".
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <vector>

namespace wl::diagnosis {

// Register -> the instructions that write it.
using Definitions = std::vector<std::vector<uint32_t>>;
Definitions definitions(const ptx::Function& function);

// Does the operand's value come from an instruction `op`, through moves only?
bool comes_from(
    const ptx::Function& function, const Definitions& definitions, const ptx::Operand& operand, ptx::Op op
);

// Where the value that an instruction reads first was made, through moves; -1: unknown.
int32_t input_location(const ptx::Function& function, const Definitions& definitions, uint32_t instruction);

// The instructions of the given opcodes nearest behind `instruction` in its chain of definitions, breadth
// first; -1: none within `depth`.
int64_t nearest_definition(
    const ptx::Function& function,
    const Definitions& definitions,
    uint32_t instruction,
    const std::vector<ptx::Op>& ops,
    int depth = 8
);

// Can the instruction's result differ between the threads of a block? (A static chain to %tid, %laneid or
// %warpid.)
bool depends_on_thread(const ptx::Function& function, const Definitions& definitions, uint32_t instruction);

}  // namespace wl::diagnosis
