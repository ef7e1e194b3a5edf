// Components of vectors, and what stands beside its twin.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_components(Writer& w);

}  // namespace wl::diagnosis::rewrite
