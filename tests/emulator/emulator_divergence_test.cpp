// Splits of a warp: who runs which path, where lanes meet again, collectives and their member masks.
#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

std::string store_r(const std::string& reg) { return store(0, "u32", 4, reg); }

TEST(EmulatorDivergence, EveryLaneTakesItsOwnPath) {
    KernelRun run(kernel(
        "mov.u32 %r10, 0;\n"
        "and.b32 %r11, %r0, 1;\nsetp.eq.u32 %p1, %r11, 0;\n@%p1 bra EVEN;\n"
        "setp.gt.u32 %p2, %r0, 20;\n@%p2 bra FAR;\nmov.u32 %r10, 1;\nbra.uni JOIN;\n"
        "FAR:\nmov.u32 %r10, 2;\nbra.uni JOIN;\n"
        "EVEN:\nmov.u32 %r10, 3;\n"
        "JOIN:\nactivemask.b32 %r12;\nmad.lo.u32 %r10, %r10, 1000, %r0;\n" +
        store_r("%r10") + "add.u64 %rd10, %rd1, %rd60;\nst.global.u32 [%rd10], %r12;\n"
    ));
    run.out<uint32_t>("d", 32).out<uint32_t>("mask", 32).go();
    for (uint32_t t = 0; t < 32; ++t) {
        const uint32_t path = t % 2 == 0 ? 3 : t > 20 ? 2 : 1;
        EXPECT_EQ(run.get<uint32_t>("d")[t], path * 1000 + t);
        EXPECT_EQ(run.get<uint32_t>("mask")[t], ~0u) << "all lanes meet at JOIN";
    }
}

TEST(EmulatorDivergence, LanesLeaveALoopAfterTheirOwnCount) {
    KernelRun run(kernel(
        "mov.u32 %r10, 0;\n"
        "LOOP:\nadd.u32 %r10, %r10, 1;\nsetp.le.u32 %p1, %r10, %r0;\n@%p1 bra LOOP;\n"
        "activemask.b32 %r12;\nxor.b32 %r12, %r12, -1;\nadd.u32 %r10, %r10, %r12;\n" +
        store_r("%r10")
    ));
    run.out<uint32_t>("d", 32).go();
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], t + 1);
    // The loop's body runs 32 times, not once for every lane's count: lanes that are done wait behind the
    // loop.
    EXPECT_LT(run.result.warp_instructions, 32u * 3 + 40);
}

TEST(EmulatorDivergence, NestedLoopsStayTogether) {
    KernelRun run(kernel(
        "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\n"
        "OUTER:\nmov.u32 %r12, 0;\n"
        "INNER:\nadd.u32 %r10, %r10, 1;\nadd.u32 %r12, %r12, 1;\nsetp.lt.u32 %p1, %r12, %r0;\n@%p1 bra "
        "INNER;\n"
        "add.u32 %r11, %r11, 1;\nsetp.lt.u32 %p2, %r11, 10;\n@%p2 bra OUTER;\n" +
        store_r("%r10")
    ));
    run.out<uint32_t>("d", 32).go();
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], 10 * std::max(t, 1u));
    EXPECT_LT(run.result.warp_instructions, 10u * (31 * 4 + 6) + 40);
}

TEST(EmulatorDivergence, PredicatedInstructionsLeaveOtherLanesAlone) {
    KernelRun run(kernel(
        "mov.u32 %r10, 5;\nsetp.lt.u32 %p1, %r0, 8;\n@%p1 add.u32 %r10, %r10, 100;\n@!%p1 mov.u32 %r10, "
        "%r0;\n" +
        store_r("%r10")
    ));
    run.out<uint32_t>("d", 32).go();
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], t < 8 ? 105 : t);
}

