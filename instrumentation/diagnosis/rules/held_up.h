// Barriers that a warp comes to in parts, as a shuffle before holds the others up.
#pragma once

#include "instrumentation/capture/capture.h"

#include <cstddef>
#include <string>
#include <vector>

namespace wl::diagnosis {

// A warp's lanes at a barrier, where the others wait for them in a shuffle or the like: a consequence of
// that.
void join_to_shuffles(std::vector<capture::Finding>& findings);
// Of that rule, and such a consequence: the block is out of step all the same.
bool is_held_up(const std::vector<capture::Finding>& findings, size_t k, const std::string& rule);

}  // namespace wl::diagnosis
