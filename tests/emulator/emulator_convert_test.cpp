// cvt: every rounding and saturation against exact values.
#include "instrumentation/base/dtype.h"
#include "tests/emulator/emulator_elementwise.h"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace wl::emulator::test {
namespace {

const float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(EmulatorConvert, EveryHalfBecomesItsFloat) {
    std::vector<uint16_t> all(65536);
    for (size_t k = 0; k < all.size(); ++k) all[k] = static_cast<uint16_t>(k);
    const auto got = apply<float>("cvt.f32.f16", all);
    for (size_t k = 0; k < all.size(); ++k) {
        const double exact = to_double(DType::f16, &all[k]);
        if (exact != exact)
            ASSERT_TRUE(std::isnan(got[k]));
        else
            ASSERT_EQ(static_cast<double>(got[k]), exact);
    }
}

// The neighbours of x among halves decide what each direction must give.
void expect_rounded(float x, double rn, double rz, double rm, double rp) {
    uint16_t nearest_bits = 0;
    from_double(DType::f16, x, &nearest_bits);
    EXPECT_EQ(rn, to_double(DType::f16, &nearest_bits)) << x;
    EXPECT_EQ(rz, x < 0 ? rp : rm) << x;
    EXPECT_LE(rm, x);
    EXPECT_GE(rp, x);
    EXPECT_TRUE(rn == rm || rn == rp);
}
double value(uint16_t h) { return to_double(DType::f16, &h); }

TEST(EmulatorConvert, FloatToHalfInFourRoundings) {
    std::mt19937_64 random(1);
    std::vector<float> x = {
        65504, 65519, 65520, 1e6f, -1e6f, 0x1p-24f, 0x1p-25f, 0x1.8p-25f, -0x1p-30f, 1 + 0x1p-11f};
    for (int k = 0; k < 5000; ++k)
        x.push_back(
            std::ldexp(static_cast<float>(random() % 20000) - 10000, static_cast<int>(random() % 30) - 30)
        );
    const auto rn = apply<uint16_t>("cvt.rn.f16.f32", x), rz = apply<uint16_t>("cvt.rz.f16.f32", x);
    const auto rm = apply<uint16_t>("cvt.rm.f16.f32", x), rp = apply<uint16_t>("cvt.rp.f16.f32", x);
    for (size_t k = 0; k < x.size(); ++k)
        expect_rounded(x[k], value(rn[k]), value(rz[k]), value(rm[k]), value(rp[k]));
    EXPECT_EQ(apply<uint16_t>("cvt.rn.f16.f32", std::vector<float>{kNan})[0], 0x7fff);
}

TEST(EmulatorConvert, TwoFloatsPackIntoHalvesFirstOneHigh) {
    const std::vector<float> a = {1}, b = {2};
    EXPECT_EQ(apply<uint32_t>("cvt.rn.f16x2.f32", a, b)[0], 0x3c004000u);
    EXPECT_EQ(apply<uint32_t>("cvt.rn.bf16x2.f32", a, b)[0], 0x3f804000u);
}

TEST(EmulatorConvert, BrainFloatRoundsToNearestEven) {
    std::mt19937_64 random(2);
    std::vector<float> x;
    while (x.size() < 4000) {
        const float v = std::bit_cast<float>(static_cast<uint32_t>(random()));
        if (v == v) x.push_back(v);
    }
    const auto got = apply<uint16_t>("cvt.rn.bf16.f32", x);
    for (size_t k = 0; k < x.size(); ++k) {
        uint16_t expected = 0;
        from_double(DType::bf16, x[k], &expected);
        ASSERT_EQ(got[k], expected) << x[k];
    }
}

TEST(EmulatorConvert, FloatToIntegerRoundsSaturatesAndDropsNan) {
    const std::vector<float> x = {2.5f, -2.5f, 3.5f, -0.7f, 3e9f, -3e9f, kInf, -kInf, kNan};
    const auto convert = [&](const char* mode) {
        return apply<int32_t>(std::string("cvt.") + mode + ".s32.f32", x);
    };
    const int32_t big = INT32_MAX, small = INT32_MIN;
    EXPECT_EQ(convert("rni"), (std::vector<int32_t>{2, -2, 4, -1, big, small, big, small, 0}));
    EXPECT_EQ(convert("rzi"), (std::vector<int32_t>{2, -2, 3, 0, big, small, big, small, 0}));
    EXPECT_EQ(convert("rmi"), (std::vector<int32_t>{2, -3, 3, -1, big, small, big, small, 0}));
    EXPECT_EQ(convert("rpi"), (std::vector<int32_t>{3, -2, 4, 0, big, small, big, small, 0}));
    EXPECT_EQ(apply<uint32_t>("cvt.rzi.u32.f32", x)[4], 3000000000u);
    EXPECT_EQ(apply<uint32_t>("cvt.rzi.u32.f32", x)[5], 0u);
    EXPECT_EQ(apply<int64_t>("cvt.rzi.s64.f32", x)[8], INT64_MIN);  // ISA: a 64-bit type and NaN
}

TEST(EmulatorConvert, IntegersToFloatsRoundInTheStatedDirection) {
    const std::vector<int32_t> x = {16777217, -16777217, 5, INT32_MAX};
    EXPECT_EQ(apply<float>("cvt.rn.f32.s32", x), (std::vector<float>{16777216, -16777216, 5, 2147483648.0f}));
    EXPECT_EQ(apply<float>("cvt.rz.f32.s32", x), (std::vector<float>{16777216, -16777216, 5, 2147483520.0f}));
    EXPECT_EQ(apply<float>("cvt.rp.f32.s32", x), (std::vector<float>{16777218, -16777216, 5, 2147483648.0f}));
    EXPECT_EQ(apply<float>("cvt.rm.f32.s32", x), (std::vector<float>{16777216, -16777218, 5, 2147483520.0f}));
    const std::vector<uint64_t> wide = {(uint64_t{1} << 53) + 1, ~uint64_t{0}};
    EXPECT_EQ(apply<double>("cvt.rn.f64.u64", wide), (std::vector<double>{0x1p53, 0x1p64}));
    EXPECT_EQ(apply<double>("cvt.rp.f64.u64", wide)[0], 0x1p53 + 2);
    EXPECT_EQ(apply<double>("cvt.rz.f64.u64", wide)[1], 0x1.fffffffffffffp63);
}

TEST(EmulatorConvert, IntegersChangeWidthAndSaturate) {
    const std::vector<int32_t> x = {-1, 300, -200, 70000};
    EXPECT_EQ(apply<int64_t>("cvt.s64.s32", x), (std::vector<int64_t>{-1, 300, -200, 70000}));
    EXPECT_EQ(apply<uint64_t>("cvt.u64.u32", x)[0], 0xffffffffu);
    EXPECT_EQ(apply<uint16_t>("cvt.u16.u32", x)[3], 70000 - 65536);
    EXPECT_EQ(apply<int32_t>("cvt.s32.s8", x), (std::vector<int32_t>{-1, 44, 56, 112}));
    EXPECT_EQ(apply<int32_t>("cvt.sat.s8.s32", x), (std::vector<int32_t>{-1, 127, -128, 127}));
    EXPECT_EQ(apply<int32_t>("cvt.sat.u8.s32", x), (std::vector<int32_t>{0, 255, 0, 255}));
}

TEST(EmulatorConvert, FloatToFloatRoundsToIntegralValues) {
    const std::vector<float> x = {2.5f, -2.5f, 0.3f, -0.3f};
    EXPECT_EQ(apply<float>("cvt.rni.f32.f32", x), (std::vector<float>{2, -2, 0, -0.0f}));
    EXPECT_EQ(apply<float>("cvt.rpi.f32.f32", x), (std::vector<float>{3, -2, 1, -0.0f}));
    EXPECT_EQ(apply<float>("cvt.sat.f32.f32", x), (std::vector<float>{1, 0, 0.3f, 0}));
}

TEST(EmulatorConvert, DoubleToSingleRoundsOnceInEveryDirection) {
    const std::vector<double> x = {1 + 0x1p-24, 1 + 0x1.8p-24, -1 - 0x1p-30, 1e300, 1e-60};
    EXPECT_EQ(apply<float>("cvt.rn.f32.f64", x), (std::vector<float>{1, 1 + 0x1p-23f, -1, kInf, 0}));
    EXPECT_EQ(apply<float>("cvt.rz.f32.f64", x), (std::vector<float>{1, 1, -1, 0x1.fffffep127f, 0}));
    EXPECT_EQ(
        apply<float>("cvt.rp.f32.f64", x),
        (std::vector<float>{1 + 0x1p-23f, 1 + 0x1p-23f, -1, kInf, 0x1p-149f})
    );
    EXPECT_EQ(
        apply<float>("cvt.rm.f32.f64", x), (std::vector<float>{1, 1, -1 - 0x1p-23f, 0x1.fffffep127f, 0})
    );
}

TEST(EmulatorConvert, PackClampsTwoIntegersBelowTheLowBitsOfAThird) {
    const std::vector<int32_t> a = {5, -200, 300, -1}, b = {-7, 200, -300, 0};
    const std::vector<int32_t> c(4, 0x11223344);
    EXPECT_EQ(
        apply<uint32_t>("cvt.pack.sat.s8.s32.b32", a, b, c),
        (std::vector<uint32_t>{0x334405f9, 0x3344807f, 0x33447f80, 0x3344ff00})
    );
    EXPECT_EQ(
        apply<uint32_t>("cvt.pack.sat.u4.s32.b32", a, b, c),
        (std::vector<uint32_t>{0x22334450, 0x2233440f, 0x223344f0, 0x22334400})
    );
    EXPECT_EQ(
        apply<uint32_t>("cvt.pack.sat.s16.s32", a, b),
        (std::vector<uint32_t>{0x0005fff9, 0xff3800c8, 0x012cfed4, 0xffff0000})
    );
}

// e4m3: 1 is 0x38, 448 is the largest, 2^-9 the smallest; e5m2 is the upper byte of an f16.
TEST(EmulatorConvert, EightBitFloatsSaturateAndComeInPairs) {
    const std::vector<float> high = {1, 1e9f, -0x1p-9f, NAN}, low = {1.0625f, -kInf, 0x1p-10f, -2};
    EXPECT_EQ(
        apply<uint16_t>("cvt.rn.satfinite.e4m3x2.f32", high, low),
        (std::vector<uint16_t>{0x3838, 0x7efe, 0x8100, 0x7fc0})
    );
    EXPECT_EQ(apply<uint16_t>("cvt.rn.satfinite.relu.e4m3x2.f32", high, low)[2], 0x0000);
    EXPECT_EQ(apply<uint16_t>("cvt.rn.satfinite.e5m2x2.f32", high, low)[1], 0x7bfb);
    EXPECT_EQ(
        apply<uint32_t>("cvt.rn.f16x2.e4m3x2", std::vector<uint16_t>{0x3801, 0x7ffe}),
        (std::vector<uint32_t>{0x3c001800, 0x7fffdf00})
    );
}

TEST(EmulatorConvert, MovSplitsAndJoinsRegisters) {
    KernelRun run(
        kernel("mov.u32 %r10, 0x11223344;\nmov.b32 {%h1, %h2}, %r10;\nmov.b32 %r11, {%h2, %h1};\n"
               "mov.b64 %rd10, {%r10, %r11};\nst.global.u64 [%rd0], %rd10;\nmov.b64 {%r12, _}, %rd10;\n"
               "st.global.u32 [%rd0+8], %r12;\n"),
        1
    );
    run.out<uint32_t>("d", 3).go();
    EXPECT_EQ(run.get<uint32_t>("d"), (std::vector<uint32_t>{0x11223344, 0x33441122, 0x11223344}));
}

}  // namespace
}  // namespace wl::emulator::test