TEST(EmulatorDivergence, ShufflesFollowTheirModes) {
    KernelRun run(
        kernel("mad.lo.u32 %r10, %r0, 10, 7;\n"
               "shfl.sync.bfly.b32 %r11, %r10, 5, 31, -1;\n"
               "shfl.sync.up.b32 %r12|%p1, %r10, 3, 0, -1;\n"
               "shfl.sync.down.b32 %r13|%p2, %r10, 4, 0x181f, -1;\n"  // segments of 8 lanes
               "shfl.sync.idx.b32 %r14, %r10, 2, 0x1c1f, -1;\n"       // segments of 4 lanes
               "selp.u32 %r15, 1, 0, %p1;\nselp.u32 %r16, 1, 0, %p2;\n"
               "mul.wide.u32 %rd10, %r0, 24;\nadd.u64 %rd10, %rd0, %rd10;\n"
               "st.global.v2.u32 [%rd10], {%r11, %r12};\nst.global.v2.u32 [%rd10+8], {%r13, %r14};\n"
               "st.global.v2.u32 [%rd10+16], {%r15, %r16};\n")
    );
    run.out<uint32_t>("d", 32 * 6).go();
    EXPECT_TRUE(run.result.incidents.empty());
    const auto d = run.get<uint32_t>("d");
    for (uint32_t t = 0; t < 32; ++t) {
        EXPECT_EQ(d[6 * t + 0], (t ^ 5) * 10 + 7);
        EXPECT_EQ(d[6 * t + 1], (t >= 3 ? t - 3 : t) * 10 + 7);
        EXPECT_EQ(d[6 * t + 2], (t % 8 < 4 ? t + 4 : t) * 10 + 7);
        EXPECT_EQ(d[6 * t + 3], (t / 4 * 4 + 2) * 10 + 7);
        EXPECT_EQ(d[6 * t + 4], t >= 3 ? 1u : 0u);
        EXPECT_EQ(d[6 * t + 5], t % 8 < 4 ? 1u : 0u);
    }
}

TEST(EmulatorDivergence, CollectivesWaitForLanesOnTheOtherPath) {
    // Lanes below 16 come to the shuffle by a longer way; all must be there when it reads.
    KernelRun run(kernel(
        "mov.u32 %r10, %r0;\nsetp.ge.u32 %p1, %r0, 16;\n@%p1 bra TOGETHER;\n"
        "add.u32 %r10, %r10, 100;\nadd.u32 %r10, %r10, 100;\n"
        "TOGETHER:\nshfl.sync.bfly.b32 %r11, %r10, 16, 31, -1;\n" +
        store_r("%r11")
    ));
    run.out<uint32_t>("d", 32).go();
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], t < 16 ? t + 16 : t - 16 + 200);
    EXPECT_TRUE(run.result.incidents.empty());
}

TEST(EmulatorDivergence, HalfWarpsHaveTheirOwnCollectives) {
    KernelRun run(kernel(
        "setp.ge.u32 %p1, %r0, 16;\n@%p1 bra UPPER;\n"
        "vote.sync.ballot.b32 %r10, %p1, 0xffff;\nbra.uni DONE;\n"
        "UPPER:\nvote.sync.ballot.b32 %r10, %p1, 0xffff0000;\n"
        "DONE:\n" +
        store_r("%r10")
    ));
    run.out<uint32_t>("d", 32).go();
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], t < 16 ? 0 : 0xffff0000u);
    EXPECT_TRUE(run.result.incidents.empty());
}

TEST(EmulatorDivergence, TilesOfAWarpVoteMatchReduceAndElectApart) {
    KernelRun run(kernel(
        "and.b32 %r10, %r0, 24;\nshl.b32 %r11, 255, %r10;\nand.b32 %r12, %r0, 1;\n"  // tiles of 8 lanes
        "setp.ne.u32 %p1, %r12, 0;\nsetp.lt.u32 %p3, %r0, 12;\nbar.warp.sync %r11;\n"
        "vote.sync.ballot.b32 %r13, %p1, %r11;\nvote.sync.all.pred %p2, %p3, %r11;\n"
        "redux.sync.add.u32 %r14, %r0, %r11;\nmatch.any.sync.b32 %r15, %r12, %r11;\n"
        "elect.sync %r16|%p4, %r11;\nselp.u32 %r17, 1, 0, %p2;\nselp.u32 %r18, 1, 0, %p4;\n"
        "mul.wide.u32 %rd10, %r0, 24;\nadd.u64 %rd10, %rd0, %rd10;\n"
        "st.global.v2.u32 [%rd10], {%r13, %r14};\nst.global.v2.u32 [%rd10+8], {%r15, %r16};\n"
        "st.global.v2.u32 [%rd10+16], {%r17, %r18};\n"
    ));
    run.out<uint32_t>("d", 32 * 6).go();
    EXPECT_TRUE(run.result.incidents.empty());
    const auto d = run.get<uint32_t>("d");
    for (uint32_t t = 0; t < 32; ++t) {
        const uint32_t first = t & 24, odd = 0xaau << first, tile = 0xffu << first;
        EXPECT_EQ(d[6 * t], odd);
        EXPECT_EQ(d[6 * t + 1], 8 * first + 28);
        EXPECT_EQ(d[6 * t + 2], t % 2 != 0 ? odd : tile & ~odd);
        EXPECT_EQ(d[6 * t + 3], first);
        EXPECT_EQ(d[6 * t + 4], first == 0);
        EXPECT_EQ(d[6 * t + 5], t == first);
    }
}

