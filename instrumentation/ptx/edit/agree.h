// What ptxas asks of operands beyond the table's rows: the parser is lenient where an edit is not.
#pragma once

#include "instrumentation/ptx/module.h"

#include <span>
#include <string>
#include <string_view>

namespace wl::ptx {

// Empty, or why ptxas would refuse: a float in an integer instruction, a special register that is no move, a
// sink where nothing is written, an address of another space, a constant out of range. `roles` are those of
// the row.
std::string disagreement(
    const Module& module,
    const Function& function,
    const Instruction& instruction,
    std::span<const std::string_view> roles
);

}  // namespace wl::ptx
