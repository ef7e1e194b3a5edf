// The matrix instruction at an instant: what its fragments hold, and where in memory each element came from
// or goes to.
#pragma once

#include "instrumentation/fragments/live.h"
#include "instrumentation/travel/route.h"

namespace wl::travel {

// Does an instruction have fragments? wmma, mma, mma.sp, ldmatrix, stmatrix, movmatrix, the first mark of a
// WL_FRAGMENT.
bool has_fragments(const Route& route, uint32_t site);

// Of the instruction at the route's instant, which has_fragments; of a load the product that takes what it
// loads, where the warp executes one. The route ends where it began. A product's a, b and c come from where
// their registers were loaded last.
fragments::Live fragments_here(Route& route);

}  // namespace wl::travel
