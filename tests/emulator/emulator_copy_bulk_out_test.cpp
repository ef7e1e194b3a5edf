// cp.async.bulk out of shared memory: the bytes are taken when their group is waited for, or at exit.
#include "tests/emulator/emulator_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

const std::string kCommit = "cp.async.bulk.commit_group;\n";

const std::string kFence = "fence.proxy.async.shared::cta;\n";

// Thread t stores 7 t + 1 at word t of s, which %r12 names; %p1 is thread 0's.
std::string with_numbers(const std::string& body, const std::string& fence = kFence) {
    return kernel(
        "mov.u32 %r11, s;\nshl.b32 %r12, %r0, 2;\nadd.u32 %r12, %r12, %r11;\nmul.lo.u32 %r13, %r0, 7;\n"
        "add.u32 %r13, %r13, 1;\nst.shared.u32 [%r12], %r13;\nsetp.eq.u32 %p1, %r0, 0;\n"
        "mov.u64 %rd10, 0;\nmov.u32 %r16, 256;\n" +
            fence + body,
        ".shared .align 16 .b8 s[256];\n"
    );
}

std::string copy(
    const std::string& to = "%rd0", const std::string& from = "%r11", const char* size = "%r16"
) {
    return fmt::format("@%p1 cp.async.bulk.global.shared::cta.bulk_group [{}], [{}], {};\n", to, from, size);
}

KernelRun run_of(const std::string& body, uint32_t blocks = 1, const std::string& fence = kFence) {
    KernelRun run(with_numbers(body, fence), 64, blocks);
    run.out<uint32_t>("d", 128).go();
    return run;
}

TEST(EmulatorCopyBulkOut, BringsTheBytesByTheWaitForItsGroup) {
    for (const char* size : {"%r16", "256"}) {
        const KernelRun run = run_of(
            "bar.sync 0;\n" + copy("%rd0+16", "%r11", size) + kCommit + "cp.async.bulk.wait_group 0;\n"
        );
        EXPECT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
        const std::vector<uint32_t> d = run.get<uint32_t>("d");
        for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(d[t + 4], 7 * t + 1);
        const Allocation& a = *execution::find_named(run.memory, "d");
        EXPECT_EQ(a.written[15], 0);
        EXPECT_EQ(a.written[16], 1);
        EXPECT_EQ(a.written[271], 1);
        EXPECT_EQ(a.written[272], 0);
    }
}

TEST(EmulatorCopyBulkOut, AtExitTheRestHasArrived) {
    const KernelRun run = run_of("bar.sync 0;\n" + copy());
    EXPECT_TRUE(run.result.incidents.empty());
    EXPECT_EQ(run.get<uint32_t>("d")[63], 7u * 63 + 1);
}

// What is written before the wait is what arrives; behind it, no longer. Of the thread itself: nothing races.
TEST(EmulatorCopyBulkOut, TakesTheBytesAsLateAsTheIsaAllows) {
    const std::string change = "@%p1 st.shared.u32 [%r11], %r16;\n";
    const auto first = [&](const std::string& between) {
        return run_of("bar.sync 0;\n" + copy() + kCommit + between).get<uint32_t>("d")[0];
    };
    EXPECT_EQ(first(change), 256u);
    EXPECT_EQ(first("cp.async.bulk.wait_group.read 0;\n" + change), 1u);
    EXPECT_EQ(first("cp.async.bulk.wait_group.read 1;\n" + change), 256u);
    EXPECT_EQ(first(kCommit + "cp.async.bulk.wait_group.read 1;\n" + change), 1u);
    EXPECT_EQ(first("cp.async.wait_all;\n" + change), 256u) << "the groups of cp.async are others";
}

TEST(EmulatorCopyBulkOut, AWaitLeavesWhatIsInNoGroup) {
    const std::string change = "@%p1 st.shared.u32 [%r11], %r16;\n";
    const KernelRun run = run_of("bar.sync 0;\n" + copy() + "cp.async.bulk.wait_group 0;\n" + change);
    EXPECT_EQ(run.get<uint32_t>("d")[0], 256u);
}

TEST(EmulatorCopyBulkOut, WhatOthersStoreWithoutABarrierIsARace) {
    const KernelRun before = run_of(copy() + kCommit + "cp.async.bulk.wait_group 0;\n");
    EXPECT_FALSE(before.incidents(Incident::Kind::race_shared).empty());
    const std::string store = "st.shared.u32 [%r12], %r16;\n";
    const KernelRun behind = run_of(
        "bar.sync 0;\n" + copy() + kCommit + "bar.sync 0;\n" + store + "cp.async.bulk.wait_group 0;\n"
    );
    EXPECT_FALSE(behind.incidents(Incident::Kind::race_shared).empty());
    const KernelRun ordered = run_of(
        "bar.sync 0;\n" + copy() + kCommit + "cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n" + store
    );
    EXPECT_TRUE(ordered.result.incidents.empty()) << ordered.result.incidents[0].detail;
}

TEST(EmulatorCopyBulkOut, BlocksThatCopyToOnePlaceRace) {
    const std::string away = "mul.wide.u32 %rd10, %r1, 256;\nadd.u64 %rd10, %rd10, %rd0;\n";
    EXPECT_FALSE(
        run_of(
            "bar.sync 0;\nadd.u32 %r13, %r13, %r1;\nst.shared.u32 [%r12], %r13;\nbar.sync 0;\n" + copy(), 2
        )
            .incidents(Incident::Kind::race_global)
            .empty()
    );
    EXPECT_TRUE(run_of("bar.sync 0;\n" + away + copy("%rd10"), 2).result.incidents.empty());
}

