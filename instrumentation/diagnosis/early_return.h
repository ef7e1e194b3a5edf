// Threads that end before the kernel's last line.
#pragma once

#include "instrumentation/diagnosis/case.h"

#include <string_view>
#include <vector>

namespace wl::diagnosis {

// Whether threads may leave the kernel by a `return;` or an `exit;` of the text. Where none can, lanes that
// have exited before a barrier went around it: by a condition, or out of a loop.
bool may_return_early(std::string_view text);
// Of the kernel's source, with its own headers; true where there is none.
bool may_return_early(const Experiment& e);

// As in emulator/observe/part_exited.h, where threads of the kernel may return early.
void drop_part_exited(const Experiment& e, std::vector<execution::Incident>& incidents);

}  // namespace wl::diagnosis
