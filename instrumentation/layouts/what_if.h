// A request as it would be if a matrix in shared memory were laid out otherwise, and what it would cost.
#pragma once

#include "instrumentation/base/banks.h"
#include "instrumentation/layouts/matrix.h"

#include <optional>
#include <string>
#include <string_view>

namespace wl::layouts {

// Elements more from line to line; or a swizzle of the elements' offsets.
struct Change {
    int pad = 0;
    std::optional<Swizzle> swizzle;
};
// "pad=8", "swizzle=3,3,3". Throws Error.
Change parse_change(std::string_view text);
std::string text_of(const Change& change);

// Lanes that touch the matrix go where its elements would lie; all others stay. `problem`: why the access
// would not be possible; empty: it is.
struct Changed {
    LaneAccesses accesses;
    BankCost cost;
    std::string problem;
};
Changed changed(const LaneAccesses& request, const Matrix& matrix, const Change& change);

// The leading dimension that a line of the source would have to say, or how its index would have to change:
// "rows 80 apart", "element (i, j) at i * 64 + (j ^ (i & 7) << 3)".
std::string advice(const Matrix& matrix, const Change& change);

}  // namespace wl::layouts
