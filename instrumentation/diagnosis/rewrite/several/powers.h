// Squares of what is at hand, and exponents that are counted from the largest.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_powers(Writer& w);

}  // namespace wl::diagnosis::rewrite
