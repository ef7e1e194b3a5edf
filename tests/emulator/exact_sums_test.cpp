// Sums that are kept exactly: the same bits in every order of their terms, and the exact sum rounded to
// nearest.
#include "instrumentation/emulator/exec/memory/exact_sums.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace wl::emulator {
namespace {

template <class T>
T summed(const std::vector<double>& terms, DType format, T start = 0) {
    ExactSums sums;
    T element = start;
    for (const double term : terms)
        add_exactly(sums, reinterpret_cast<std::byte*>(&element), -1, format, term);
    return element;
}

TEST(ExactSums, AreTheSameInEveryOrder) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> size(0, 8);
    std::vector<double> terms;
    for (int k = 0; k < 200; ++k)
        terms.push_back(static_cast<float>(std::exp(size(random)) * (k % 2 == 0 ? 1 : -1)));
    const auto first = summed<double>(terms, DType::f64);
    const auto narrow = summed<float>(terms, DType::f32);
    long double wide = 0;
    std::sort(terms.begin(), terms.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    for (const double term : terms) wide += term;
    EXPECT_NEAR(first, static_cast<double>(wide), std::fabs(first) * 1e-15);
    for (int order = 0; order < 20; ++order) {
        std::shuffle(terms.begin(), terms.end(), random);
        EXPECT_EQ(summed<double>(terms, DType::f64), first);
        EXPECT_EQ(summed<float>(terms, DType::f32), narrow);
    }
}

TEST(ExactSums, LoseNothingThatComesBack) {
    EXPECT_EQ(summed<double>({1, 1e100, 1, -1e100}, DType::f64), 2);
    EXPECT_EQ(summed<float>({1, 1e30F, 1, -1e30F}, DType::f32), 2);
    const double half = std::numeric_limits<double>::epsilon() / 2;  // of the last bit of 1
    EXPECT_EQ(summed<double>({half}, DType::f64, 1.0), 1) << "a tie, to even";
    EXPECT_EQ(summed<double>({half, 1e-40}, DType::f64, 1.0), 1 + 2 * half) << "just above it";
    EXPECT_EQ(summed<double>({half, -1e-40}, DType::f64, 1.0), 1);
}

TEST(ExactSums, BeginAnewBehindAStore) {
    ExactSums sums;
    float element = 0;
    auto* const at = reinterpret_cast<std::byte*>(&element);
    add_exactly(sums, at, -1, DType::f32, 1e-10);
    add_exactly(sums, at, -1, DType::f32, 5);
    EXPECT_EQ(element, 5);
    element = 7;
    add_exactly(sums, at, -1, DType::f32, 1);
    EXPECT_EQ(element, 8);
    add_exactly(sums, at, 3, DType::f32, 1);  // the same bytes are another block's shared memory now
    EXPECT_EQ(element, 9);
}

TEST(ExactSums, TakeWhatIsNoNumberAsItIs) {
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(summed<float>({1, infinite, 2}, DType::f32), std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(summed<float>({infinite, -infinite, 2}, DType::f32)));
}

}  // namespace
}  // namespace wl::emulator