TEST(EmulatorDivergence, ATileDoesNotWaitForAnother) {
    for (const std::string collective : {"bar.warp.sync %r11;", "vote.sync.any.pred %p4, %p1, %r11;"}) {
        // Lanes 24..31 come when lane 0 has passed, which lanes 16..23 cannot.
        KernelRun run(kernel(
            ".shared .u32 flag;\nst.shared.u32 [flag], 0;\nbar.sync 0;\n"
            "and.b32 %r10, %r0, 16;\nshl.b32 %r11, 0xffff, %r10;\nsetp.lt.u32 %p1, %r0, 24;\n"
            "@%p1 bra MEET;\nSPIN:\nld.volatile.shared.u32 %r12, [flag];\nsetp.eq.u32 %p2, %r12, 0;\n"
            "@%p2 bra SPIN;\nMEET:\n" +
            collective + "\nsetp.eq.u32 %p3, %r0, 0;\n@%p3 st.volatile.shared.u32 [flag], 1;\n" +
            store_r("%r0")
        ));
        run.options.checks = {false, false, false};
        run.options.budget = 1 << 20;
        run.out<uint32_t>("d", 32).go();
        EXPECT_TRUE(run.result.incidents.empty()) << collective;
        for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], t) << collective;
    }
}

// Lanes that have exited are not asked for: PTX ISA of vote, match, redux and shfl, CUDA's guide of
// __syncwarp.
TEST(EmulatorDivergence, AMaskMayNameALaneThatHasExited) {
    for (const std::string collective :
         {"vote.sync.ballot.b32 %r10, 1, -1;",
          "match.any.sync.b32 %r10, 5, -1;",
          "bar.warp.sync -1;",
          "redux.sync.add.s32 %r10, 1, -1;",
          "shfl.sync.bfly.b32 %r10, %r0, 4, 31, 0xfffffff0;"}) {
        const bool tile = collective.starts_with("shfl");  // it names lanes 4..7, which no lane reads
        KernelRun run(kernel(
            std::string("setp.eq.u32 %p1, %r0, 3;\n@%p1 exit;\n") +
            (tile ? "setp.lt.u32 %p2, %r0, 8;\n@%p2 exit;\n" : "") + collective + "\n" + store_r("%r0")
        ));
        run.out<uint32_t>("d", 32).go();
        EXPECT_TRUE(run.incidents(Incident::Kind::lane_not_in_mask).empty()) << collective;
        EXPECT_EQ(run.get<uint32_t>("d")[31], 31u) << collective;
    }
    KernelRun vote(
        kernel("setp.eq.u32 %p1, %r0, 3;\n@%p1 exit;\nvote.sync.ballot.b32 %r10, 1, -1;\n" + store_r("%r10"))
    );
    vote.out<uint32_t>("d", 32).go();
    EXPECT_EQ(vote.get<uint32_t>("d")[0], ~8u);
}

