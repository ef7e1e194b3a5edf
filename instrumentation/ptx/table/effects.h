// The traits of an instruction's row, with the operands that they mean.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstddef>
#include <vector>

namespace wl::ptx {

// Of an instruction without a row, such as one that an edit made: the first row of its opcode; of a mark
// nothing.
const Traits& traits_of(const Instruction& instruction);

// The operand in a role of the row; nullptr: the instruction leaves it out, or the row has none.
const Operand* operand_in(const Instruction& instruction, int8_t role);
// The role of operand k; kNoRole: a cache policy. What may be left out stands behind all that must not be.
int8_t role_of(const Instruction& instruction, size_t operand);

// The space that the address in a role is written for; generic when none is named.
Space space_of(const Instruction& instruction, int8_t role);

// Ends a basic block: lanes may go on elsewhere, at its targets or, where it is no jump, nowhere.
bool ends_block(const Instruction& instruction);
// The instructions that a jump may go to; code.size(): the end of the body.
std::vector<int32_t> targets_of(const Function& function, const Instruction& instruction);

constexpr bool reads(Memory m) { return m == Memory::load || m == Memory::update || m == Memory::copy; }
constexpr bool writes(Memory m) { return m == Memory::store || m == Memory::update || m == Memory::copy; }

}  // namespace wl::ptx
