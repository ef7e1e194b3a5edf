// The last tile of a loop, which is not full.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_tails(Writer& w);

}  // namespace wl::diagnosis::rewrite
