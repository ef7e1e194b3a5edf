// Weights and sums of linear filtering: what an H200 makes of inputs whose exact result lies between two.
#include "instrumentation/emulator/exec/memory/texture_filter.h"

#include <bit>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace wl::emulator {
namespace {

using Weights = std::array<int, 8>;

Weights weights(int x, int y, int z) {
    const std::array<Footprint, 3> axes{
        {{0, x}, {0, y}, {0, z}}
    };
    return corner_weights(axes);
}

// Exactly 12.5, 187.5, 3.5, 52.5; and 52.10, 9.65, 76.15, ...
TEST(TextureFilter, WeightsAreWholeAndSplitOneAxisAfterTheOther) {
    EXPECT_EQ(weights(240, 56, 0), (Weights{13, 187, 3, 53, 0, 0, 0, 0}));
    EXPECT_EQ(weights(224, 160, 32), (Weights{11, 73, 17, 123, 2, 10, 2, 18})) << "halves go to both sides";
    EXPECT_EQ(weights(152, 88, 88), (Weights{45, 66, 23, 34, 24, 34, 12, 18}))
        << "of the upper y only 87 is left, as each slice is split by itself";
    EXPECT_EQ(weights(72, 96, 208), (Weights{21, 9, 13, 5, 93, 37, 56, 22}));
}

TEST(TextureFilter, WeightsOfAPlaneKeepTheirSums) {
    for (int x = 0; x < 256; ++x)
        for (int y = 0; y < 256; ++y) {
            const Weights w = weights(x, y, 0);
            ASSERT_EQ(w[1] + w[3], x);
            ASSERT_EQ(w[2] + w[3], y);
            ASSERT_EQ(std::accumulate(w.begin(), w.end(), 0), 256);
        }
}

float blend(DType dtype, uint32_t low, uint32_t high, int weight) {
    Blend b;
    b.values = {low, high};
    b.weights = {256 - weight, weight};
    return std::bit_cast<float>(blended(dtype, b));
}
uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
uint32_t negative(int x) { return static_cast<uint32_t>(-x); }

TEST(TextureFilter, IntegersReadAsNumbersBecomeSixteenBits) {
    EXPECT_EQ(blend(DType::u8, 255, 255, 100), 1.0f);
    EXPECT_EQ(blend(DType::u16, 75, 76, 128), 76.0f / 65535) << "75.5";
    EXPECT_EQ(blend(DType::s16, negative(75), negative(76), 128), -75.0f / 32767) << "-75.5";
    EXPECT_EQ(blend(DType::s8, 127, 127, 3), 1.0f);
    EXPECT_EQ(blend(DType::s8, negative(128), negative(128), 3), -1.0f);
    EXPECT_EQ(blend(DType::s8, negative(81), negative(26), 56), -17795.0f / 32767) << "-17794.48";
    EXPECT_EQ(blend(DType::s8, 114, 87, 200), 23970.0f / 32767) << "23970.54";
    EXPECT_EQ(blend(DType::s8, 9, 32, 256), 32 * 258 / 32767.0f);
    EXPECT_EQ(blend(DType::s8, negative(64), 0, 0), -16512.0f / 32767) << "-16512.504";
}

TEST(TextureFilter, HalvesAreRoundedToHalvesATieAwayFromZero) {
    EXPECT_EQ(blend(DType::f16, bits(-73.625f), bits(-73.6875f), 128), -73.6875f);
    EXPECT_EQ(blend(DType::f16, bits(73.6875f), bits(73.75f), 128), 73.75f);
    EXPECT_EQ(blend(DType::f16, bits(1), bits(1.0f + 1.0f / 1024), 127), 1.0f);
}

TEST(TextureFilter, FloatsAreAlignedToTheLargestOfTheirSliceAndCutOff) {
    EXPECT_EQ(bits(blend(DType::f32, bits(1.3417042f), bits(-1.0785438f), 84)), 0x3f0c2cebu)
        << "a tie goes away from zero";
    EXPECT_EQ(bits(blend(DType::f32, bits(-12.702885f), bits(-0.00038551935f), 253)), 0xbe18d320u)
        << "exactly 3.6 in the last place more";
    Blend slices;
    slices.values = {bits(-218947.17f), 0, 0, 0, bits(-0.030766305f)};
    slices.weights = {18, 0, 0, 0, 238};
    EXPECT_EQ(blended(DType::f32, slices), 0xc6708b02u) << "the second slice keeps its own bits";
}

TEST(TextureFilter, SpecialTexelsCountByTheirWeights) {
    constexpr uint32_t kNan = 0x7fc00001, kInfinity = 0x7f800000, kSubnormal = 0x807fffff;
    EXPECT_EQ(blend(DType::f32, bits(2.5f), kNan, 0), 2.5f);
    EXPECT_EQ(bits(blend(DType::f32, bits(2.5f), kNan, 1)), 0x7fffffffu);
    EXPECT_EQ(bits(blend(DType::f16, bits(2.5f), kNan, 1)), 0x7fffe000u);
    EXPECT_EQ(bits(blend(DType::f32, bits(2.5f), kInfinity, 1)), kInfinity);
    EXPECT_EQ(
        bits(blend(DType::f32, bits(-std::numeric_limits<float>::infinity()), kInfinity, 1)), 0x7fffffffu
    );
    EXPECT_EQ(bits(blend(DType::f32, kSubnormal, kSubnormal, 7)), 0x80000000u);
    EXPECT_EQ(bits(blend(DType::f32, kSubnormal, bits(0.0f), 7)), 0u);
    EXPECT_EQ(blend(DType::f16, bits(0x1p-24f), bits(0x1p-24f), 7), 0x1p-24f);
}

}  // namespace
}  // namespace wl::emulator
