// Both operands of a sum, a product or a quotient at once.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_both(Writer& w);

}  // namespace wl::diagnosis::rewrite