// Nor in tiles, of which each has lost a lane and one all of its lanes, nor where masks differ in such a
// lane.
TEST(EmulatorDivergence, AMaskOfATileMayNameALaneThatHasExited) {
    const std::string tiles = "and.b32 %r11, %r0, 24;\nshl.b32 %r11, 255, %r11;\nand.b32 %r12, %r0, 7;\n";
    const std::string less =
        "and.b32 %r13, %r0, 24;\nshl.b32 %r13, 8, %r13;\nsetp.eq.u32 %p3, %r12, 1;\n"
        "@%p3 xor.b32 %r11, %r11, %r13;\n";
    const std::string gone =
        "setp.eq.u32 %p1, %r12, 3;\n@%p1 exit;\n"
        "and.b32 %r13, %r0, 24;\nsetp.eq.u32 %p2, %r13, 16;\n@%p2 exit;\n";
    for (const std::string& masks : {tiles, tiles + less})
        for (const std::string collective :
             {"vote.sync.ballot.b32 %r10, 1, %r11;",
              "match.any.sync.b32 %r10, 5, %r11;",
              "bar.warp.sync %r11;\nmov.u32 %r10, %r0;",
              "redux.sync.add.s32 %r10, 1, %r11;",
              "shfl.sync.bfly.b32 %r10, %r0, 4, 31, %r11;"}) {
            const bool reads = collective.starts_with("shfl");  // 7 would read 3
            std::string body = masks + gone;
            if (reads) body += "setp.eq.u32 %p2, %r12, 7;\n@%p2 exit;\n";
            body.append(collective).append("\n").append(store_r("%r10"));
            KernelRun run(kernel(body));
            run.out<uint32_t>("d", 32).go();
            EXPECT_TRUE(run.result.incidents.empty()) << masks << collective;
            const auto d = run.get<uint32_t>("d");
            if (collective.starts_with("vote")) { EXPECT_EQ(d[31], 0xf7000000u); }
            if (reads) { EXPECT_EQ(d[30], 26u); }
        }
}

// Whoever is gone is none of those that do not come.
TEST(EmulatorDivergence, LanesThatNeverComeAreThoseThatHaveNotExited) {
    KernelRun run(kernel(
        "setp.eq.u32 %p1, %r0, 3;\n@%p1 exit;\nsetp.eq.u32 %p2, %r0, 5;\n@%p2 bra ASIDE;\n"
        "vote.sync.ballot.b32 %r10, 1, -1;\nbra DONE;\nASIDE:\nbar.sync 0;\nDONE:\n" +
        store_r("%r0")
    ));
    run.out<uint32_t>("d", 32).go();
    const auto found = run.incidents(Incident::Kind::lane_not_in_mask);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.lanes, 1u << 5) << found[0].detail;
}

// elect.sync waits for all threads of its mask, and the leader may be one that is gone.
TEST(EmulatorDivergence, AnElectionWithALaneThatHasExitedIsFound) {
    KernelRun run(kernel("setp.eq.u32 %p1, %r0, 3;\n@%p1 exit;\nelect.sync %r10|%p2, -1;\n" + store_r("%r10"))
    );
    run.out<uint32_t>("d", 32).go();
    const auto found = run.incidents(Incident::Kind::lane_not_in_mask);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.lanes, 8u);
}

// Each lane names another group's lanes: the union of the masks is the whole warp.
TEST(EmulatorDivergence, ALaneOutsideOfItsOwnMaskIsFound) {
    for (const std::string collective : {"bar.warp.sync %r11;", "vote.sync.any.pred %p4, %p1, %r11;"}) {
        KernelRun run(kernel(
            "and.b32 %r10, %r0, 3;\nshl.b32 %r10, %r10, 3;\nshl.b32 %r11, 0xff, %r10;\n" + collective + "\n" +
            store_r("%r0")
        ));
        run.out<uint32_t>("d", 32).go();
        const auto found = run.incidents(Incident::Kind::lane_not_in_mask);
        ASSERT_EQ(found.size(), 1u) << collective;
        EXPECT_EQ(found[0].first.lanes, 0x77bbddeeu) << collective;
        EXPECT_NE(found[0].detail.find("lane 1 names 0x0000ff00"), std::string::npos) << found[0].detail;
        EXPECT_EQ(run.get<uint32_t>("d")[31], 31u) << "the run goes on";
    }
}

// Every lane is in its own mask, and no two of a pair name the same.
TEST(EmulatorDivergence, LanesThatNameDifferentSetsAreFound) {
    for (const std::string collective :
         {"bar.warp.sync %r11;", "shfl.sync.idx.b32 %r12, %r0, %r0, 31, %r11;"}) {
        // Lanes 0..15 name all, lanes 16..31 all but lane 0.
        KernelRun run(kernel(
            "setp.lt.u32 %p1, %r0, 16;\nselp.b32 %r11, 0xffffffff, 0xfffffffe, %p1;\n" + collective + "\n" +
            store_r("%r0")
        ));
        run.out<uint32_t>("d", 32).go();
        const auto found = run.incidents(Incident::Kind::lane_not_in_mask);
        ASSERT_EQ(found.size(), 1u) << collective;
        EXPECT_NE(
            found[0].detail.find("lane 0 executes it with the member mask 0xffffffff"), std::string::npos
        ) << found[0].detail;
        EXPECT_NE(found[0].detail.find("lane 16; that one executes it with 0xfffffffe"), std::string::npos)
            << found[0].detail;
        EXPECT_EQ(run.get<uint32_t>("d")[31], 31u) << "the run goes on";
    }
}

