// A program once more, its work done in other orders that CUDA allows.
#pragma once

#include "app/cli/programs/programs.h"

#include <cstdint>

namespace wl::app {

// So many of them; -1: one where operations race and the program is short. What changes is said in the first
// finding about the order of operations, or where there is none, in a note.
void run_other_orders(ProgramRun& run, const runtime::Settings& settings, int64_t orders);

}  // namespace wl::app
