// Integer, bit and logic instructions, bit for bit against 128-bit arithmetic and bit-by-bit definitions.
#include "tests/emulator/emulator_elementwise.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace wl::emulator::test {
namespace {

__extension__ using Wide = __int128;

// Random values, and every pair of the edges.
template <class T>
std::array<std::vector<T>, 3> inputs() {
    const std::vector<T> edges = {
        0,
        1,
        2,
        static_cast<T>(-1),
        static_cast<T>(-2),
        std::numeric_limits<T>::min(),
        std::numeric_limits<T>::max(),
        7};
    std::array<std::vector<T>, 3> in;
    std::mt19937_64 random(sizeof(T));
    for (const T a : edges) {
        for (const T b : edges) {
            in[0].push_back(a);
            in[1].push_back(b);
            in[2].push_back(static_cast<T>(random()));
        }
    }
    for (int k = 0; k < 1000; ++k)
        for (auto& v : in) v.push_back(static_cast<T>(random() >> (random() % 64)));
    return in;
}

template <class T, class F>
void expect_binary(const std::string& op, F reference) {
    const auto in = inputs<T>();
    using D = decltype(reference(in[0][0], in[1][0]));
    const auto got = apply<D>(op, in[0], in[1]);
    for (size_t k = 0; k < got.size(); ++k)
        ASSERT_EQ(got[k], reference(in[0][k], in[1][k])) << op << " of " << +in[0][k] << ", " << +in[1][k];
}
template <class T, class F>
void expect_ternary(const std::string& op, F reference) {
    const auto in = inputs<T>();
    const auto got = apply<T>(op, in[0], in[1], in[2]);
    for (size_t k = 0; k < got.size(); ++k)
        ASSERT_EQ(got[k], reference(in[0][k], in[1][k], in[2][k]))
            << op << " " << +in[0][k] << ", " << +in[1][k];
}

template <class T>
void expect_arithmetic(const std::string& type) {
    const auto clamp = [](Wide v) {
        return static_cast<T>(
            std::clamp<Wide>(v, std::numeric_limits<T>::min(), std::numeric_limits<T>::max())
        );
    };
    expect_binary<T>("add." + type, [](T a, T b) { return static_cast<T>(Wide(a) + b); });
    expect_binary<T>("sub." + type, [](T a, T b) { return static_cast<T>(Wide(a) - b); });
    expect_binary<T>("mul.lo." + type, [](T a, T b) { return static_cast<T>(Wide(a) * Wide(b)); });
    expect_binary<T>("mul.hi." + type, [](T a, T b) {
        return static_cast<T>(Wide(a) * Wide(b) >> (8 * sizeof(T)));
    });
    expect_ternary<T>("mad.lo." + type, [](T a, T b, T c) { return static_cast<T>(Wide(a) * Wide(b) + c); });
    expect_binary<T>("min." + type, [](T a, T b) { return std::min(a, b); });
    expect_binary<T>("max." + type, [](T a, T b) { return std::max(a, b); });
    expect_ternary<T>("sad." + type, [](T a, T b, T c) {
        return static_cast<T>(c + (a < b ? Wide(b) - a : Wide(a) - b));
    });
    expect_binary<T>("div." + type, [&](T a, T b) {
        return b == 0 ? static_cast<T>(-1) : Wide(a) / b == Wide(clamp(Wide(a) / b)) ? clamp(Wide(a) / b) : a;
    });
    expect_binary<T>("rem." + type, [](T a, T b) {
        return b == 0 ? static_cast<T>(-1) : static_cast<T>(Wide(a) % b);
    });
}

TEST(EmulatorInteger, ArithmeticWrapsInEveryWidth) {
    expect_arithmetic<uint16_t>("u16");
    expect_arithmetic<int16_t>("s16");
    expect_arithmetic<uint32_t>("u32");
    expect_arithmetic<int32_t>("s32");
    expect_arithmetic<int64_t>("s64");
}

TEST(EmulatorInteger, UnsignedHighProductOf64Bits) {
    __extension__ using UWide = unsigned __int128;
    expect_binary<uint64_t>("mul.hi.u64", [](uint64_t a, uint64_t b) {
        return static_cast<uint64_t>(UWide(a) * b >> 64);
    });
    expect_binary<uint64_t>("div.u64", [](uint64_t a, uint64_t b) { return b == 0 ? ~uint64_t{0} : a / b; });
}

TEST(EmulatorInteger, WideProductsKeepAllBits) {
    expect_binary<int32_t>("mul.wide.s32", [](int32_t a, int32_t b) { return int64_t{a} * b; });
    expect_binary<uint32_t>("mul.wide.u32", [](uint32_t a, uint32_t b) { return uint64_t{a} * b; });
    expect_binary<uint16_t>("mul.wide.u16", [](uint16_t a, uint16_t b) { return uint32_t{a} * b; });
}

TEST(EmulatorInteger, SaturationClampsToTheSignedRange) {
    const auto clamp = [](int64_t v) {
        return static_cast<int32_t>(std::clamp<int64_t>(v, INT32_MIN, INT32_MAX));
    };
    expect_binary<int32_t>("add.sat.s32", [&](int32_t a, int32_t b) { return clamp(int64_t{a} + b); });
    expect_binary<int32_t>("sub.sat.s32", [&](int32_t a, int32_t b) { return clamp(int64_t{a} - b); });
}

TEST(EmulatorInteger, ShiftsClampTheirCount) {
    const std::vector<uint32_t> a = {0x80000001, 0x80000001, 0x80000001, 0x80000001};
    const std::vector<uint32_t> n = {0, 31, 32, 0xffffffff};
    EXPECT_EQ(apply<uint32_t>("shl.b32", a, n), (std::vector<uint32_t>{0x80000001, 0x80000000, 0, 0}));
    EXPECT_EQ(apply<uint32_t>("shr.u32", a, n), (std::vector<uint32_t>{0x80000001, 1, 0, 0}));
    EXPECT_EQ(apply<uint32_t>("shr.s32", a, n), (std::vector<uint32_t>{0x80000001, ~0u, ~0u, ~0u}));
}

TEST(EmulatorInteger, FunnelShiftTakesFromBothWords) {
    const std::vector<uint32_t> a(4, 0x11223344), b(4, 0xaabbccdd), n = {0, 8, 32, 40};
    EXPECT_EQ(
        apply<uint32_t>("shf.l.clamp.b32", a, b, n),
        (std::vector<uint32_t>{0xaabbccdd, 0xbbccdd11, 0x11223344, 0x11223344})
    );
    EXPECT_EQ(
        apply<uint32_t>("shf.r.wrap.b32", a, b, n),
        (std::vector<uint32_t>{0x11223344, 0xdd112233, 0x11223344, 0xdd112233})
    );
}

TEST(EmulatorInteger, Lop3IsItsTruthTable) {
    const std::vector<uint32_t> a = {0xf0f0f0f0}, b = {0xcccccccc}, c = {0xaaaaaaaa};
    const auto table = [&](int lut) {
        KernelRun run(
            kernel(
                load(1, "b32", 4, "%r10") + load(2, "b32", 4, "%r11") + load(3, "b32", 4, "%r12") +
                fmt::format("lop3.b32 %r13, %r10, %r11, %r12, {};\n", lut) + store(0, "b32", 4, "%r13")
            ),
            1
        );
        run.out<uint32_t>("d", 1).in("a", a).in("b", b).in("c", c).go();
        return run.get<uint32_t>("d")[0];
    };
    // Of these three words every byte, read as bits (a, b, c) = 7..0, spells the table itself.
    for (uint32_t lut = 0; lut < 256; ++lut) ASSERT_EQ(table(static_cast<int>(lut)), lut * 0x01010101u);
}

TEST(EmulatorInteger, BitFieldsFollowTheirDefinition) {
    std::mt19937 random(7);
    std::vector<uint32_t> a, b, pos, len;
    for (int k = 0; k < 2000; ++k) {
        a.push_back(random());
        b.push_back(random());
        pos.push_back(random() % 40);
        len.push_back(random() % 40);
    }
    const auto u = apply<uint32_t>("bfe.u32", a, pos, len);
    const auto s = apply<uint32_t>("bfe.s32", a, pos, len);
    const auto i = apply<uint32_t>("bfi.b32", a, b, pos, len);
    for (size_t k = 0; k < a.size(); ++k) {
        uint32_t field = 0, inserted = b[k];
        const bool sign = len[k] != 0 && (a[k] >> std::min(pos[k] + len[k] - 1, 31u) & 1) != 0;
        uint32_t signed_field = 0;
        for (uint32_t bit = 0; bit < 32; ++bit) {
            const bool inside = bit < len[k] && pos[k] + bit < 32;
            const uint32_t value = inside ? a[k] >> (pos[k] + bit) & 1 : 0;
            field |= value << bit;
            signed_field |= (inside ? value : sign ? 1u : 0u) << bit;
            if (inside) inserted = (inserted & ~(1u << (pos[k] + bit))) | (a[k] >> bit & 1) << (pos[k] + bit);
        }
        ASSERT_EQ(u[k], field);
        ASSERT_EQ(s[k], signed_field) << a[k] << " at " << pos[k] << " for " << len[k];
        ASSERT_EQ(i[k], inserted);
    }
}

TEST(EmulatorInteger, CountsAndReversals) {
    const std::vector<uint32_t> a = {0, 1, 0x80000000, 0x00ff0000, ~0u};
    EXPECT_EQ(apply<uint32_t>("popc.b32", a), (std::vector<uint32_t>{0, 1, 1, 8, 32}));
    EXPECT_EQ(apply<uint32_t>("clz.b32", a), (std::vector<uint32_t>{32, 31, 0, 8, 0}));
    EXPECT_EQ(apply<uint32_t>("brev.b32", a), (std::vector<uint32_t>{0, 0x80000000, 1, 0x0000ff00, ~0u}));
    EXPECT_EQ(apply<uint32_t>("bfind.u32", a), (std::vector<uint32_t>{~0u, 0, 31, 23, 31}));
    EXPECT_EQ(apply<uint32_t>("bfind.s32", a), (std::vector<uint32_t>{~0u, 0, 30, 23, ~0u}));
}

TEST(EmulatorInteger, PrmtPicksBytesAndTheirSigns) {
    const std::vector<uint32_t> a(3, 0x83828180), b(3, 0x07060504), s = {0x7610, 0x0123, 0x888f};
    EXPECT_EQ(
        apply<uint32_t>("prmt.b32", a, b, s), (std::vector<uint32_t>{0x07068180, 0x80818283, 0xffffff00})
    );
}

TEST(EmulatorInteger, CarryChainsAdd128Bits) {
    KernelRun run(
        kernel(
            "mov.u64 %rd10, -1;\nmov.u64 %rd11, 5;\nadd.cc.u64 %rd12, %rd10, 1;\naddc.u64 %rd13, %rd11, 0;\n"
            "sub.cc.u32 %r10, 0, 1;\nsubc.u32 %r11, 7, 0;\n"
            "st.global.u64 [%rd0], %rd12;\nst.global.u64 [%rd0+8], %rd13;\nst.global.u32 [%rd0+16], %r10;\n"
            "st.global.u32 [%rd0+20], %r11;\n"
        ),
        1
    );
    run.out<uint64_t>("d", 3).go();
    EXPECT_EQ(run.get<uint64_t>("d"), (std::vector<uint64_t>{0, 6, 0x6ffffffff}));
}

TEST(EmulatorInteger, DotProductsOfBytes) {
    const std::vector<uint32_t> a = {0x80ff0102}, b = {0x02ff0304}, c = {1000};
    EXPECT_EQ(apply<uint32_t>("dp4a.u32.u32", a, b, c)[0], 2u * 4 + 1 * 3 + 255 * 255 + 128 * 2 + 1000);
    EXPECT_EQ(
        static_cast<int32_t>(apply<uint32_t>("dp4a.s32.s32", a, b, c)[0]), 2 * 4 + 3 + 1 - 128 * 2 + 1000
    );
}

// Video instructions on bytes and halves: selection, saturation, masks, and where sm_90 leaves the ISA's
// text.
uint32_t one(const std::string& op, uint32_t a, uint32_t b, uint32_t c, const std::string& d, const char* s) {
    KernelRun run(
        kernel(
            fmt::format("mov.u32 %r31, {};\nmov.u32 %r32, {};\nmov.u32 %r33, {};\n", a, b, c) + op + " %r30" +
            d + ", " + s + ";\nst.global.u32 [%rd0], %r30;\n"
        ),
        1
    );
    run.out<uint32_t>("d", 1).go();
    return run.get<uint32_t>("d")[0];
}

TEST(EmulatorVideo, BytesAreAddedEachByItself) {
    EXPECT_EQ(one("vadd4.u32.u32.u32", 0x01ff7f80, 0x01010180, 0, "", "%r31, %r32, %r33"), 0x02008000u);
    EXPECT_EQ(one("vadd4.u32.u32.u32.sat", 0x01ff7f80, 0x01010180, 0, "", "%r31, %r32, %r33"), 0x02ff80ffu);
    EXPECT_EQ(one("vadd4.s32.s32.s32.sat", 0x01ff7f80, 0x01010180, 0, "", "%r31, %r32, %r33"), 0x02007f80u);
    EXPECT_EQ(one("vabsdiff4.u32.u32.u32.add", 0x01020304, 0x04030201, 100, "", "%r31, %r32, %r33"), 108u);
}

TEST(EmulatorVideo, SelectorsChooseAmongBothOperands) {
    EXPECT_EQ(
        one("vadd4.u32.u32.u32", 0x40302010, 0x80706050, 0, "", "%r31.b7654, %r32.b0123, %r33"), 0x90909090u
    ) << "b's bytes and a's backwards";
    EXPECT_EQ(
        one("vsub2.u32.u32.u32", 0x00090007, 0x00020001, 0xaaaabbbb, ".h1", "%r31, %r32, %r33"), 0x0007bbbbu
    ) << "the lower half is c's";
    EXPECT_EQ(one("vadd.s32.s32.u32", 0x00ff0000, 0x0000fe00, 0, "", "%r31.b2, %r32.b1"), 253u);
}

TEST(EmulatorVideo, TheSecondOperationTakesTheThirdOperand) {
    EXPECT_EQ(one("vabsdiff.u32.u32.u32.add", 3, 10, 100, "", "%r31, %r32, %r33"), 107u);
    EXPECT_EQ(one("vmax.s32.s32.s32.min", 5, 0xfffffffe, 3, "", "%r31, %r32, %r33"), 3u);
    EXPECT_EQ(one("vmad.s32.s32.s32.shr7", 1000, 128, 256, "", "%r31, %r32, -%r33"), 998u);
}

TEST(EmulatorVideo, TheUpperHalfIsMergedFromTheUpperHalf) {
    EXPECT_EQ(one("vadd.u32.u32.u32", 0x12345678, 1, 0xaaaabbbb, ".h1", "%r31, %r32, %r33"), 0x1234bbbbu);
    EXPECT_EQ(one("vadd.u32.u32.u32", 0x12345678, 1, 0xaaaabbbb, ".b2", "%r31, %r32, %r33"), 0xaa79bbbbu);
}

}  // namespace
}  // namespace wl::emulator::test
