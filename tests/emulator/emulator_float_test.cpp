// Floating point instructions: bit for bit against the host's correctly rounded scalar operations, or within
// the ISA's bound of double-precision functions.
#include "instrumentation/base/dtype.h"
#include "tests/emulator/emulator_elementwise.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace wl::emulator::test {
namespace {

const float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::bit_cast<float>(0x7fc12345u);

std::vector<float> edges() {
    return {
        0.0f,
        -0.0f,
        1.0f,
        -1.0f,
        1.5f,
        kInf,
        -kInf,
        kNan,
        0x1p-149f,
        -0x1p-149f,
        0x1p-126f,
        0x1.fffffep127f,
        0x1.fffffcp-127f,
        3.0f,
        -0x1p-127f,
        0x1.000002p0f};
}
std::vector<float> randoms(size_t count, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<float> v;
    while (v.size() < count) v.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
    return v;
}
struct Pairs {
    std::vector<float> a, b, c;
};
Pairs pairs() {
    Pairs p;
    for (const float x : edges()) {
        for (const float y : edges()) {
            p.a.push_back(x);
            p.b.push_back(y);
        }
    }
    p.c = randoms(p.a.size(), 3);
    const auto x = randoms(4000, 1), y = randoms(4000, 2);
    std::mt19937_64 random(9);
    for (size_t k = 0; k < x.size(); ++k) {
        p.a.push_back(x[k]);
        // Half of the divisors and addends lie near, where rounding and cancellation happen.
        p.b.push_back(k % 2 == 0 ? y[k] : x[k] * (1 + static_cast<float>(random() % 1000) * 1e-6f));
        p.c.push_back(k % 2 == 0 ? -x[k] * y[k] : y[k]);
    }
    return p;
}
uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float canonical(float x) { return x != x ? std::bit_cast<float>(0x7fffffffu) : x; }
float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

struct Mode {
    const char* suffix;
    int rounding;
};
const Mode kModes[] = {
    {"rn", FE_TONEAREST },
    {"rz", FE_TOWARDZERO},
    {"rm", FE_DOWNWARD  },
    {"rp", FE_UPWARD    }
};

// Volatile operands: the host must compute in the rounding mode that is set.
template <class F>
float host(int rounding, F f) {
    std::fesetround(rounding);
    const float r = f();
    std::fesetround(FE_TONEAREST);
    return canonical(r);
}

template <class F>
void expect_binary(const std::string& name, F f) {
    const Pairs p = pairs();
    for (const Mode& mode : kModes) {
        const auto got = apply<float>(name + "." + mode.suffix + ".f32", p.a, p.b);
        for (size_t k = 0; k < got.size(); ++k) {
            volatile float a = p.a[k], b = p.b[k];
            ASSERT_EQ(bits(got[k]), bits(host(mode.rounding, [&] { return f(a, b); })))
                << name << "." << mode.suffix << " of " << p.a[k] << ", " << p.b[k];
        }
    }
}

TEST(EmulatorFloat, SinglePrecisionIsCorrectlyRoundedInFourModes) {
    expect_binary("add", [](volatile float& a, volatile float& b) { return a + b; });
    expect_binary("sub", [](volatile float& a, volatile float& b) { return a - b; });
    expect_binary("mul", [](volatile float& a, volatile float& b) { return a * b; });
    expect_binary("div", [](volatile float& a, volatile float& b) { return a / b; });
}

TEST(EmulatorFloat, FusedMultiplyAddRoundsOnce) {
    const Pairs p = pairs();
    for (const Mode& mode : kModes) {
        const auto got = apply<float>(std::string("fma.") + mode.suffix + ".f32", p.a, p.b, p.c);
        for (size_t k = 0; k < got.size(); ++k) {
            volatile float a = p.a[k], b = p.b[k], c = p.c[k];
            ASSERT_EQ(bits(got[k]), bits(host(mode.rounding, [&] { return std::fma(a, b, c); })))
                << mode.suffix;
        }
    }
}

TEST(EmulatorFloat, RootsAndReciprocalsAreCorrectlyRounded) {
    const auto x = randoms(4000, 5);
    const auto root = apply<float>("sqrt.rn.f32", x), inverse = apply<float>("rcp.rn.f32", x);
    for (size_t k = 0; k < x.size(); ++k) {
        ASSERT_EQ(bits(root[k]), bits(canonical(std::sqrt(x[k]))));
        ASSERT_EQ(bits(inverse[k]), bits(canonical(1 / x[k])));
    }
}

TEST(EmulatorFloat, DoublePrecisionMatchesTheHost) {
    std::vector<double> a, b;
    std::mt19937_64 random(4);
    for (int k = 0; k < 2000; ++k) {
        a.push_back(std::ldexp(static_cast<double>(random()) - 9e18, static_cast<int>(random() % 200) - 100));
        b.push_back(std::ldexp(static_cast<double>(random()) - 9e18, static_cast<int>(random() % 200) - 100));
    }
    const auto sum = apply<double>("add.rn.f64", a, b), quotient = apply<double>("div.rn.f64", a, b);
    const auto fused = apply<double>("fma.rn.f64", a, b, a);
    for (size_t k = 0; k < a.size(); ++k) {
        ASSERT_EQ(sum[k], a[k] + b[k]);
        ASSERT_EQ(quotient[k], a[k] / b[k]);
        ASSERT_EQ(fused[k], std::fma(a[k], b[k], a[k]));
    }
}

TEST(EmulatorFloat, FtzFlushesInputsAndResults) {
    const Pairs p = pairs();
    const auto got = apply<float>("mul.ftz.f32", p.a, p.b);
    for (size_t k = 0; k < got.size(); ++k)
        ASSERT_EQ(bits(got[k]), bits(canonical(flushed(flushed(p.a[k]) * flushed(p.b[k])))));
}

TEST(EmulatorFloat, SaturationClampsToOneAndDropsNan) {
    const std::vector<float> a = {2, -3, kNan, 0.25f}, b = {1, 1, 1, 0.25f};
    EXPECT_EQ(apply<float>("add.sat.f32", a, b), (std::vector<float>{1, 0, 0, 0.5f}));
}

TEST(EmulatorFloat, MinAndMaxPreferNumbersAndOrderZeros) {
    const std::vector<float> a = {kNan, 1, kNan, 0.0f, -0.0f, 2}, b = {1, kNan, kNan, -0.0f, 0.0f, 3};
    const auto max = apply<float>("max.f32", a, b), min = apply<float>("min.f32", a, b);
    const auto max_nan = apply<float>("max.NaN.f32", a, b);
    EXPECT_EQ(max[0], 1);
    EXPECT_EQ(max[1], 1);
    EXPECT_EQ(bits(max[2]), 0x7fffffffu);
    EXPECT_EQ(bits(max[3]), 0u);
    EXPECT_EQ(bits(max[4]), 0u);
    EXPECT_EQ(bits(min[3]), 0x80000000u);
    EXPECT_EQ(bits(min[4]), 0x80000000u);
    EXPECT_EQ(max[5], 3);
    EXPECT_EQ(min[5], 2);
    EXPECT_EQ(bits(max_nan[0]), 0x7fffffffu);
    EXPECT_EQ(max_nan[5], 3);
}

// Distance in units of the last place of the exact result's float.
double ulps(float got, double exact) {
    if (std::isinf(got) && std::abs(exact) >= 0x1.ffffffp127) return 0;
    const double spacing =
        std::max(std::ldexp(1.0, std::ilogb(exact == 0 ? 0x1p-149 : exact) - 23), 0x1p-149);
    return std::abs(static_cast<double>(got) - exact) / spacing;
}

TEST(EmulatorFloat, Ex2StaysWithinTwoUlp) {
    std::vector<float> x;
    for (int k = -20000; k < 20000; ++k) x.push_back(static_cast<float>(k) * 0x1.01p-7f);
    for (const float v : randoms(20000, 8))
        if (std::abs(v) < 200) x.push_back(v);
    const auto got = apply<float>("ex2.approx.f32", x);
    double worst = 0;
    for (size_t k = 0; k < x.size(); ++k)
        worst = std::max(worst, ulps(got[k], std::exp2(static_cast<double>(x[k]))));
    EXPECT_LE(worst, 2);
    const std::vector<float> special = {-kInf, kInf, 0, -0.0f, 1000, -1000, 5};
    EXPECT_EQ(apply<float>("ex2.approx.ftz.f32", special), (std::vector<float>{0, kInf, 1, 1, kInf, 0, 32}));
    EXPECT_EQ(bits(apply<float>("ex2.approx.f32", std::vector<float>{kNan})[0]), 0x7fffffffu);
}

TEST(EmulatorFloat, Lg2StaysWithinItsBound) {
    std::vector<float> x;
    for (const float v : randoms(40000, 6))
        if (v > 0 && v < kInf) x.push_back(v);
    for (int k = 0; k < 4000; ++k) x.push_back(0.5f + static_cast<float>(k) * 0.000375f);
    const auto got = apply<float>("lg2.approx.f32", x);
    for (size_t k = 0; k < x.size(); ++k) {
        const double exact = std::log2(static_cast<double>(x[k]));
        const double scale =
            x[k] >= 0.5f && x[k] <= 2 ? 1 : std::abs(exact);  // ISA: absolute there, else relative
        ASSERT_LE(std::abs(static_cast<double>(got[k]) - exact), 0x1p-22 * scale) << x[k];
    }
    const auto special = apply<float>("lg2.approx.f32", std::vector<float>{0, -1, kInf, -0.0f});
    EXPECT_EQ(special[0], -kInf);
    EXPECT_TRUE(std::isnan(special[1]));
    EXPECT_EQ(special[2], kInf);
    EXPECT_EQ(special[3], -kInf);
}

TEST(EmulatorFloat, SineAndCosineStayWithinTheirBound) {
    std::vector<float> x;
    for (int k = -31416; k <= 31416; ++k) x.push_back(static_cast<float>(k) * 1e-4f);
    const auto sine = apply<float>("sin.approx.f32", x), cosine = apply<float>("cos.approx.f32", x);
    for (size_t k = 0; k < x.size(); ++k) {
        ASSERT_LE(std::abs(sine[k] - std::sin(static_cast<double>(x[k]))), 0x1p-20);
        ASSERT_LE(std::abs(cosine[k] - std::cos(static_cast<double>(x[k]))), 0x1p-20);
    }
}

TEST(EmulatorFloat, TanhStaysWithinItsRelativeBound) {
    std::vector<float> x;
    for (int k = -4000; k <= 4000; ++k) x.push_back(static_cast<float>(k) * 0.0031f);
    const auto got = apply<float>("tanh.approx.f32", x);
    for (size_t k = 0; k < x.size(); ++k) {
        const double exact = std::tanh(static_cast<double>(x[k]));
        ASSERT_LE(std::abs(got[k] - exact), 0x1p-11 * std::abs(exact)) << x[k];
    }
}

double half(uint16_t h) { return to_double(DType::f16, &h); }
uint16_t to_half(double x) {
    uint16_t h = 0;
    from_double(DType::f16, x, &h);
    return x != x ? uint16_t{0x7fff} : h;
}
std::vector<uint16_t> half_randoms(uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<uint16_t> v = {0, 0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7e01, 1, 0x03ff, 0x0400, 0x7bff};
    while (v.size() < 30000) v.push_back(static_cast<uint16_t>(random()));
    return v;
}

TEST(EmulatorFloat, HalfArithmeticRoundsOnce) {
    const auto a = half_randoms(1), b = half_randoms(2), c = half_randoms(3);
    const auto sum = apply<uint16_t>("add.rn.f16", a, b), product = apply<uint16_t>("mul.rn.f16", a, b);
    const auto fused = apply<uint16_t>("fma.rn.f16", a, b, c);
    for (size_t k = 0; k < a.size(); ++k) {
        ASSERT_EQ(sum[k], to_half(half(a[k]) + half(b[k])));
        ASSERT_EQ(product[k], to_half(half(a[k]) * half(b[k])));
        // 80 bits hold the exact sum of a 22-bit product and an 11-bit addend only if they lie within 64 bits
        // of each other; long double is then exact and rounds once.
        const long double exact = static_cast<long double>(half(a[k])) * half(b[k]) + half(c[k]);
        const double nearest = static_cast<double>(exact);
        if (static_cast<long double>(nearest) != exact) continue;
        ASSERT_EQ(fused[k], to_half(nearest)) << half(a[k]) << " * " << half(b[k]) << " + " << half(c[k]);
    }
}

TEST(EmulatorFloat, HalfFmaIsNotRoundedTwice) {
    // 1 + 2^-11 lies halfway between two halves; the tail of the product decides, far below double's last
    // bit.
    const std::vector<uint16_t> a = {to_half(0x1p-12), to_half(0x1p-12)},
                                b = {to_half(0x1p-12), to_half(-0x1p-12)};
    const std::vector<uint16_t> c = {to_half(0x1p0), to_half(1 + 0x1p-10)};
    EXPECT_EQ(
        apply<uint16_t>("fma.rn.f16", a, b, c), (std::vector<uint16_t>{to_half(1), to_half(1 + 0x1p-10)})
    );
}

TEST(EmulatorFloat, PackedHalvesAreTwoHalves) {
    const std::vector<uint32_t> a = {0x3c004000}, b = {0x42003c00}, c = {0x00003c00};
    EXPECT_EQ(apply<uint32_t>("add.rn.f16x2", a, b)[0], 0x44004200u);     // 1+3, 2+1
    EXPECT_EQ(apply<uint32_t>("fma.rn.f16x2", a, b, c)[0], 0x42004200u);  // 1*3+0, 2*1+1
    EXPECT_EQ(apply<uint32_t>("neg.f16x2", a)[0], 0xbc00c000u);
    EXPECT_EQ(apply<uint32_t>("fma.rn.relu.f16x2", std::vector<uint32_t>{0xbc003c00}, b, c)[0], 0x00004000u);
}

TEST(EmulatorFloat, ComparisonsKnowNan) {
    const std::vector<float> a = {1, kNan, 2, kNan}, b = {2, 1, 2, kNan};
    const auto set = [&](const std::string& compare) {
        return apply<uint32_t>("set." + compare + ".u32.f32", a, b);
    };
    EXPECT_EQ(set("lt"), (std::vector<uint32_t>{~0u, 0, 0, 0}));
    EXPECT_EQ(set("ltu"), (std::vector<uint32_t>{~0u, ~0u, 0, ~0u}));
    EXPECT_EQ(set("ne"), (std::vector<uint32_t>{~0u, 0, 0, 0}));
    EXPECT_EQ(set("neu"), (std::vector<uint32_t>{~0u, ~0u, 0, ~0u}));
    EXPECT_EQ(set("equ"), (std::vector<uint32_t>{0, ~0u, ~0u, ~0u}));
    EXPECT_EQ(set("num"), (std::vector<uint32_t>{~0u, 0, ~0u, 0}));
    EXPECT_EQ(set("nan"), (std::vector<uint32_t>{0, ~0u, 0, ~0u}));
}

TEST(EmulatorFloat, PairsAreTwoSingles) {
    for (const char* rounding : {"rn", "rz"})
        for (const char* op : {"add", "sub", "mul", "fma"}) {
            const bool fused = std::string(op) == "fma";
            const std::string name = fmt::format("{}.{}", op, rounding), more = fused ? ", %rd11" : "",
                              third = fused ? ", %f12" : "";
            KernelRun run(
                kernel(
                    load(1, "b64", 8, "%rd10") + load(2, "b64", 8, "%rd11") +
                    fmt::format("{}.f32x2 %rd12, %rd10, %rd11{};\n", name, more) +
                    store(0, "b64", 8, "%rd12") +
                    "mov.b64 {%f10, %f11}, %rd10;\nmov.b64 {%f12, %f13}, %rd11;\n" +
                    fmt::format("{}.f32 %f14, %f10, %f12{};\n", name, third) +
                    fmt::format("{}.f32 %f15, %f11, %f13{};\n", name, fused ? ", %f13" : "") +
                    "mov.b64 %rd12, {%f14, %f15};\n" + store(3, "b64", 8, "%rd12")
                ),
                64
            );
            std::vector<float> a = randoms(128, 5), b = randoms(128, 6);
            const std::vector<float> special = edges();
            std::copy(special.begin(), special.end(), a.begin());
            run.out<uint64_t>("pairs", 64).in("a", a).in("b", b).out<uint64_t>("singles", 64).go();
            EXPECT_EQ(run.get<uint64_t>("pairs"), run.get<uint64_t>("singles")) << name;
        }
}

}  // namespace
}  // namespace wl::emulator::test
