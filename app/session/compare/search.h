// Looking for the next tile in which A and B differ, on a thread of its own: tiles can be huge.
#pragma once

#include "app/session/compare/sides.h"

#include <memory>

namespace wl::app {

// The tile of A; -1: none differs, or it was stopped. Throws Error for elements that cannot be read.
int next_different(const DifferenceQuery& query, DifferenceEffort& effort);

std::unique_ptr<DifferenceSearch> start_search(DifferenceQuery query);

// What the two may differ by at an element: both bounds together.
float bound_of_pair(const TileSource& a, const TileSource& b, int row, int col);

}  // namespace wl::app
