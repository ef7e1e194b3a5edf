// Numbers that are rounded up to what an access takes at once, and numbers that are wide before they grow.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_rounds(Writer& w);

}  // namespace wl::diagnosis::rewrite
