// Verdicts, metrics and fits of single tiles.
#include "instrumentation/analysis/diff.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace wl::analysis {
namespace {

std::vector<std::byte> f32_bytes(const std::vector<float>& v) {
    std::vector<std::byte> out(v.size() * 4);
    std::memcpy(out.data(), v.data(), out.size());
    return out;
}

ReferenceTile reference_of(int rows, int cols, const std::vector<double>& v, float bound) {
    return {
        {rows, cols, v},
        make_matrix<float>(rows, cols, bound),
        make_matrix<uint8_t>(rows, cols, 1),
        false,
        { }
    };
}

TileData tile_of(std::vector<double> got, std::vector<double> reference, float bound) {
    TileData t;
    t.rows = 1, t.cols = static_cast<int>(got.size());
    t.bound = make_matrix<float>(1, t.cols, bound);
    t.got = {1, t.cols, std::move(got)};
    t.reference = {1, t.cols, std::move(reference)};
    return t;
}

TEST(Diff, TheFirstBadElementIsNamedByRowAndColumn) {
    const Comparison c =
        compare(DType::f32, f32_bytes({1, 2, 3, 4, 5.5F, 6}), reference_of(2, 3, {1, 2, 3, 4, 5, 6}, 0.25F));
    EXPECT_EQ(c.bad, 1);
    EXPECT_EQ(c.first_bad_row, 1);
    EXPECT_EQ(c.first_bad_col, 1);
    EXPECT_EQ(c.max_difference, 0.5);
    EXPECT_EQ(c.compared, 6);
}

TEST(Diff, TheTilesOwnRoundingIsAllowedAndNoMore) {
    ReferenceTile r = reference_of(1, 1, {2049}, 0);  // between the f16 values 2048 and 2050
    std::vector<std::byte> half(2);
    from_double(DType::f16, 2048, half.data());
    EXPECT_EQ(compare(DType::f16, half, r).bad, 0);
    from_double(DType::f16, 2052, half.data());
    EXPECT_EQ(compare(DType::f16, half, r).bad, 1);
}

std::vector<std::byte> s64_bytes(const std::vector<int64_t>& v) {
    std::vector<std::byte> out(v.size() * 8);
    std::memcpy(out.data(), v.data(), out.size());
    return out;
}

TEST(Diff, IntegersAreComparedAsIntegers) {
    const int64_t large = 1'000'000'000'000'000'000;
    ReferenceTile r = reference_of(1, 2, {1e18, 1e18}, 1e6F);
    r.whole = {
        1, 2, {large, large}
    };
    EXPECT_EQ(compare(DType::s64, s64_bytes({large, large}), r).bad, 0);
    const Comparison c = compare(DType::s64, s64_bytes({large, large + 1}), r);
    EXPECT_EQ(c.bad, 1) << "whatever the bound of the reference";
    EXPECT_EQ(c.first_bad_col, 1);
    EXPECT_EQ(c.max_difference, 1);
    // All bits set: -1 as s64, the largest number as u64.
    EXPECT_EQ(compare(DType::u64, s64_bytes({large, -1}), r).bad, 1);
    r.whole = {};
    EXPECT_EQ(compare(DType::s64, s64_bytes({large, large + 1}), r).bad, 0) << "1e18 in double knows no more";
    EXPECT_EQ(compare(DType::s64, s64_bytes({large, large + 1000}), r).bad, 1);
    const std::vector<std::byte> seven{std::byte{7}};
    EXPECT_EQ(compare(DType::u8, seven, reference_of(1, 1, {7}, 1)).bad, 0);
    EXPECT_EQ(compare(DType::u8, seven, reference_of(1, 1, {7.5}, 1)).bad, 1);
}

TEST(Diff, NonFiniteElementsAreBadWhereTheReferenceIsFinite) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    const Comparison c = compare(DType::f32, f32_bytes({nan, inf, 1}), reference_of(1, 3, {1, 1, 1}, 100));
    EXPECT_EQ(c.bad, 2);
    EXPECT_EQ(c.nan, 1);
    EXPECT_EQ(c.inf, 1);
}

TEST(Diff, AMaskedScoreMayBeAnythingThatVanishesInExp) {
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(is_bad(-inf, -inf, 104));
    EXPECT_FALSE(is_bad(-1e30, -inf, 104));
    EXPECT_TRUE(is_bad(-50, -inf, 104));
    EXPECT_TRUE(is_bad(std::nan(""), -inf, 104));
    EXPECT_FALSE(is_bad(5, std::nan(""), 0));
}

TEST(Diff, MetricsAgreeOnWhatIsEqualAndOnSigns) {
    TileData t = tile_of({2, 3, 1, std::nextafter(1.0F, 0.0F)}, {2, 4, std::nan(""), 1}, 0);
    t.dtype = DType::f32;
    EXPECT_EQ(metric_matrix(t, Metric::difference).data[1], -1);
    EXPECT_EQ(metric_matrix(t, Metric::relative).data[1], -0.25F);
    EXPECT_EQ(metric_matrix(t, Metric::ratio).data[1], 0.75F);
    EXPECT_EQ(metric_matrix(t, Metric::ulp).data[3], -1);
    for (const Metric m : {Metric::difference, Metric::relative, Metric::ratio, Metric::ulp})
        EXPECT_TRUE(std::isnan(metric_matrix(t, m).data[2]));
    EXPECT_EQ(metric_matrix(t, Metric::ratio).data[0], 1);
}

TEST(Diff, AConstantFactorIsFittedAndItsInverseMendsTheTile) {
    const std::optional<FactorFit> fit = fit_factor(tile_of({32, 64, 96, 0}, {1, 2, 3, 0}, 1e-3F));
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->factor, 32);
    EXPECT_EQ(fit->spread, 0);
    EXPECT_EQ(fit->bad_after, 0);
    EXPECT_FALSE(fit_factor(tile_of({64}, {2}, 1e-3F))) << "one number is no pattern";
    EXPECT_FALSE(fit_factor(tile_of({64, 64, 64, 32}, {2, 2, 2, 1}, 1e-3F))) << "nor are two";
    EXPECT_FALSE(fit_factor(tile_of({1.0001, 2.0002, 3.0003}, {1, 2, 3}, 1e-6F))) << "1 x the reference";
    const std::optional<FactorFit> none = fit_factor(tile_of({32, 64, 90}, {1, 2, 3}, 1e-3F));
    ASSERT_TRUE(none);
    EXPECT_GT(none->spread, 0.05);
    EXPECT_EQ(none->bad_after, 1);
}

TEST(Diff, TheFirstBadTileIsTheEarliestInKernelTimeNotInTheFile) {
    capture::Capture c;
    c.probes.resize(3);
    c.probes[0].step = 0, c.probes[1].step = 4, c.probes[2].kind = capture::ProbeKind::output;
    const auto add = [&](int probe, int64_t block, int iteration, capture::Verdict v) {
        capture::Tile t;
        t.probe = probe, t.block = block, t.iteration = iteration, t.verdict = v;
        c.tiles.push_back(t);
    };
    add(2, capture::kWholeLaunch, 0, capture::Verdict::bad);
    EXPECT_EQ(first_bad_tile(c), 0);
    add(0, 5, 1, capture::Verdict::bad);
    add(1, 7, 0, capture::Verdict::bad);
    add(1, 3, 0, capture::Verdict::bad);
    add(0, 3, 0, capture::Verdict::ok);
    EXPECT_EQ(first_bad_tile(c), 3);
}

}  // namespace
}  // namespace wl::analysis
