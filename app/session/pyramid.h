// (min, max) of blocks of a matrix, so that zoomed out below a pixel an element no bad element is lost.
#pragma once

#include "instrumentation/base/matrix.h"

#include <vector>

namespace wl::app {

// A NaN in the block makes `lo` that NaN, an infinity makes `lo` that infinity. Elements that are absent
// (kAbsent) count only where nothing else is.
struct MinMax {
    float lo = 0, hi = 0;
};

// The quiet NaN with its sign set marks an element that has no value (not compared, outside the tensor); a
// value that is NaN is stored with its sign clear.
float absent();
bool is_absent(float value);
float canonical(float value);  // any NaN becomes the positive quiet NaN

struct Pyramid {
    std::vector<Matrix<MinMax>>
        levels;  // levels[i]: blocks of (4 << i) x (4 << i) elements; 17 % of the matrix
};
Pyramid make_pyramid(const Matrix<float>& matrix);

struct BlockWindow {
    int block_rows = 1, block_cols = 1;  // elements a block; powers of two
    int row = 0, col = 0;                // first block
    int rows = 0, cols = 0;              // blocks; those that lie outside the matrix are absent
};
Matrix<MinMax> reduce(const Matrix<float>& matrix, const Pyramid& pyramid, const BlockWindow& window);

}  // namespace wl::app
