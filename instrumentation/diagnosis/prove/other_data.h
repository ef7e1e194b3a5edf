// Other inputs for a problem of which a seed changes nothing, as its data come from files: what proves a
// change on data that it was not made for.
#pragma once

#include "instrumentation/manifest/manifest.h"

#include <cstdint>

namespace wl::diagnosis {

// Every byte that the kernel finds in its arguments and symbols is the same.
bool same_inputs(const manifest::Problem& a, const manifest::Problem& b);

// Arrays that were read from files, drawn anew from what the file holds: in another order, with signs turned
// where the file has both, and with its extremes and ties put in. Whole numbers keep their range; what never
// falls keeps its first and last value and never falls (offsets of ragged rows). False: no array is of a
// file.
bool redraw(manifest::Problem& problem, uint64_t seed);

}  // namespace wl::diagnosis
