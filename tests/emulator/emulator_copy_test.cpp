// cp.async: the data arrive at the wait that names their group, not before.
#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

const std::string kShared = ".shared .align 16 .b8 s[4096];\n";

// Copies 16 bytes a thread from parameter 1 into s, `between`, then stores the word that arrived.
std::string copying(const std::string& between, const std::string& size = "16") {
    return kernel(
        "shl.b32 %r10, %r0, 4;\nmov.u32 %r11, s;\nadd.u32 %r10, %r10, %r11;\nmul.wide.u32 %rd10, %r0, 16;\n"
        "add.u64 %rd10, %rd1, %rd10;\ncp.async.cg.shared.global [%r10], [%rd10], 16, " +
            size + ";\n" + between + "ld.shared.u32 %r12, [%r10+4];\n" + store(0, "u32", 4, "%r12"),
        kShared
    );
}
std::vector<uint32_t> input() {
    std::vector<uint32_t> v(128);
    for (uint32_t k = 0; k < 128; ++k) v[k] = k * 10 + 1;
    return v;
}

TEST(EmulatorCopy, ArrivesAtTheWait) {
    for (const std::string wait :
         {"cp.async.commit_group;\ncp.async.wait_group 0;\n", "cp.async.wait_all;\n"}) {
        KernelRun run(copying(wait));
        run.out<uint32_t>("d", 32).in("a", input()).go();
        EXPECT_TRUE(run.result.incidents.empty());
        for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], (4 * t + 1) * 10 + 1);
    }
}

// Of 32 lanes those from 20 up copy what lane 20 copies, or something else to the same place.
TEST(EmulatorCopy, LanesMayRepeatACopyButNotOverwriteAnother) {
    for (const bool same : {true, false}) {
        KernelRun run(kernel(
            "min.u32 %r10, %r0, 20;\nmul.wide.u32 %rd10, " + std::string(same ? "%r10" : "%r0") +
                ", 4;\nadd.u64 %rd10, %rd1, %rd10;\nmov.u32 %r11, s;\nmad.lo.u32 %r11, %r10, 4, %r11;\n"
                "cp.async.ca.shared.global [%r11], [%rd10], 4;\ncp.async.wait_all;\nbar.warp.sync -1;\n"
                "ld.shared.u32 %r12, [%r11];\n" +
                store(0, "u32", 4, "%r12"),
            kShared
        ));
        run.out<uint32_t>("d", 32).in("a", input()).go();
        EXPECT_EQ(run.result.incidents.empty(), same);
        if (same) { EXPECT_EQ(run.get<uint32_t>("d")[31], 201u); }
    }
}

TEST(EmulatorCopy, ReadBeforeTheWaitSeesPoisonAndIsFound) {
    KernelRun run(copying("cp.async.commit_group;\ncp.async.wait_group 1;\n"));
    run.out<uint32_t>("d", 32).in("a", input()).go();
    EXPECT_EQ(run.get<uint32_t>("d")[0], 0xffffffffu);
    const auto found = run.incidents(Incident::Kind::async_copy_wait);
    ASSERT_EQ(found.size(), 1u);
}

TEST(EmulatorCopy, WaitGroupLeavesTheYoungestPending) {
    // Two groups; after wait_group 1 the first has arrived, the second not.
    KernelRun run(
        kernel(
            "mov.u32 %r11, s;\ncp.async.ca.shared.global [%r11], [%rd1], 4;\ncp.async.commit_group;\n"
            "cp.async.ca.shared.global [%r11+4], [%rd1+4], 4;\ncp.async.commit_group;\ncp.async.wait_group "
            "1;\n"
            "ld.shared.u32 %r12, [%r11];\nld.shared.u32 %r13, [%r11+4];\ncp.async.wait_group 0;\n"
            "ld.shared.u32 %r14, [%r11+4];\nst.global.u32 [%rd0], %r12;\nst.global.u32 [%rd0+4], %r13;\n"
            "st.global.u32 [%rd0+8], %r14;\n",
            kShared
        ),
        1
    );
    run.out<uint32_t>("d", 3).in("a", input());
    run.options.checks = {false, false, false};
    run.go();
    EXPECT_EQ(run.get<uint32_t>("d"), (std::vector<uint32_t>{1, 0xffffffff, 11}));
}

TEST(EmulatorCopy, ShortSourcesAreFilledWithZeros) {
    KernelRun run(copying("cp.async.wait_all;\n", "%r0"));  // thread t copies t bytes of its 16
    run.out<uint32_t>("d", 32).in("a", input()).go();
    const auto d = run.get<uint32_t>("d");
    EXPECT_EQ(d[0], 0u);
    EXPECT_EQ(d[4], 0u) << "bytes 0 to 3 only";
    EXPECT_EQ(d[5], (21u * 10 + 1) & 0xff);
    EXPECT_EQ(d[8], 33u * 10 + 1);
    EXPECT_EQ(d[31], 125u * 10 + 1);
}

TEST(EmulatorCopy, EachLaneCountsItsOwnGroups) {
    // Odd lanes commit once more than even ones: for them wait_group 1 completes the copy.
    KernelRun run(
        copying("cp.async.commit_group;\nand.b32 %r20, %r0, 1;\nsetp.eq.u32 %p1, %r20, 1;\n@%p1 "
                "cp.async.commit_group;\n"
                "cp.async.wait_group 1;\n")
    );
    run.out<uint32_t>("d", 32).in("a", input());
    run.options.checks = {false, false, false};
    run.go();
    for (uint32_t t = 0; t < 32; ++t)
        EXPECT_EQ(run.get<uint32_t>("d")[t], t % 2 == 1 ? (4 * t + 1) * 10 + 1 : 0xffffffffu);
}

TEST(EmulatorCopy, ASourceOutsideIsFound) {
    KernelRun run(copying("cp.async.wait_all;\n"));
    run.out<uint32_t>("d", 32).in("short", std::vector<uint32_t>(100, 7)).go();
    const auto found = run.incidents(Incident::Kind::out_of_bounds);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.memory, "global short");
    EXPECT_EQ(found[0].count, 7u);
}

}  // namespace
}  // namespace wl::emulator::test
