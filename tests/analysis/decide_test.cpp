// Which limit decides, and what it allows.
#include "instrumentation/analysis/decide.h"

#include "instrumentation/analysis/bounds.h"
#include "instrumentation/analysis/diff.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace wl::analysis {
namespace {

Tensor tensor_of(const std::string& name, const std::vector<int64_t>& shape, const std::vector<double>& v) {
    Tensor t{name, DType::f64, shape, std::vector<std::byte>(v.size() * sizeof(double))};
    std::memcpy(t.bytes.data(), v.data(), t.bytes.size());
    return t;
}

std::vector<std::byte> f32_bytes(float value) {
    std::vector<std::byte> out(sizeof value);
    std::memcpy(out.data(), &value, sizeof value);
    return out;
}

// One sum of n terms, with the sum of their absolute values.
ReferenceTile sum_of(double n, double value, double scale) {
    return tensor_reference(
               "sum.py",
               {
                   tensor_of("y", {1    },
                    {value}
                    ), tensor_of("y.scale", {1    },
                    {scale}
                    )
    },
               {{"y", n}}
    ).tile({"y", {0}, 1, 1});
}

TEST(Decide, TheWorstCaseDecidesWhileItIsTight) {
    ReferenceTile t = sum_of(100, 50, 100);
    const capture::Compared c = decide(DType::f32, {}, t);
    EXPECT_EQ(c.limit, capture::Limit::worst_case);
    EXPECT_DOUBLE_EQ(c.typical, 50);
    EXPECT_NEAR(c.share, 102 * kU32 * 100 / 50, 1e-9);
    EXPECT_TRUE(decides(c));
}

TEST(Decide, FromOnePercentOnTheProbableLimitDecides) {
    ReferenceTile t = sum_of(4e6, 2e6, 2e6);
    const capture::Compared c = decide(DType::f32, {}, t);
    EXPECT_EQ(c.limit, capture::Limit::probable);
    const double lambda = probable_lambda(4e6);
    // The chance that any of 4e6 roundings counts, by Higham and Mary.
    EXPECT_LE(2 * 4e6 * std::exp(-lambda * lambda * (1 - kU32) * (1 - kU32) / 2), capture::kFailure * 1.0001);
    EXPECT_NEAR(c.probable, (std::expm1(lambda * 2000 * kU32 + 4e6 * kU32 * kU32) + 2 * kU32) * 2e6, 1);
    EXPECT_FLOAT_EQ(t.bound(0, 0), static_cast<float>(c.probable));
    EXPECT_TRUE(decides(c));
    ReferenceTile cancelled = sum_of(4e6, 100, 2e6);
    EXPECT_FALSE(decides(decide(DType::f32, {}, cancelled)));
}

TEST(Decide, RoundingsThatGoOneWayLieOutsideTheProbableLimit) {
    const int n = 4'000'000;
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += 0.1F;
    const double value = n * double{0.1F}, error = std::fabs(double{sum} - value);
    ReferenceTile t = sum_of(n, value, value);
    const capture::Compared c = decide(DType::f32, {}, t);
    EXPECT_GT(error, c.probable);
    EXPECT_LT(error, c.worst_case);
}

TEST(Decide, TilesKeepTheirWorstCase) {
    const ReferenceTile t = sum_of(4e6, 2e6, 2e6);
    const Comparison c = compare(DType::f32, f32_bytes(2e6F * 1.1F), t);
    EXPECT_EQ(c.bad, 0) << "10 % off, where 24 % are allowed";
    ReferenceTile output = t;
    decide(DType::f32, {}, output);
    EXPECT_EQ(compare(DType::f32, f32_bytes(2e6F * 1.1F), output).bad, 1);
}

TEST(Decide, AFewZerosAndOneLargeElementLeaveTheTypicalSizeAsItIs) {
    ReferenceTile t = tensor_reference("t.py", {tensor_of("y", {8}, {0, 0, 0, 2, 2, 3, 3, 1e9})}, {})
                          .tile({"y", {0}, 1, 8});
    EXPECT_DOUBLE_EQ(decide(DType::f32, {}, t).typical, 3);
}

TEST(Decide, AToleranceIsAddedToWhatIsRelative) {
    ReferenceTile t = tensor_reference("t.py", {tensor_of("y", {2}, {-10, 100})}, {}).tile({"y", {0}, 1, 2});
    const capture::Compared c = decide(DType::f32, {0.5, 0.01}, t);
    EXPECT_EQ(c.limit, capture::Limit::tolerance);
    EXPECT_FLOAT_EQ(t.bound(0, 0), 0.6F);
    EXPECT_FLOAT_EQ(t.bound(0, 1), 1.5F);
}

}  // namespace
}  // namespace wl::analysis