TEST(EmulatorCopyBulkOut, WhatMayNotBeCopiedIsFound) {
    using Kind = Incident::Kind;
    const auto found = [](const std::string& one, Kind kind) {
        return run_of("bar.sync 0;\n" + one).incidents(kind);
    };
    EXPECT_EQ(found("mov.u32 %r16, 64;\n" + copy("%rd0", "%r11+8"), Kind::misaligned).size(), 1u);
    EXPECT_EQ(found(copy("%rd0+4"), Kind::misaligned).at(0).first.memory, "global d");
    EXPECT_EQ(
        found("mov.u32 %r16, 20;\n" + copy(), Kind::misaligned).at(0).detail,
        "it copies 20 bytes; a multiple of 16 is possible"
    );
    EXPECT_EQ(found(copy("%rd0+272"), Kind::out_of_bounds).at(0).first.memory, "global d");
    EXPECT_EQ(found(copy("%rd0", "%r11+16"), Kind::out_of_bounds).at(0).first.memory, "shared");
}

TEST(EmulatorCopyBulkOut, StoresNeedAProxyFence) {
    const auto found = [](const std::string& fence, const std::string& body) {
        return run_of(body + copy() + kCommit + "cp.async.bulk.wait_group 0;\n", 1, fence)
            .incidents(Incident::Kind::proxy_fence);
    };
    const auto none = found("", "bar.sync 0;\n");
    ASSERT_EQ(none.size(), 1u);
    EXPECT_EQ(none[0].first.warp, 0);
    EXPECT_FALSE(none[0].first.write);
    EXPECT_TRUE(none[0].second.write);
    EXPECT_EQ(none[0].second.address, 0u);
    EXPECT_EQ(found("fence.proxy.async.global;\n", "bar.sync 0;\n").size(), 1u);
    EXPECT_EQ(found("", "membar.gl;\nbar.sync 0;\n").size(), 1u);
    // By each thread after its stores, or by the copying thread after the barrier.
    EXPECT_TRUE(found("fence.proxy.async;\n", "bar.sync 0;\n").empty());
    EXPECT_TRUE(found("", "bar.sync 0;\n@%p1 fence.proxy.async;\n").empty());
    // By it before the barrier: the stores of others may come later.
    EXPECT_EQ(found("", "@%p1 fence.proxy.async;\nbar.sync 0;\n").size(), 1u);
    // By a thread of the other warp after the barrier, which the copy does not come after; and by one that it
    // does.
    const std::string other = "setp.eq.u32 %p2, %r0, 40;\nbar.sync 0;\n@%p2 fence.proxy.async;\n";
    EXPECT_EQ(found("", other).size(), 1u);
    EXPECT_TRUE(found("", other + "bar.sync 0;\n").empty());
    // A store after the fence.
    EXPECT_EQ(found(kFence, "st.shared.u32 [%r12], %r13;\nbar.sync 0;\n").size(), 1u);
}

TEST(EmulatorCopyBulkOut, TheRecordSaysWhoWrote) {
    KernelRun run(with_numbers("bar.sync 0;\n" + copy() + kCommit + "cp.async.bulk.wait_group 0;\n"), 64);
    run.out<uint32_t>("d", 128);
    run.options.record = true, run.options.blocks = {0};
    run.go();
    ASSERT_EQ(run.result.global_owners.size(), 1u);
    const capture::Owner owner = run.result.global_owners[0].second[255];
    EXPECT_EQ(owner.warp, 0);
    EXPECT_EQ(owner.lane, 0);
    EXPECT_EQ(run.result.global_owners[0].second[256].warp, capture::Owner::kNobody);
}

// More stores than are kept at once, each in an interval of its own: those that are in memory still count,
// the first ones of all among them.
TEST(EmulatorCopyBulkOut, StoresBeforeManyOthersAreRemembered) {
    const std::string loop =
        "setp.ge.u32 %p2, %r0, 32;\n@%p2 bra.uni DONE;\nmov.u32 %r20, 0;\nMORE:\nst.shared.u32 [%r11], "
        "%r20;\n"
        "bar.warp.sync 0xffffffff;\nadd.u32 %r20, %r20, 1;\nsetp.lt.u32 %p3, %r20, 270000;\n@%p3 bra.uni "
        "MORE;\nDONE:\n";
    const auto found = [&](const char* fence, const char* from) {
        return run_of(loop + fence + "bar.sync 0;\n" + copy("%rd0", from, "%r16"), 1, "")
            .incidents(Incident::Kind::proxy_fence);
    };
    // The second half of s was stored by the second warp, before all of that.
    const auto first = found("mov.u32 %r16, 128;\nadd.u32 %r17, %r11, 128;\n", "%r17");
    ASSERT_EQ(first.size(), 1u);
    EXPECT_EQ(first[0].second.warp, 1);
    EXPECT_TRUE(found("fence.proxy.async.shared::cta;\n", "%r11").empty());
}

}  // namespace
}  // namespace wl::emulator::test
