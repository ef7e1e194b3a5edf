// The formula behind the places that an operand's elements are taken from.
#include "instrumentation/diagnosis/rules/operand_map.h"

#include <gtest/gtest.h>

namespace wl::diagnosis {
namespace {

// Rows of 64 elements, 80 apart; element (r, c) is taken at the position that the steps give, nothing where
// that is padding.
Matrix<Taken> taken(const Positions& p, int64_t start) {
    auto map = make_matrix<Taken>(64, 64);
    for (int r = 0; r < 64; ++r) {
        for (int c = 0; c < 64; ++c) {
            const int64_t at = start + p.in_row * (r % kFragment) + p.row_block * (r / kFragment) +
                p.in_col * (c % kFragment) + p.col_block * (c / kFragment);
            if (at % p.pitch < 64) map(r, c) = {at / p.pitch, at % p.pitch};
        }
    }
    return map;
}

TEST(OperandMap, WhereZerosShowThePaddingEveryStepIsRecovered) {
    for (const Positions& p : {
             Positions{80, 64, 1024, 1, 16  }, // rows as if without padding
             Positions{80, 64, 16,   1, 1024}  // pointer and leading dimension of the transposed matrix
    }) {
        const std::optional<Positions> found = fit_positions(taken(p, 0));
        ASSERT_TRUE(found);
        EXPECT_EQ(found->pitch, 80);
        EXPECT_EQ(found->in_row, p.in_row);
        EXPECT_EQ(found->row_block, p.row_block);
        EXPECT_EQ(found->in_col, p.in_col);
        EXPECT_EQ(found->col_block, p.col_block);
    }
}

TEST(OperandMap, WithoutZerosTheStepsStandInTheRightRelationToThePitch) {
    const std::optional<Positions> right = fit_positions(taken({80, 80, 1280, 1, 16}, 0));
    ASSERT_TRUE(right);
    EXPECT_EQ(right->in_row, right->pitch);
    EXPECT_EQ(right->row_block, kFragment * right->pitch);
    EXPECT_EQ(right->in_col, 1);
    EXPECT_EQ(right->col_block, kFragment);
    const std::optional<Positions> exchanged = fit_positions(taken({80, 1, 16, 80, 1280}, 0));
    ASSERT_TRUE(exchanged);
    EXPECT_EQ(exchanged->in_col, exchanged->pitch);
    EXPECT_EQ(exchanged->in_row, 1);
}

TEST(OperandMap, PlacesWithoutAFormulaHaveNone) {
    Matrix<Taken> map = taken({80, 64, 1024, 1, 16}, 0);
    map(40, 7) = {1, 1};
    EXPECT_FALSE(fit_positions(map));
    map = taken({80, 80, 1280, 1, 16}, 0);
    map(40, 7) = {};  // a zero where no row has its padding
    EXPECT_FALSE(fit_positions(map));
    EXPECT_FALSE(fit_positions(make_matrix<Taken>(4, 4)));
}

}  // namespace
}  // namespace wl::diagnosis
