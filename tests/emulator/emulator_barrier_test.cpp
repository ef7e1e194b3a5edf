// Block barriers: ids, counts, reductions; what never completes is found and named.
#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>
#include <numeric>

namespace wl::emulator::test {
namespace {

const std::string kShared = ".shared .align 16 .b8 s[4096];\n";

// Each thread leaves its index in shared memory and takes its mirror image's after `sync`.
std::string mirror(const std::string& sync) {
    return kernel(
        "shl.b32 %r10, %r0, 2;\nmov.u32 %r11, s;\nadd.u32 %r12, %r11, %r10;\nst.shared.u32 [%r12], %r0;\n" +
            sync +
            "sub.u32 %r13, %r3, %r0;\nsub.u32 %r13, %r13, 1;\nshl.b32 %r13, %r13, 2;\nadd.u32 %r13, %r11, "
            "%r13;\n"
            "ld.shared.u32 %r14, [%r13];\n" +
            store(0, "u32", 4, "%r14"),
        kShared
    );
}

TEST(EmulatorBarrier, OrdersSharedMemoryOverAllWarps) {
    KernelRun run(mirror("bar.sync 0;\n"), 256);
    run.out<uint32_t>("d", 256).go();
    EXPECT_TRUE(run.result.incidents.empty());
    for (uint32_t t = 0; t < 256; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], 255 - t);
}

TEST(EmulatorBarrier, WithoutItTheRaceIsFound) {
    KernelRun run(mirror("bar.warp.sync -1;\n"), 256);
    run.out<uint32_t>("d", 256).go();
    EXPECT_FALSE(run.incidents(Incident::Kind::race_shared).empty());
}

TEST(EmulatorBarrier, NamedBarriersCountTheirThreads) {
    // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2; none waits for the other pair.
    KernelRun run(
        mirror("shr.u32 %r20, %r0, 6;\nadd.u32 %r20, %r20, 1;\nbar.sync %r20, 64;\nbar.sync 0;\n"), 128
    );
    run.out<uint32_t>("d", 128).go();
    EXPECT_TRUE(run.result.incidents.empty());
    EXPECT_EQ(run.get<uint32_t>("d")[0], 127u);
}

TEST(EmulatorBarrier, ArriveDoesNotWait) {
    // Warp 0 produces and arrives, warp 1 waits for it; warp 0 goes on to the end at once.
    KernelRun run(
        kernel(
            "mov.u32 %r11, s;\nsetp.ge.u32 %p1, %r0, 32;\n@%p1 bra CONSUME;\n"
            "st.shared.u32 [%r11], 42;\nbar.arrive 3, 64;\nbra.uni DONE;\n"
            "CONSUME:\nbar.sync 3, 64;\nld.shared.u32 %r12, [%r11];\nst.global.u32 [%rd0], %r12;\nDONE:\n",
            kShared
        ),
        64
    );
    run.out<uint32_t>("d", 1);
    run.options.checks.races = false;  // every lane of warp 0 stores the same word
    run.go();
    EXPECT_EQ(run.get<uint32_t>("d")[0], 42u);
    EXPECT_EQ(run.result.blocks, 1u);
}

TEST(EmulatorBarrier, ReductionsSeeEveryThread) {
    KernelRun run(
        kernel(
            "setp.lt.u32 %p1, %r0, 40;\nbar.red.popc.u32 %r10, 0, %p1;\nbar.red.and.pred %p2, 0, %p1;\n"
            "bar.red.or.pred %p3, 0, %p1;\nselp.u32 %r11, 1, 0, %p2;\nselp.u32 %r12, 2, 0, %p3;\n"
            "add.u32 %r10, %r10, 1000;\nadd.u32 %r11, %r11, %r12;\nmad.lo.u32 %r10, %r11, 10000, %r10;\n" +
            store(0, "u32", 4, "%r10")
        ),
        96
    );
    run.out<uint32_t>("d", 96).go();
    for (const uint32_t d : run.get<uint32_t>("d")) EXPECT_EQ(d, 2 * 10000u + 1040);
}

TEST(EmulatorBarrier, ExitedWarpsDoNotHoldAFullBarrier) {
    KernelRun run(
        kernel("setp.ge.u32 %p1, %r0, 64;\n@%p1 exit;\nbar.sync 0;\n" + store(0, "u32", 4, "%r0")), 128
    );
    run.out<uint32_t>("d", 64).go();
    EXPECT_EQ(run.result.blocks, 1u);
    EXPECT_TRUE(run.result.incidents.empty());
    EXPECT_EQ(run.get<uint32_t>("d")[63], 63u);
}

TEST(EmulatorBarrier, DivergentBarrierIsFound) {
    KernelRun run(
        kernel("setp.lt.u32 %p1, %r0, 16;\n@%p1 bar.sync 0;\n@!%p1 bar.sync 0;\n" + store(0, "u32", 4, "%r0"))
    );
    run.out<uint32_t>("d", 32).go();
    const auto found = run.incidents(Incident::Kind::divergent_barrier);
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(found[0].first.lanes, 0xffffu);
    EXPECT_EQ(run.get<uint32_t>("d")[31], 31u);
}

TEST(EmulatorBarrier, DeadlockNamesWhoWaitsWhere) {
    KernelRun run(kernel("setp.ge.u32 %p1, %r0, 32;\n@%p1 bar.sync 1;\n@!%p1 bar.sync 2, 64;\n"), 64, 3);
    run.go();
    EXPECT_EQ(run.result.blocks, 0u);
    const auto found = run.incidents(Incident::Kind::deadlock);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].count, 3u) << "once in each block";
    EXPECT_EQ(found[0].first.block, 0);
    const auto says = [&](const char* part) { return found[0].detail.find(part) != std::string::npos; };
    EXPECT_TRUE(says("warp 0 waits at barrier 2 (32 of 64 threads have come)")) << found[0].detail;
    EXPECT_TRUE(says("warp 1 waits at barrier 1 (32 of 64 threads have come, none or not all of warp 0)"))
        << found[0].detail;
}

