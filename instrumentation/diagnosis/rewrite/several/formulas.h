// Changes of several words that are one thought: a square of another number, one less in a product, a pixel's
// centre, the rounding of a shift.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_formulas(Writer& w);

}  // namespace wl::diagnosis::rewrite
