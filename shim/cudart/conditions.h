// Conditions of graphs: a word of the device's memory that kernels set by cudaGraphSetConditional, and the
// nodes that run graphs of their own by it.
#pragma once

#include "shim/cudart/streams.h"

namespace wl::cudart {

struct Condition {
    uint64_t address = 0;  // of the word, and the program's handle
    bool has_default = false;
    uint32_t value = 0;  // at the beginning of each launch, if it has one
};

// What a launch of the whole graph begins with.
void begin_conditions(const Graph& graph);
// The graph that its condition chooses, while it does; `run` runs one.
cudaError_t run_conditional(const Node& node, const std::function<cudaError_t(const Graph&)>& run);

}  // namespace wl::cudart
