// Memory that a node of a graph names. The node keeps the address; what a launch of the graph finds there
// later may be given back, or something else (CUDA C++ Programming Guide 13.0, "CUDA Graphs").
#pragma once

#include "instrumentation/runtime/captured_memory.h"

#include <cstdint>
#include <vector>

namespace wl::runtime {

struct Machine;

// Of a node that is being made by the call that this thread is in.
Captured captured(Machine& machine, const std::vector<CapturedSide>& sides);
// A call besides the graph copies from or to these bytes, or the capture ends with them as they are.
void note_use(Machine& machine, uint64_t begin, uint64_t bytes);
void note_capture_end(Machine& machine, const Captured& all);
void note_freed(Machine& machine, uint64_t base);
// The node is about to do its work.
void look_at_captured(Machine& machine, const Captured& all);

}  // namespace wl::runtime