// The right twin: of each four two begin as a pair, while the others wait for them with the mask of all four.
TEST(EmulatorDivergence, MasksThatGrowFromTurnToTurnAreRight) {
    KernelRun run(kernel(
        "mov.u32 %r12, 2;\nand.b32 %r14, %r0, 2;\nsetp.ne.u32 %p3, %r14, 0;\nselp.b32 %r12, 4, %r12, %p3;\n"
        "LOOP:\nsub.u32 %r10, 0, %r12;\nand.b32 %r10, %r10, %r0;\nmov.u32 %r11, 1;\nshl.b32 %r11, %r11, "
        "%r12;\n"
        "sub.u32 %r11, %r11, 1;\nshl.b32 %r11, %r11, %r10;\n"
        "shfl.sync.bfly.b32 %r13, %r0, 1, 31, %r11;\nadd.u32 %r12, %r12, %r12;\n"
        "setp.le.u32 %p1, %r12, 16;\n@%p1 bra LOOP;\n" +
        store_r("%r13")
    ));
    run.out<uint32_t>("d", 32).go();
    EXPECT_TRUE(run.result.incidents.empty());
    for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], t ^ 1);
}

TEST(EmulatorDivergence, AMaskWhoseLanesNeverComeIsFoundAndTheRunGoesOn) {
    KernelRun run(kernel(
        "setp.lt.u32 %p1, %r0, 4;\n@%p1 bra FEW;\nvote.sync.ballot.b32 %r10, 1, -1;\nbra.uni DONE;\n"
        "FEW:\nmov.u32 %r10, 77;\nshfl.sync.idx.b32 %r10, %r10, 0, 31, -1;\n"
        "DONE:\n" +
        store_r("%r10")
    ));
    run.out<uint32_t>("d", 32).go();
    EXPECT_EQ(run.result.blocks, 1u);
    EXPECT_GE(run.incidents(Incident::Kind::lane_not_in_mask).size(), 1u);
    EXPECT_EQ(run.get<uint32_t>("d")[0], 77u);
}

TEST(EmulatorDivergence, AShuffleFromAnInactiveLaneIsFound) {
    KernelRun run(kernel(
        "setp.ge.u32 %p1, %r0, 8;\n@%p1 bra DONE;\n"
        "shfl.sync.down.b32 %r10, %r0, 4, 31, 0xff;\n" +
        store_r("%r10") + "DONE:\n"
    ));
    run.out<uint32_t>("d", 32).go();
    const auto found = run.incidents(Incident::Kind::lane_not_in_mask);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.lanes, 0xf0u);
}

TEST(EmulatorDivergence, SyncwarpAtTwoPlacesIsOneBarrier) {
    KernelRun run(kernel(
        "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra LOW;\nbar.warp.sync -1;\nmov.u32 %r10, 1;\nbra.uni DONE;\n"
        "LOW:\nbar.warp.sync -1;\nmov.u32 %r10, 2;\n"
        "DONE:\n" +
        store_r("%r10")
    ));
    run.out<uint32_t>("d", 32).go();
    EXPECT_TRUE(run.result.incidents.empty());
    EXPECT_EQ(run.get<uint32_t>("d")[0], 2u);
    EXPECT_EQ(run.get<uint32_t>("d")[31], 1u);
}

TEST(EmulatorDivergence, ALaneMaySpinOnAnotherLaneOfItsWarp) {
    // Lane 0 waits for what lane 1 stores behind the loop in program order: independent thread scheduling.
    KernelRun run(kernel(
        "setp.eq.u32 %p1, %r0, 0;\n@!%p1 bra GIVE;\n"
        "SPIN:\nld.volatile.global.u32 %r10, [%rd1];\nsetp.eq.u32 %p2, %r10, 0;\n@%p2 bra SPIN;\nbra.uni "
        "DONE;\n"
        "GIVE:\nmov.u32 %r10, 9;\nst.volatile.global.u32 [%rd1], %r10;\n"
        "DONE:\n" +
        store_r("%r10")
    ));
    run.out<uint32_t>("d", 32).in("flag", std::vector<uint32_t>{0});
    run.options.budget = 1 << 20;
    run.go();
    EXPECT_EQ(run.result.blocks, 1u);
    EXPECT_EQ(run.get<uint32_t>("d")[0], 9u);
}

