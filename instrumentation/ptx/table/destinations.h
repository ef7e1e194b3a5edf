// Which operands an instruction writes.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstddef>

namespace wl::ptx {

// How many of the first operands it writes, by the roles of its row in the table; a call writes its list of
// results.
size_t destination_count(const Instruction& instruction);

}  // namespace wl::ptx
