// Barriers of a block that fell out of step: which of them is at fault.
#pragma once

#include "instrumentation/diagnosis/rules/rules.h"

#include <vector>

namespace wl::diagnosis {

// Of findings of divergent barriers the one comes first whose barrier stands under the most conditions of the
// source; the others are its consequences. Nothing is changed where there is one alone, or no source.
void blame_conditional(const Symptoms& s, std::vector<capture::Finding>& findings);

}  // namespace wl::diagnosis
