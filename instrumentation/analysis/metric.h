// One element's metric; metric_matrix asks for every element of a tile, the window for those that it shows.
#pragma once

#include "instrumentation/analysis/diff.h"

namespace wl::analysis {

// NaN where the reference is NaN. `dtype`: the tile's, in which ULPs are counted.
float metric_of(DType dtype, double got, double reference, Metric metric);

}  // namespace wl::analysis
