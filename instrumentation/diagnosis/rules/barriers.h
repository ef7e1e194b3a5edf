// Barriers of a block that fell out of step: which of them is at fault.
#pragma once

#include "instrumentation/diagnosis/rules/rules.h"

#include <vector>

namespace wl::diagnosis {

// Of two barriers that a finding tells, and of findings of divergent barriers, the one comes first that
// stands under the most conditions of the source; the others are its consequences. Nothing is changed where
// there is no source.
void blame_conditional(const Symptoms& s, std::vector<capture::Finding>& findings);

}  // namespace wl::diagnosis