// The forms before sm_70: no member mask; those who stand at the instruction take part.
TEST(EmulatorDivergence, ShufflesAndVotesWithoutAMaskTakeTheLanesThatStandThere) {
    KernelRun run(
        kernel("mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 99;\nsetp.ge.u32 %p1, %r0, 12;\n"
               "setp.eq.u32 %p2, %r0, 4;\nshfl.up.b32 %r13|%p3, %r0, 1, 0;\nselp.u32 %r14, 1, 0, %p3;\n"
               "@%p1 bra JOIN;\n"
               "vote.ballot.b32 %r10, %p2;\nvote.any.pred %p4, %p2;\nselp.u32 %r11, 1, 0, %p4;\n"
               "shfl.bfly.b32 %r12, %r0, 2, 31;\n"
               "JOIN:\nvote.all.pred %p5, !%p2;\nselp.u32 %r15, 1, 0, %p5;\n"
               "@!%p1 vote.ballot.b32 %r15, !%p2;\n"
               "mul.wide.u32 %rd10, %r0, 24;\nadd.u64 %rd10, %rd0, %rd10;\n"
               "st.global.v2.u32 [%rd10], {%r10, %r11};\nst.global.v2.u32 [%rd10+8], {%r12, %r13};\n"
               "st.global.v2.u32 [%rd10+16], {%r14, %r15};\n")
    );
    run.out<uint32_t>("d", 32 * 6).go();
    EXPECT_TRUE(run.result.incidents.empty());
    const auto d = run.get<uint32_t>("d");
    for (uint32_t t = 0; t < 32; ++t) {
        EXPECT_EQ(d[6 * t], t < 12 ? 1u << 4 : 0u) << t;
        EXPECT_EQ(d[6 * t + 1], t < 12 ? 1u : 0u) << t;
        EXPECT_EQ(d[6 * t + 2], t < 12 ? t ^ 2 : 99u) << t;
        EXPECT_EQ(d[6 * t + 3], t == 0 ? 0 : t - 1) << t;
        EXPECT_EQ(d[6 * t + 4], t == 0 ? 0u : 1u) << t;
        EXPECT_EQ(d[6 * t + 5], t < 12 ? 0xfffu & ~(1u << 4) : 0u) << t;
    }
}

TEST(EmulatorDivergence, VotesMatchesAndReductions) {
    KernelRun run(
        kernel("and.b32 %r10, %r0, 3;\nmatch.any.sync.b32 %r11, %r10, -1;\n"
               "redux.sync.add.s32 %r12, %r0, -1;\nredux.sync.max.u32 %r13, %r0, -1;\n"
               "setp.lt.u32 %p1, %r0, 40;\nvote.sync.all.pred %p2, %p1, -1;\nselp.u32 %r14, 1, 0, %p2;\n"
               "match.all.sync.b32 %r15|%p3, %r10, -1;\nselp.u32 %r16, 1, 0, %p3;\n"
               "mul.wide.u32 %rd10, %r0, 24;\nadd.u64 %rd10, %rd0, %rd10;\n"
               "st.global.v2.u32 [%rd10], {%r11, %r12};\nst.global.v2.u32 [%rd10+8], {%r13, %r14};\n"
               "st.global.v2.u32 [%rd10+16], {%r15, %r16};\n")
    );
    run.out<uint32_t>("d", 32 * 6).go();
    const auto d = run.get<uint32_t>("d");
    for (uint32_t t = 0; t < 32; ++t) {
        EXPECT_EQ(d[6 * t], 0x11111111u << t % 4);
        EXPECT_EQ(d[6 * t + 1], 496u);
        EXPECT_EQ(d[6 * t + 2], 31u);
        EXPECT_EQ(d[6 * t + 3], 1u);
        EXPECT_EQ(d[6 * t + 4], 0u);
        EXPECT_EQ(d[6 * t + 5], 0u);
    }
}

}  // namespace
}  // namespace wl::emulator::test
