// Conversion, rounding and distance of every element format, exhaustively where 16 bits or fewer allow it.
#include "instrumentation/base/dtype.h"

#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace wl {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kSmallFloats = {DType::f16, DType::bf16, DType::e4m3, DType::e5m2};
constexpr std::array kAll = {
    DType::u8,
    DType::s8,
    DType::u16,
    DType::s16,
    DType::u32,
    DType::s32,
    DType::u64,
    DType::s64,
    DType::f16,
    DType::bf16,
    DType::f32,
    DType::f64,
    DType::e4m3,
    DType::e5m2,
    DType::tf32};

uint64_t encoded(DType t, double value) {
    uint64_t element = 0;
    from_double(t, value, &element);
    return bits_of(t, &element);
}

double decoded(DType t, uint64_t bits) { return to_double(t, &bits); }

uint64_t patterns(DType t) { return uint64_t{1} << (8 * size_of(t)); }

TEST(DType, NamesAreInvertible) {
    for (const DType t : kAll) EXPECT_EQ(dtype_from_name(name_of(t)), t);
    EXPECT_EQ(dtype_from_name("f12"), std::nullopt);
}

TEST(DType, NumpyCarriersHaveTheElementSize) {
    for (const DType t : kAll)
        EXPECT_EQ(static_cast<size_t>(numpy_of(t).back() - '0'), size_of(t)) << name_of(t);
    EXPECT_EQ(numpy_of(DType::bf16), "<u2");
    EXPECT_EQ(numpy_of(DType::f16), "<f2");
}

TEST(DType, KnownPatternsMeanKnownValues) {
    EXPECT_EQ(decoded(DType::f16, 0x3c00), 1.0);
    EXPECT_EQ(decoded(DType::f16, 0x7bff), 65504.0);
    EXPECT_EQ(decoded(DType::f16, 0x0001), 0x1p-24);
    EXPECT_EQ(decoded(DType::f16, 0xfc00), -kInfinity);
    EXPECT_EQ(decoded(DType::bf16, 0x4049), 3.140625);
    EXPECT_EQ(decoded(DType::bf16, 0x0001), 0x1p-133);
    EXPECT_EQ(decoded(DType::e4m3, 0x7e), 448.0);
    EXPECT_TRUE(std::isnan(decoded(DType::e4m3, 0x7f)));
    EXPECT_EQ(decoded(DType::e4m3, 0x01), 0x1p-9);
    EXPECT_EQ(decoded(DType::e5m2, 0x7b), 57344.0);
    EXPECT_EQ(decoded(DType::e5m2, 0x7c), kInfinity);
    EXPECT_EQ(decoded(DType::e5m2, 0x01), 0x1p-16);
    EXPECT_EQ(decoded(DType::tf32, 0x3f802000), 1.0 + 0x1p-10);
    EXPECT_EQ(decoded(DType::tf32, 0x3f801fff), 1.0) << "the 13 low bits are no part of a tf32";
    EXPECT_EQ(decoded(DType::s8, 0x80), -128.0);
    EXPECT_EQ(decoded(DType::u8, 0x80), 128.0);
    EXPECT_EQ(decoded(DType::s64, ~uint64_t{0}), -1.0);
}

TEST(DType, EveryPatternSurvivesARoundTrip) {
    for (const DType t : kSmallFloats) {
        for (uint64_t bits = 0; bits < patterns(t); ++bits) {
            const double value = decoded(t, bits);
            if (std::isnan(value)) {
                EXPECT_TRUE(std::isnan(decoded(t, encoded(t, value)))) << name_of(t) << " " << bits;
            } else if (std::isinf(value) && t == DType::e5m2) {
                EXPECT_EQ(encoded(t, value), bits - 1) << "conversion to e5m2 saturates";
            } else {
                EXPECT_EQ(encoded(t, value), bits) << name_of(t);
            }
        }
    }
}

// Between neighbours a < b: just below the midpoint gives a, just above gives b, the midpoint the even one.
TEST(DType, MidpointsRoundToEven) {
    for (const DType t : kSmallFloats) {
        for (uint64_t bits = 0; bits + 1 < patterns(t) / 2; ++bits) {
            const double a = decoded(t, bits), b = decoded(t, bits + 1);
            if (!std::isfinite(a) || !std::isfinite(b)) continue;
            const double middle = (a + b) / 2;
            const uint64_t even = bits % 2 == 0 ? bits : bits + 1, sign = patterns(t) / 2;
            ASSERT_EQ(encoded(t, middle), even) << name_of(t) << " " << bits;
            ASSERT_EQ(encoded(t, -middle), even | sign) << name_of(t) << " " << bits;
            ASSERT_EQ(encoded(t, std::nextafter(middle, -kInfinity)), bits) << name_of(t);
            ASSERT_EQ(encoded(t, std::nextafter(middle, kInfinity)), bits + 1) << name_of(t);
        }
    }
}

TEST(DType, OverflowIsInfinityOrTheLargestValue) {
    EXPECT_EQ(encoded(DType::f16, 65519.99), 0x7bffu);
    EXPECT_EQ(encoded(DType::f16, 65520.0), 0x7c00u);
    EXPECT_EQ(encoded(DType::f16, -1e300), 0xfc00u);
    EXPECT_EQ(encoded(DType::bf16, 3.4e38), 0x7f80u);
    EXPECT_EQ(encoded(DType::e4m3, 1e9), 0x7eu);
    EXPECT_EQ(encoded(DType::e4m3, -kInfinity), 0xfeu);
    EXPECT_EQ(encoded(DType::e5m2, 1e9), 0x7bu);
}

