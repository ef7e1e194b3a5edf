// Which lines the preprocessor leaves.
#pragma once

#include "instrumentation/diagnosis/rewrite/source.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

// By line, from 1. Where a condition hangs on what a header may define, the branch of which there is code
// (`located`) is taken; where none has any, as if nothing were defined.
std::vector<bool> active_lines(const Source& source, const std::set<int>& located, const Defines& defines);

}  // namespace wl::diagnosis::rewrite
