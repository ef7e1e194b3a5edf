// Whether the registers of an instruction have the widths that its types ask for (PTX ISA 9.0, 9.1, 9.4).
#pragma once

#include "instrumentation/ptx/module.h"

#include <span>
#include <string>

namespace wl::ptx {

// Empty when they fit; else what does not, without the line: "%r1 has 32 bits, add.u64 takes 64 here".
// `roles` holds the role of each operand in the instruction's row of the table. Not looked at are signs and
// whether a register was declared for integers or floats: neither changes what an instruction computes.
std::string misfit(
    const Instruction& instruction,
    std::span<const std::string_view> roles,
    std::span<const Register> registers
);

}  // namespace wl::ptx
