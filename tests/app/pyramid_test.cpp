// No element is lost between the matrix and the pixels.
#include "app/session/pyramid.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace wl::app {
namespace {

Matrix<float> positions(int rows, int cols) {
    auto matrix = make_matrix<float>(rows, cols);
    for (int row = 0; row < rows; ++row) {
        for (int col = 0; col < cols; ++col) matrix(row, col) = static_cast<float>(row * 1000 + col);
    }
    return matrix;
}

TEST(Pyramid, AWindowOfBlocksHoldsTheirMinimaAndMaxima) {
    const Matrix<float> matrix = positions(37, 53);  // not a multiple of any block
    const Pyramid pyramid = make_pyramid(plane_of(matrix));
    for (const int block_rows : {1, 2, 4, 8, 16, 64}) {
        for (const int block_cols : {1, 2, 4, 32}) {
            const Matrix<MinMax> blocks =
                reduce(plane_of(matrix), pyramid, {block_rows, block_cols, 0, 1, 1, 1});
            const int last_row = std::min(block_rows, 37) - 1, last_col = std::min(2 * block_cols, 53) - 1;
            EXPECT_EQ(blocks(0, 0).lo, static_cast<float>(block_cols)) << block_rows << "x" << block_cols;
            EXPECT_EQ(blocks(0, 0).hi, static_cast<float>(last_row * 1000 + last_col))
                << block_rows << "x" << block_cols;
        }
    }
}

TEST(Pyramid, OneBrokenElementBreaksEveryBlockAboveIt) {
    Matrix<float> matrix = positions(64, 64);
    matrix(33, 47) = -std::numeric_limits<float>::infinity();
    matrix(34, 46) = std::numeric_limits<float>::quiet_NaN();
    const Pyramid pyramid = make_pyramid(plane_of(matrix));
    for (const Matrix<MinMax>& level : pyramid.levels) {
        const int block = 64 / level.rows;
        EXPECT_TRUE(std::isnan(level(34 / block, 46 / block).lo))
            << "NaN speaks before an infinity, block " << block;
    }
    EXPECT_FALSE(std::isnan(pyramid.levels[0](0, 0).lo));
}

TEST(Pyramid, AbsentElementsCountOnlyWhereNothingElseIs) {
    Matrix<float> matrix = make_matrix<float>(8, 8, absent());
    matrix(5, 6) = 7;
    const Pyramid pyramid = make_pyramid(plane_of(matrix));
    EXPECT_TRUE(is_absent(pyramid.levels[0](0, 0).lo));
    EXPECT_EQ(pyramid.levels[0](1, 1).lo, 7);
    EXPECT_EQ(pyramid.levels[1](0, 0).hi, 7);
    EXPECT_FALSE(is_absent(canonical(absent()))) << "a kernel's own NaN must not read as absent";
}

}  // namespace
}  // namespace wl::app
