// The element of the reference that an element of a tile or an output is compared with. Internal to
// diagnosis.
#pragma once

#include "instrumentation/analysis/reference.h"
#include "instrumentation/diagnosis/why/chain.h"

namespace wl::diagnosis {

// Of one element.
analysis::Window window_of(const Chain& chain, const TileElement& element);

}  // namespace wl::diagnosis
