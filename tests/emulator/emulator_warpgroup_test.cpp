// wgmma beside plain arithmetic: every layout of a matrix descriptor, every type; and what touches a product
// that is still in flight.
#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>
#include <tuple>

namespace wl::emulator::test {
namespace {

using Kind = Incident::Kind;

constexpr int kRows = 64, kColumns = 24;

// One matrix in shared memory. Along k: element (line, k); else (k, line).
struct Lying {
    int pieces = 1;  // of 16 bytes: 1, or 2, 4, 8 with a swizzle of 32, 64, 128 bytes
    bool along_k = true;
};

// PTX ISA 9.0, 9.7.15.5.1, in bytes from a multiple of 1024.
size_t place(const Lying& l, int line, int byte, int bytes_of_element) {
    size_t at = 0;
    if (l.along_k) {
        const int piece = byte / 16;
        at = l.pieces == 1 ? static_cast<size_t>(line / 8 * 256 + piece * 128 + line % 8 * 16 + byte % 16)
                           : static_cast<size_t>(line * 16 * l.pieces + byte);
    } else {
        const int k = byte / bytes_of_element, across = line * bytes_of_element;
        const int width = 16 * l.pieces, atom = across / width;
        at = l.pieces == 1 ? static_cast<size_t>(atom * 256 + k / 8 * 128 + k % 8 * 16 + across % 16)
                           : static_cast<size_t>(atom * 16 * width + k * width + across % width);
    }
    const size_t mask = static_cast<size_t>(l.pieces - 1);
    return at ^ (at >> 7 & mask) << 4;
}

uint64_t descriptor(const Lying& l) {
    const uint64_t mode = l.pieces == 1 ? 0 : l.pieces == 8 ? 1 : l.pieces == 4 ? 2 : 3;
    const uint64_t pitch = 16 * static_cast<uint64_t>(l.pieces);
    uint64_t leading = 128, stride = 256;  // of pieces side by side, of blocks of eight lines
    if (l.pieces > 1) leading = l.along_k ? 16 : 16 * pitch, stride = 8 * pitch;
    return leading / 16 << 16 | stride / 16 << 32 | mode << 62;
}

struct Matrices {
    std::string types = "f32.f16.f16";
    Lying a, b;
    int bytes = 2;  // of an element
    std::string last = ", 1, 1, 0, 0";
    std::string before, after;  // around the wait
    std::string in_flight;      // after the commit
    bool a_in_registers = false, proxy_fence = true;
};

std::vector<std::byte> lay(
    const Lying& l, int lines, int bytes, int (*value)(int, int), uint64_t (*encode)(int)
) {
    std::vector<std::byte> all(8192);
    for (int line = 0; line < lines; ++line)
        for (int k = 0; k < 32 / bytes; ++k) {
            const uint64_t bits = encode(value(line, k));
            std::memcpy(&all[place(l, line, k * bytes, bytes)], &bits, static_cast<size_t>(bytes));
        }
    return all;
}

int value_a(int row, int k) { return (row * 3 + k * 5) % 7 - 3; }
int value_b(int column, int k) { return (column * 2 + k * k) % 5 - 2; }
int positive_a(int row, int k) { return value_a(row, k) + 3; }
int positive_b(int column, int k) { return value_b(column, k) + 2; }

uint64_t as_f32(int x) { return std::bit_cast<uint32_t>(static_cast<float>(x)); }
uint64_t as_bf16(int x) { return as_f32(x) >> 16; }
uint64_t as_f16(int x) {
    const uint64_t f = as_f32(x);
    return x == 0 ? 0 : (f >> 16 & 0x8000) | ((f >> 23 & 0xff) - 112) << 10 | (f >> 13 & 0x3ff);
}
uint64_t as_e5m2(int x) { return as_f16(x) >> 8; }
uint64_t as_e4m3(int x) {
    const uint64_t f = as_f32(x);
    return x == 0 ? 0 : (f >> 24 & 0x80) | ((f >> 23 & 0xff) - 120) << 3 | (f >> 20 & 7);
}
uint64_t as_integer(int x) { return static_cast<uint64_t>(static_cast<int64_t>(x)) & 0xff; }

// Parameters: d, a, b. Each thread stores its accumulators.
std::string text_of(const Matrices& m) {
    const std::string fill =
        "mov.u32 %r10, %r0;\nF{0}:\nmul.wide.u32 %rd10, %r10, 16;\nadd.u64 %rd11, %rd{1}, %rd10;\n"
        "ld.global.v4.b32 {{%r11, %r12, %r13, %r14}}, [%rd11];\nmov.u64 %rd12, {2};\nadd.u64 %rd12, %rd12, "
        "%rd10;\n"
        "st.shared.v4.b32 [%rd12], {{%r11, %r12, %r13, %r14}};\nadd.u32 %r10, %r10, 128;\n"
        "setp.lt.u32 %p1, %r10, 512;\n@%p1 bra F{0};\n";
    std::string body =
        fmt::format(fmt::runtime(fill), 1, 1, "sa") + fmt::format(fmt::runtime(fill), 2, 2, "sb");
    body += fmt::format(
        "mov.u64 %rd20, sa;\nshr.u64 %rd20, %rd20, 4;\nor.b64 %rd20, %rd20, {};\n", descriptor(m.a)
    );
    body += fmt::format(
        "mov.u64 %rd21, sb;\nshr.u64 %rd21, %rd21, 4;\nor.b64 %rd21, %rd21, {};\n", descriptor(m.b)
    );
    std::string sums;
    for (int e = 0; e < kColumns / 2; ++e) {
        sums += fmt::format("{}%r{}", e == 0 ? "" : ", ", 20 + e);
        body += fmt::format("mov.b32 %r{}, 0;\n", 20 + e);
    }
    body += "setp.ne.u32 %p2, 1, 0;\nmov.u32 %r50, 1;\n" + m.before +
        (m.proxy_fence ? "fence.proxy.async.shared::cta;\n" : "") +
        "bar.sync 0;\nwgmma.fence.sync.aligned;\n";
    const int k = 32 / m.bytes;
    body += fmt::format(
        "wgmma.mma_async.sync.aligned.m64n{}k{}.{} {{{}}}, {}, %rd21, "
        "%p2{};\nwgmma.commit_group.sync.aligned;\n",
        kColumns,
        k,
        m.types,
        sums,
        m.a_in_registers ? "{%r51, %r52, %r53, %r54}" : "%rd20",
        m.last
    );
    body += m.in_flight + "wgmma.wait_group.sync.aligned 0;\n" + m.after;
    body += fmt::format("mul.wide.u32 %rd10, %r0, {};\nadd.u64 %rd10, %rd0, %rd10;\n", 2 * kColumns);
    for (int e = 0; e < kColumns / 2; ++e)
        body += fmt::format("st.global.b32 [%rd10+{}], %r{};\n", 4 * e, 20 + e);
    return kernel(body, ".shared .align 1024 .b8 sa[8192];\n.shared .align 1024 .b8 sb[8192];\n");
}

KernelRun run_of(const Matrices& m, const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
    KernelRun run(text_of(m), 128);
    run.out<uint32_t>("d", 128 * kColumns / 2).in("a", a).in("b", b).go();
    return run;
}

KernelRun run_of_halves(const Matrices& m) {
    return run_of(m, lay(m.a, kRows, 2, value_a, as_f16), lay(m.b, kColumns, 2, value_b, as_f16));
}

template <class Value>
void expect_product(const KernelRun& run, int depth, Value product) {
    const auto d = run.get<uint32_t>("d");
    for (int t = 0; t < 128; ++t)
        for (int e = 0; e < kColumns / 2; ++e) {
            const int row = t / 32 * 16 + t % 32 / 4 + e / 2 % 2 * 8, column = e / 4 * 8 + t % 4 * 2 + e % 2;
            int sum = 0;
            for (int k = 0; k < depth; ++k) sum += product(row, column, k);
            ASSERT_EQ(d[static_cast<size_t>(t * kColumns / 2 + e)], static_cast<uint32_t>(as_f32(sum)))
                << row << " " << column;
        }
}
int product_of(int row, int column, int k) { return value_a(row, k) * value_b(column, k); }

class Layouts : public testing::TestWithParam<std::tuple<int, bool, int, bool>> {};

TEST_P(Layouts, OfBothMatricesAreThoseOfTheirDescriptors) {
    const auto [a, a_along_k, b, b_along_k] = GetParam();
    Matrices m;
    m.a = {a, a_along_k}, m.b = {b, b_along_k};
    m.last = fmt::format(", 1, 1, {}, {}", a_along_k ? 0 : 1, b_along_k ? 0 : 1);
    const KernelRun run = run_of_halves(m);
    EXPECT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
    expect_product(run, 16, product_of);
}
INSTANTIATE_TEST_SUITE_P(
    EmulatorWarpgroup,
    Layouts,
    testing::Combine(
        testing::Values(1, 2, 4, 8), testing::Bool(), testing::Values(1, 2, 4, 8), testing::Bool()
    )
);

TEST(EmulatorWarpgroup, EveryTypeOfFactors) {
    struct Factors {
        const char* types;
        int bytes;
        uint64_t (*encode)(int);
        const char* last;
    };
    for (const Factors& kind : {
             Factors{"f32.bf16.bf16", 2, as_bf16, ", 1, 1, 0, 0"},
             Factors{"f32.tf32.tf32", 4, as_f32,  ", 1, 1"      },
             Factors{"f32.e4m3.e4m3", 1, as_e4m3, ", 1, 1"      },
             Factors{"f32.e5m2.e5m2", 1, as_e5m2, ", 1, 1"      }
    }) {
        Matrices m;
        m.types = kind.types, m.bytes = kind.bytes, m.last = kind.last;
        const KernelRun run = run_of(
            m,
            lay(m.a, kRows, m.bytes, value_a, kind.encode),
            lay(m.b, kColumns, m.bytes, value_b, kind.encode)
        );
        expect_product(run, 32 / kind.bytes, product_of);
    }
}

TEST(EmulatorWarpgroup, Integers) {
    Matrices m;
    m.bytes = 1, m.last = "", m.after = "";
    for (int e = 0; e < kColumns / 2; ++e)
        m.after += fmt::format("cvt.rn.f32.s32 %f1, %r{0};\nmov.b32 %r{0}, %f1;\n", 20 + e);
    m.types = "s32.s8.s8";
    expect_product(
        run_of(m, lay(m.a, kRows, 1, value_a, as_integer), lay(m.b, kColumns, 1, value_b, as_integer)),
        32,
        product_of
    );
    m.types = "s32.u8.u8";
    expect_product(
        run_of(m, lay(m.a, kRows, 1, positive_a, as_integer), lay(m.b, kColumns, 1, positive_b, as_integer)),
        32,
        [](int row, int column, int k) { return positive_a(row, k) * positive_b(column, k); }
    );
}

TEST(EmulatorWarpgroup, SignsAndWithoutTheSum) {
    Matrices m;
    m.last = ", -1, 1, 0, 0";
    expect_product(run_of_halves(m), 16, [](int row, int column, int k) {
        return -product_of(row, column, k);
    });
    m.last = ", -1, -1, 0, 0";
    m.before = "setp.eq.u32 %p2, 1, 0;\nmov.b32 %r20, 0f42000000;\n";  // what is there is not added
    expect_product(run_of_halves(m), 16, product_of);
}

// Lane 4 * g + t holds columns 2 t and 2 t + 1, and 8 more, of rows g and g + 8.
TEST(EmulatorWarpgroup, AFromRegisters) {
    Matrices m;
    m.a_in_registers = true, m.last = ", 1, 1, 0";
    m.before =
        "mul.wide.u32 %rd10, %r0, 16;\nadd.u64 %rd10, %rd1, %rd10;\n"
        "ld.global.v4.b32 {%r51, %r52, %r53, %r54}, [%rd10];\n";
    std::vector<std::byte> a(8192);
    for (int t = 0; t < 128; ++t)
        for (int r = 0; r < 4; ++r)
            for (int half = 0; half < 2; ++half) {
                const int row = t / 32 * 16 + t % 32 / 4 + r % 2 * 8, k = r / 2 * 8 + t % 4 * 2 + half;
                const uint64_t bits = as_f16(value_a(row, k));
                std::memcpy(&a[static_cast<size_t>(t * 16 + r * 4 + half * 2)], &bits, 2);
            }
    expect_product(run_of(m, a, lay(m.b, kColumns, 2, value_b, as_f16)), 16, product_of);
}

TEST(EmulatorWarpgroup, AMatrixOverwrittenBeforeTheWaitIsFound) {
    Matrices m;
    m.in_flight = "setp.eq.u32 %p3, %r0, 0;\n@%p3 mov.u64 %rd12, sb;\n@%p3 st.shared.b32 [%rd12], %r50;\n";
    EXPECT_FALSE(run_of_halves(m).incidents(Kind::async_copy_wait).empty());
    m.after = "bar.sync 0;\n" + m.in_flight, m.in_flight = "";
    EXPECT_TRUE(run_of_halves(m).result.incidents.empty());
}

TEST(EmulatorWarpgroup, AMatrixThatAnotherWarpOverwritesIsARace) {
    Matrices m;
    m.after = "setp.eq.u32 %p3, %r0, 127;\n@%p3 mov.u64 %rd12, sb;\n@%p3 st.shared.b32 [%rd12], %r50;\n";
    EXPECT_FALSE(run_of_halves(m).incidents(Kind::race_shared).empty());
    m.after = "bar.sync 0;\n" + m.after;
    EXPECT_TRUE(run_of_halves(m).result.incidents.empty());
}

TEST(EmulatorWarpgroup, AnAccumulatorReadBeforeTheWaitIsFound) {
    Matrices m;
    m.in_flight = "add.f32 %f3, %f3, %f3;\nadd.u32 %r60, %r20, 1;\n";
    ASSERT_EQ(run_of_halves(m).incidents(Kind::async_copy_wait).size(), 1u);
    m.after = m.in_flight, m.in_flight = "";
    EXPECT_TRUE(run_of_halves(m).result.incidents.empty());
}

TEST(EmulatorWarpgroup, ARegisterOfAWrittenBeforeTheWaitIsFound) {
    Matrices m;
    m.a_in_registers = true, m.last = ", 1, 1, 0";
    m.in_flight = "add.u32 %r60, %r51, 1;\n";  // to read it is right
    EXPECT_TRUE(run_of_halves(m).incidents(Kind::async_copy_wait).empty());
    m.in_flight = "add.u32 %r51, %r51, 1;\n";
    EXPECT_EQ(run_of_halves(m).incidents(Kind::async_copy_wait).size(), 1u);
}

// Only products that lie in the groups waited for are done.
TEST(EmulatorWarpgroup, AWaitForOlderGroupsIsNoWait) {
    Matrices m;
    m.in_flight = "wgmma.wait_group.sync.aligned 1;\nadd.u32 %r60, %r20, 1;\n";
    EXPECT_EQ(run_of_halves(m).incidents(Kind::async_copy_wait).size(), 1u);
}

TEST(EmulatorWarpgroup, StoresWithoutAProxyFenceAreFound) {
    Matrices m;
    m.proxy_fence = false;
    EXPECT_FALSE(run_of_halves(m).incidents(Kind::proxy_fence).empty());
}

TEST(EmulatorWarpgroup, AMatrixOutsideOfSharedMemoryIsFound) {
    Matrices m;
    m.before = "or.b64 %rd21, %rd21, 15872;\n";
    EXPECT_FALSE(run_of_halves(m).incidents(Kind::out_of_bounds).empty());
}

}  // namespace
}  // namespace wl::emulator::test
