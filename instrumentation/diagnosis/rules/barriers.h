// Barriers of a block that fell out of step: which of them is at fault.
#pragma once

#include "instrumentation/diagnosis/rules/rules.h"

#include <string>
#include <vector>

namespace wl::diagnosis {

// Of two barriers that a finding tells, and of findings of divergent barriers, the one comes first that
// stands under the most conditions of the source; the others are its consequences. Nothing is changed where
// there is no source.
void blame_conditional(const Symptoms& s, std::vector<capture::Finding>& findings);

// A warp's lanes at a barrier, where the others wait for them in a shuffle or the like: a consequence of
// that.
void join_to_shuffles(std::vector<capture::Finding>& findings);
// Of that rule, and such a consequence: the block is out of step all the same.
bool is_held_up(const std::vector<capture::Finding>& findings, size_t k, const std::string& rule);

}  // namespace wl::diagnosis