TEST(EmulatorBarrier, EndlessLoopMeetsTheBudget) {
    KernelRun run(kernel("LOOP:\nadd.u32 %r10, %r10, 1;\nbra.uni LOOP;\n"), 64);
    run.options.budget = 100000;
    run.go();
    EXPECT_EQ(run.result.blocks, 0u);
    const auto found = run.incidents(Incident::Kind::endless_loop);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_LT(run.result.warp_instructions, 4u << 20);
}

TEST(EmulatorBarrier, AWarpMaySpinOnAnotherWarp) {
    KernelRun run(
        kernel(
            "setp.ge.u32 %p1, %r0, 32;\n@%p1 bra GIVE;\n"
            "SPIN:\nld.volatile.global.u32 %r10, [%rd1];\nsetp.eq.u32 %p2, %r10, 0;\n@%p2 bra SPIN;\nbra.uni "
            "DONE;\n"
            "GIVE:\nmov.u32 %r10, 9;\nst.volatile.global.u32 [%rd1], %r10;\nDONE:\n" +
            store(0, "u32", 4, "%r10")
        ),
        64
    );
    run.out<uint32_t>("d", 64).in("flag", std::vector<uint32_t>{0}).go();
    EXPECT_EQ(run.result.blocks, 1u);
    EXPECT_EQ(run.get<uint32_t>("d")[0], 9u);
}

TEST(EmulatorBarrier, TrapEndsTheBlockAndIsFound) {
    KernelRun run(kernel("setp.eq.u32 %p1, %r0, 5;\n@%p1 trap;\n"), 32, 2);
    run.go();
    EXPECT_EQ(run.result.blocks, 0u);
    ASSERT_EQ(run.incidents(Incident::Kind::trap).size(), 1u);
    EXPECT_EQ(run.incidents(Incident::Kind::trap)[0].first.lanes, 1u << 5);
}

TEST(EmulatorBarrier, ABlockHasSixteen) {
    for (const uint32_t id : {15u, 16u, 255u, 4'294'967'295u}) {
        for (const bool record : {false, true}) {
            KernelRun run(kernel(fmt::format("mov.u32 %r20, {};\nbar.sync %r20;\n", id)), 64);
            run.options.record = record;
            run.go();
            const auto found = run.incidents(Incident::Kind::trap);
            ASSERT_EQ(found.size(), id < 16 ? 0u : 1u);
            if (id == 255) { EXPECT_EQ(found[0].detail, "barrier 255: a block has the barriers 0 to 15"); }
        }
    }
}

}  // namespace
}  // namespace wl::emulator::test
