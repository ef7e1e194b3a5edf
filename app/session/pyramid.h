// (min, max) of blocks of a matrix, so that zoomed out below a pixel an element no bad element is lost.
#pragma once

#include "app/session/plane.h"
#include "instrumentation/base/matrix.h"

#include <atomic>
#include <vector>

namespace wl::app {

// A NaN in the block makes `lo` that NaN, an infinity makes `lo` that infinity. Elements that are absent
// count only where nothing else is.
struct MinMax {
    float lo = 0, hi = 0;
};

struct Pyramid {
    int side = 4;  // of the blocks of levels[0], in elements; of levels[i] twice that of levels[i - 1]
    std::vector<Matrix<MinMax>> levels;  // none: not measured yet; a side of 4 makes 17 % of a float matrix
};

struct PlaneFigures {
    float lo = 0, hi = 0;                       // over finite elements
    double sum = 0;                             // likewise
    int64_t finite = 0, nan = 0, infinite = 0;  // elements; absent ones are none of these
    int64_t negative = 0, zero = 0;             // of the finite ones
};

// Work that takes a while, seen and ended by another thread.
struct Effort {
    std::atomic<bool> stop = false;     // what is made is of no use any more
    std::atomic<int64_t> elements = 0;  // done
};

struct Measured {
    Pyramid pyramid;
    PlaneFigures figures;
};
// One pass over the matrix, on several threads where it is large.
Measured measure(const Plane& plane, Effort* effort = nullptr);
// Figures of every `every`th row alone.
PlaneFigures sample(const Plane& plane, int every);
Pyramid make_pyramid(const Plane& plane);

struct BlockWindow {
    int block_rows = 1, block_cols = 1;  // elements a block; powers of two
    int row = 0, col = 0;                // first block
    int rows = 0, cols = 0;              // blocks; those that lie outside the matrix are absent
};
// Without levels, of every block that is larger than those of the first one only one element is read.
Matrix<MinMax> reduce(const Plane& plane, const Pyramid& pyramid, const BlockWindow& window);

}  // namespace wl::app
