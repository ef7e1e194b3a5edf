// Atomics of every width: nothing is lost among lanes and workers, neighbours stay, and only other atomics
// may come at the same time.
#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

using Kind = Incident::Kind;

TEST(EmulatorAtomic, HalvesAddOverBlocksAndWorkersAndLeaveTheirNeighbours) {
    KernelRun run(
        kernel("mov.b16 %h0, 0x3c00;\nmov.b16 %h1, 0x3f80;\nmov.b32 %r10, 0x40003c00;\n"
               "red.global.add.noftz.f16 [%rd0], %h0;\nred.global.add.noftz.bf16 [%rd0+6], %h1;\n"
               "red.global.add.noftz.f16x2 [%rd0+8], %r10;\n"),
        64,
        4
    );
    run.in("d", std::vector<uint16_t>{0, 7, 8, 0, 0, 0, 9, 10});
    run.options.threads = 4;
    run.go();
    const auto d = run.get<uint16_t>("d");
    EXPECT_EQ(d, (std::vector<uint16_t>{0x5c00, 7, 8, 0x4380, 0x5c00, 0x6000, 9, 10}))
        << "256, and twice that";
}

TEST(EmulatorAtomic, SixteenBitsAreSwappedWhereTheyAreAsExpected) {
    KernelRun run(
        kernel("mov.b16 %h0, 5;\nmov.b16 %h1, 77;\natom.global.cas.b16 %h2, [%rd0+2], %h0, %h1;\n"
               "atom.global.cas.b16 %h3, [%rd0+2], %h0, %h1;\nst.global.b16 [%rd0+4], %h2;\n"
               "st.global.b16 [%rd0+6], %h3;\n"),
        1
    );
    run.in("d", std::vector<uint16_t>{3, 5, 0, 0}).go();
    EXPECT_EQ(run.get<uint16_t>("d"), (std::vector<uint16_t>{3, 77, 5, 77}));
}

// Every thread puts its pair in and takes another out: in the end each number is somewhere, with its partner.
TEST(EmulatorAtomic, SixteenBytesAreExchangedAsAWhole) {
    KernelRun run(
        kernel(".reg .b128 %q<2>;\ncvt.u64.u32 %rd10, %r2;\nadd.u64 %rd10, %rd10, 1;\nneg.s64 %rd11, %rd10;\n"
               "mov.b128 %q0, {%rd10, %rd11};\natom.global.exch.b128 %q1, [%rd0], %q0;\n"
               "mul.wide.u32 %rd12, %r2, 16;\nadd.u64 %rd12, %rd1, %rd12;\nst.global.b128 [%rd12], %q1;\n"),
        128,
        4
    );
    run.in("last", std::vector<int64_t>(2, 0)).out<int64_t>("taken", 1024);
    run.options.threads = 4;
    run.go();
    EXPECT_TRUE(run.result.incidents.empty());
    auto pairs = run.get<int64_t>("taken");
    for (const int64_t half : run.get<int64_t>("last")) pairs.push_back(half);
    int64_t sum = 0;
    for (size_t k = 0; k < pairs.size(); k += 2) {
        EXPECT_EQ(pairs[k], -pairs[k + 1]);
        sum += pairs[k];
    }
    EXPECT_EQ(sum, 512 * 513 / 2);
}

TEST(EmulatorAtomic, AVectorAddsElementByElementInOrder) {
    KernelRun run(
        kernel("mov.f32 %f0, 0f3F800000;\nmov.f32 %f1, 0f40000000;\n"
               "red.global.add.v2.f32 [%rd0], {%f0, %f1};\n"
               "setp.eq.u32 %p1, %r0, 3;\n@%p1 atom.global.add.v4.f32 {%f2, %f3, %f4, %f5}, [%rd0], "
               "{%f0, %f1, %f0, %f1};\n@%p1 st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5};\n")
    );
    run.in("d", std::vector<float>(4, 100)).out<float>("old", 4).go();
    EXPECT_EQ(run.get<float>("old"), (std::vector<float>{132, 164, 100, 100}));
    EXPECT_EQ(run.get<float>("d"), (std::vector<float>{133, 166, 101, 102}));
}

TEST(EmulatorAtomic, AVectorIsAlignedAndInsideAsAWhole) {
    KernelRun run(
        kernel("mov.f32 %f0, 0f3F800000;\nred.global.add.v2.f32 [%rd0+4], {%f0, %f0};\n"
               "red.global.add.v4.f32 [%rd0+16], {%f0, %f0, %f0, %f0};\n"),
        1
    );
    run.in("d", std::vector<float>(6, 0)).go();
    EXPECT_EQ(run.incidents(Kind::misaligned).size(), 1u);
    EXPECT_EQ(run.incidents(Kind::out_of_bounds).size(), 1u);
    EXPECT_EQ(run.get<float>("d"), std::vector<float>(6, 0)) << "both are suppressed";
}

// Two warps on the two halves of one word.
TEST(EmulatorAtomic, SubWordAtomicsRaceWithPlainStoresOfTheirBytesOnly) {
    for (const bool same : {false, true}) {
        KernelRun run(
            kernel(
                "mov.b16 %h0, 0x3c00;\nsetp.lt.u32 %p1, %r0, 32;\n"
                "@%p1 red.shared.add.noftz.f16 [s], %h0;\nsetp.eq.u32 %p2, %r0, 40;\n@%p2 st.shared.b16 [" +
                    std::string(same ? "0" : "2") + "], %h0;\n",
                ".shared .align 4 .b8 s[16];\n"
            ),
            64
        );
        run.go();
        EXPECT_EQ(run.incidents(Kind::race_shared).size(), same ? 1u : 0u);
    }
}

}  // namespace
}  // namespace wl::emulator::test