TEST(DType, SinglePrecisionIsWhatTheMachineRoundsTo) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 200'000; ++i) {
        const auto value = std::bit_cast<double>(random() << 2 >> 2 | uint64_t{0x3000} << 48);
        EXPECT_EQ(encoded(DType::f32, value), std::bit_cast<uint32_t>(static_cast<float>(value)));
        EXPECT_EQ(encoded(DType::f64, value), std::bit_cast<uint64_t>(value));
    }
    for (const double value : {0.0, -0.0, 1e-45, 0x1p-150, 0x1.8p-149, 0x1.fffffffp127, 1e39, -5e-324})
        EXPECT_EQ(encoded(DType::f32, value), std::bit_cast<uint32_t>(static_cast<float>(value))) << value;
}

TEST(DType, Tf32KeepsTenBitsAndClearsTheRest) {
    EXPECT_EQ(encoded(DType::tf32, 1.0 + 0x1p-11), 0x3f80'0000u);
    EXPECT_EQ(encoded(DType::tf32, 1.0 + 0x1p-10 + 0x1p-11), 0x3f80'4000u);
    EXPECT_EQ(encoded(DType::tf32, kInfinity), 0x7f80'0000u);
}

TEST(DType, IntegersRoundAndClamp) {
    EXPECT_EQ(encoded(DType::u8, -3.0), 0u);
    EXPECT_EQ(encoded(DType::u8, 300.0), 255u);
    EXPECT_EQ(encoded(DType::s8, -300.0), 0x80u);
    EXPECT_EQ(encoded(DType::s16, 2.5), 2u);
    EXPECT_EQ(encoded(DType::s32, -1.0), 0xffff'ffffu);
    EXPECT_EQ(encoded(DType::s32, std::nan("")), 0u);
    EXPECT_EQ(encoded(DType::u64, 1e30), ~uint64_t{0});
    EXPECT_EQ(encoded(DType::s64, -1e30), uint64_t{1} << 63);
}

TEST(DType, RoundoffIsHalfTheStepAfterOne) {
    EXPECT_EQ(unit_roundoff(DType::f16), 0x1p-11);
    EXPECT_EQ(unit_roundoff(DType::bf16), 0x1p-8);
    EXPECT_EQ(unit_roundoff(DType::f32), 0x1p-24);
    EXPECT_EQ(unit_roundoff(DType::f64), 0x1p-53);
    EXPECT_EQ(unit_roundoff(DType::s32), 0.0);
    for (const DType t : kSmallFloats)
        EXPECT_EQ(unit_roundoff(t), (decoded(t, encoded(t, 1.0) + 1) - 1.0) / 2) << name_of(t);
}

TEST(DType, TheSmallestSubnormalIsPatternOne) {
    for (const DType t : kSmallFloats) EXPECT_EQ(smallest_subnormal(t), decoded(t, 1)) << name_of(t);
    EXPECT_EQ(smallest_subnormal(DType::f32), static_cast<double>(std::numeric_limits<float>::denorm_min()));
    EXPECT_EQ(smallest_subnormal(DType::f64), std::numeric_limits<double>::denorm_min());
}

TEST(DType, UlpDistanceCountsRepresentableSteps) {
    EXPECT_EQ(ulp_distance(DType::f16, 1.0, 1.0 + 0x1p-10), 1u);
    EXPECT_EQ(ulp_distance(DType::f16, 2.0, 2.0 - 0x1p-10), 1u) << "the step is smaller below a power of two";
    EXPECT_EQ(ulp_distance(DType::f16, 0.0, -0.0), 0u);
    EXPECT_EQ(ulp_distance(DType::f16, -0x1p-24, 0x1p-24), 2u) << "across zero";
    EXPECT_EQ(ulp_distance(DType::f16, 1.0, 1.0 + 0x1p-13), 0u) << "both round to 1";
    EXPECT_EQ(ulp_distance(DType::f16, 65504.0, kInfinity), 1u);
    EXPECT_EQ(ulp_distance(DType::f32, 1.0, 2.0), uint64_t{1} << 23);
    EXPECT_EQ(ulp_distance(DType::f64, -kInfinity, kInfinity), uint64_t{2} * 0x7ff0'0000'0000'0000);
    EXPECT_EQ(ulp_distance(DType::s32, -2.0, 3.0), 5u);
    EXPECT_EQ(ulp_distance(DType::u64, 0.0, 1e30), ~uint64_t{0});
    EXPECT_EQ(ulp_distance(DType::f32, 1.0, std::nan("")), std::nullopt);
}

TEST(DType, UlpDistanceOfNeighboursIsOneEverywhere) {
    for (const DType t : kSmallFloats) {
        for (uint64_t bits = 0; bits + 1 < patterns(t) / 2; ++bits) {
            const double a = decoded(t, bits), b = decoded(t, bits + 1);
            if (std::isfinite(a) && std::isfinite(b)) {
                ASSERT_EQ(ulp_distance(t, a, b), 1u);
                ASSERT_EQ(ulp_distance(t, -b, -a), 1u);
            }
        }
    }
}

}  // namespace
}  // namespace wl
