// Whether values are right once races are gone.
#pragma once

#include "instrumentation/capture/ran.h"
#include "instrumentation/diagnosis/prove/ordering.h"

#include <string>

namespace wl::diagnosis {

// What is wrong with all mendings: where values were wrong, on other data, in other orders and in all blocks;
// of a sequence at its end. Empty: nothing. Into `ran` what was run.
std::string left_wrong(const Symptoms& s, const Ordering& ordering, capture::Ran& ran);

}  // namespace wl::diagnosis
