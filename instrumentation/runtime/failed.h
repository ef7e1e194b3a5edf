// Calls that failed, which the program may not have noticed: what they would have written, until somebody
// writes it or the program asks for the error.
#pragma once

#include "instrumentation/order/history.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace wl::runtime {

struct Machine;
struct Kernel;

// A launch that was refused: it would have written what its arguments point to, as far as their types let it.
void note_failed_launch(
    Machine& machine,
    const Kernel& kernel,
    const order::Operation& operation,
    std::span<const std::byte> params,
    const std::string& why
);
// A copy or a fill by the call that this thread is in.
void note_failed_copy(Machine& machine, uint64_t to, uint64_t bytes, const std::string& why);
// The program asks for the last error.
void note_asked(Machine& machine);
// Whether an operation reads what is missing.
void look_at_failed(Machine& machine, const order::Operation& operation, order::Touches& touches);

}  // namespace wl::runtime
