// Numbers that are solved for, and what a difference looks like.
#include "instrumentation/diagnosis/search/solve.h"

#include "instrumentation/diagnosis/search/fits.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace wl::diagnosis {
namespace {

std::vector<Sample> samples_of(double (*difference)(double)) {
    std::vector<Sample> out;
    for (const double number : {3.0, 6.0, 1.5}) out.push_back({number, difference(number)});
    return out;
}

TEST(Solve, ThreeSamplesGiveTheNumber) {
    EXPECT_NEAR(root_of(samples_of([](double c) { return 0.3 * std::fabs(c - 4.5); })), 4.5, 1e-12);
    EXPECT_NEAR(root_of(samples_of([](double c) { return 2 * std::fabs(c - 60); })), 60, 1e-9)
        << "on one side";
    EXPECT_NEAR(root_of(samples_of([](double c) { return 2 * std::fabs(c + 1); })), -1, 1e-12);
}

TEST(Solve, SamplesThatDoNotAgreeGiveNone) {
    EXPECT_TRUE(std::isnan(root_of(samples_of([](double) { return 1.0; })))) << "it makes no difference";
    EXPECT_TRUE(std::isnan(root_of(samples_of([](double c) { return 1 + std::exp(c); }))));
    EXPECT_TRUE(std::isnan(root_of({
        {3, 1},
        {6, 2}
    })));
    const double none = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(root_of({
        {3,   1   },
        {6,   none},
        {1.5, 2   }
    })));
}

bool holds(const std::vector<std::string>& all, const char* one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

TEST(Solve, ANumberIsWrittenAsSomebodyWould) {
    EXPECT_TRUE(holds(plain_numbers(4.5002, {}), "4.5f"));
    EXPECT_TRUE(holds(plain_numbers(0.11112, {}), "(1.0f / 9.0f)"));
    EXPECT_TRUE(holds(plain_numbers(1.44269, {}), "1.4426950408889634f"));
    EXPECT_TRUE(holds(plain_numbers(0.125, {64}), "0.125f")) << "one by the root of 64";
    EXPECT_TRUE(holds(plain_numbers(-0.5, {}), "(-0.5f)"));
    EXPECT_FALSE(holds(plain_numbers(4.5002, {}), "4.0f"));
    EXPECT_TRUE(plain_numbers(0, {}).empty());
    EXPECT_TRUE(plain_numbers(std::numeric_limits<double>::quiet_NaN(), {}).empty());
}

analysis::TileData tile(int rows, int cols, std::vector<double> got, std::vector<double> reference) {
    analysis::TileData out;
    out.rows = rows, out.cols = cols;
    out.bound = {rows, cols, std::vector<float>(got.size(), 1e-3f)};
    out.got = {rows, cols, std::move(got)};
    out.reference = {rows, cols, std::move(reference)};
    return out;
}

TEST(Fits, AFactorIsOneThatEveryElementLacks) {
    EXPECT_NEAR(factor_of(tile(1, 4, {1, -2, 3, 0}, {3, -6, 9, 0})), 3, 1e-9);
    EXPECT_EQ(factor_of(tile(1, 4, {1, -2, 3, 4}, {3, -6, 9, 4})), 1) << "one is right as it is";
    EXPECT_EQ(factor_of(tile(1, 2, {1, -2}, {3, -6})), 1) << "two say little";
    EXPECT_EQ(factor_of(tile(1, 4, {0, 0, 0, 0}, {3, -6, 9, 4})), 1);
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(factor_of(tile(1, 4, {1, -2, inf, 4}, {3, -6, 9, 12})), 1);
}

TEST(Fits, AnOffsetIsASmallWholeNumberThatAllThatIsWrongLacks) {
    EXPECT_EQ(offset_of(tile(1, 4, {1, 2, 3, 4}, {2, 3, 4, 4})), 1) << "the last is right";
    EXPECT_EQ(offset_of(tile(1, 3, {1, 2, 3}, {-1, 0, 1})), -2);
    EXPECT_EQ(offset_of(tile(1, 3, {1, 2, 3}, {2, 3, 5})), 0);
    EXPECT_EQ(offset_of(tile(1, 2, {1, 2}, {2, 3})), 0) << "two say little";
    EXPECT_EQ(offset_of(tile(1, 3, {1, 2, 3}, {1.5, 2.5, 3.5})), 0);
    EXPECT_EQ(offset_of(tile(1, 3, {1, 2, 3}, {41, 42, 43})), 0);
}

TEST(Fits, ATriangleIsOneThatShouldBeZero) {
    EXPECT_EQ(triangle_of(tile(3, 3, {1, 5, 5, 2, 1, 5, 2, 2, 1}, {1, 0, 0, 2, 1, 0, 2, 2, 1}), 3, 3), 1);
    EXPECT_EQ(triangle_of(tile(3, 3, {1, 2, 2, 5, 1, 2, 5, 5, 1}, {1, 2, 2, 0, 1, 2, 0, 0, 1}), 3, 3), -1);
    EXPECT_EQ(triangle_of(tile(3, 3, {1, 5, 5, 2, 1, 5, 2, 2, 1}, {1, 3, 0, 2, 1, 0, 2, 2, 1}), 3, 3), 0)
        << "one should be 3";
    EXPECT_EQ(triangle_of(tile(3, 3, {1, 5, 5, 5, 1, 5, 2, 2, 1}, {1, 0, 0, 0, 1, 0, 2, 2, 1}), 3, 3), 0)
        << "on both sides";
}

}  // namespace
}  // namespace wl::diagnosis
