// mbarriers: phases by arrivals and bytes, what a wait orders, and what may not be done with them.
#include "tests/emulator/emulator_kernel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

const std::string kShared = ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 s[4096];\n";

// Thread 0 makes the mbarrier for `count` arrivals before all threads start with `body`.
std::string with_mbarrier(const std::string& count, const std::string& body) {
    return kernel(
        "mov.u32 %r10, bar;\nmov.u32 %r11, s;\nshl.b32 %r12, %r0, 2;\nadd.u32 %r12, %r12, %r11;\n"
        "setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [%r10], " +
            count + ";\nbar.sync 0;\n" + body,
        kShared
    );
}
const std::string kWait = "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r10], 0;\n@!%p2 bra WAIT;\n";
// Each thread reads the word of the thread 32 on, of 64.
const std::string kReadOther =
    "xor.b32 %r13, %r0, 32;\nshl.b32 %r13, %r13, 2;\nadd.u32 %r13, %r13, %r11;\nld.shared.u32 %r14, "
    "[%r13];\n";
const std::string kWriteOwn = "mul.lo.u32 %r20, %r0, 3;\nst.shared.u32 [%r12], %r20;\n";

std::vector<uint32_t> others() {
    std::vector<uint32_t> v(64);
    for (uint32_t t = 0; t < 64; ++t) v[t] = 3 * (t ^ 32);
    return v;
}

TEST(EmulatorMbarrier, AWaitOrdersWhatArrivedBeforeIt) {
    KernelRun run(
        with_mbarrier(
            "64",
            kWriteOwn + "mbarrier.arrive.shared.b64 %rd20, [%r10];\n" + kWait + kReadOther +
                store(0, "u32", 4, "%r14")
        ),
        64
    );
    run.out<uint32_t>("d", 64).go();
    EXPECT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
    EXPECT_EQ(run.get<uint32_t>("d"), others());
}

TEST(EmulatorMbarrier, WithoutTheWaitItIsARace) {
    KernelRun run(
        with_mbarrier(
            "64",
            kWriteOwn + "mbarrier.arrive.shared.b64 %rd20, [%r10];\n" + kReadOther +
                store(0, "u32", 4, "%r14")
        ),
        64
    );
    run.out<uint32_t>("d", 64).go();
    EXPECT_FALSE(run.incidents(Incident::Kind::race_shared).empty());
}

// One lane of each warp arrives: for the others' stores only behind a bar.warp.sync.
std::string elected(const std::string& sync) {
    return with_mbarrier(
        "2",
        kWriteOwn + sync +
            "and.b32 %r15, %r0, 31;\nsetp.eq.u32 %p3, %r15, 0;\n@%p3 mbarrier.arrive.shared.b64 %rd20, "
            "[%r10];\n" +
            kWait + kReadOther + store(0, "u32", 4, "%r14")
    );
}

TEST(EmulatorMbarrier, AnElectedLaneArrivesForItsWarpAfterASyncwarp) {
    KernelRun run(elected("bar.warp.sync 0xffffffff;\n"), 64);
    run.out<uint32_t>("d", 64).go();
    EXPECT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
    EXPECT_EQ(run.get<uint32_t>("d"), others());
}

TEST(EmulatorMbarrier, WithoutTheSyncwarpTheOtherLanesRace) {
    KernelRun run(elected(""), 64);
    run.out<uint32_t>("d", 64).go();
    const auto races = run.incidents(Incident::Kind::race_shared);
    ASSERT_EQ(races.size(), 1u);
    EXPECT_EQ(races[0].second.lanes & 1, 0u) << "what lane 0 stored was released";
}

TEST(EmulatorMbarrier, ASplitThatSpinsLetsItsOwnWarpGoOn) {
    // Lanes 0 to 15 wait for what lanes 16 to 31 of the same warp do behind them in the program.
    KernelRun run(with_mbarrier(
        "16",
        kWriteOwn + "setp.ge.u32 %p4, %r0, 16;\n@%p4 bra ARRIVE;\n" + kWait +
            "ld.shared.u32 %r14, [%r12+64];\nbra DONE;\nARRIVE:\n"
            "mbarrier.arrive.shared.b64 %rd20, [%r10];\nmov.u32 %r14, 7;\nDONE:\n" +
            store(0, "u32", 4, "%r14")
    ));
    run.out<uint32_t>("d", 32).go();
    EXPECT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
    EXPECT_EQ(run.get<uint32_t>("d")[3], 3u * 19);
    EXPECT_LT(run.result.warp_instructions, 500u) << "a wait in vain ends the turn";
}

TEST(EmulatorMbarrier, APhaseWaitsForItsBytesToo) {
    KernelRun run(
        with_mbarrier(
            "1",
            "mbarrier.arrive.expect_tx.shared.b64 %rd20, [%r10], 48;\n"
            "mbarrier.test_wait.shared.b64 %p2, [%r10], %rd20;\nselp.u32 %r14, 1, 0, %p2;\n"
            "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r10], 48;\n"
            "mbarrier.test_wait.shared.b64 %p2, [%r10], %rd20;\nselp.u32 %r15, 1, 0, %p2;\n"
            "shl.b32 %r15, %r15, 1;\nor.b32 %r14, %r14, %r15;\n" +
                store(0, "u32", 4, "%r14")
        ),
        1
    );
    run.out<uint32_t>("d", 1).go();
    EXPECT_TRUE(run.result.incidents.empty());
    EXPECT_EQ(run.get<uint32_t>("d")[0], 2u);
}

TEST(EmulatorMbarrier, DroppedArrivalsAreMissingInTheNextPhase) {
    KernelRun run(
        with_mbarrier(
            "2",
            "mbarrier.arrive_drop.shared.b64 %rd20, [%r10];\nmbarrier.arrive.shared.b64 %rd21, [%r10];\n"
            "mbarrier.arrive.shared.b64 %rd22, [%r10];\nmbarrier.pending_count.b64 %r14, %rd22;\n"
            "mbarrier.test_wait.shared.b64 %p2, [%r10], %rd22;\nselp.u32 %r15, 100, 0, %p2;\n"
            "add.u32 %r14, %r14, %r15;\n" +
                store(0, "u32", 4, "%r14")
        ),
        1
    );
    run.out<uint32_t>("d", 1).go();
    EXPECT_TRUE(run.result.incidents.empty());
    EXPECT_EQ(run.get<uint32_t>("d")[0], 101u) << "one arrival was pending and ended the second phase";
}

// cp.async of 64 threads, tracked by the mbarrier; each then reads what the other warp copied.
std::string tracked(const std::string& arrival, const std::string& wait) {
    return with_mbarrier(
        "64",
        "mul.wide.u32 %rd10, %r0, 4;\nadd.u64 %rd10, %rd1, %rd10;\n"
        "cp.async.ca.shared.global [%r12], [%rd10], 4;\n" +
            arrival + wait + kReadOther + store(0, "u32", 4, "%r14")
    );
}
std::vector<uint32_t> threes() {
    std::vector<uint32_t> v(64);
    for (uint32_t t = 0; t < 64; ++t) v[t] = 3 * t;
    return v;
}

TEST(EmulatorMbarrier, TracksCopiesWithAndWithoutTheirOwnArrivals) {
    for (const std::string arrival :
         {"cp.async.mbarrier.arrive.noinc.shared.b64 [%r10];\n",
          "cp.async.mbarrier.arrive.shared.b64 [%r10];\nmbarrier.arrive.shared.b64 %rd20, [%r10];\n"}) {
        KernelRun run(tracked(arrival, kWait), 64);
        run.out<uint32_t>("d", 64).in("a", threes()).go();
        EXPECT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
        EXPECT_EQ(run.get<uint32_t>("d"), others());
    }
}

TEST(EmulatorMbarrier, ACopyThatNobodyWaitedForIsFound) {
    KernelRun run(tracked("cp.async.mbarrier.arrive.noinc.shared.b64 [%r10];\nbar.sync 0;\n", ""), 64);
    run.out<uint32_t>("d", 64).in("a", threes()).go();
    EXPECT_EQ(run.incidents(Incident::Kind::async_copy_wait).size(), 1u);
}

std::vector<Incident> misuse(const std::string& body, const std::string& count = "1") {
    KernelRun run(with_mbarrier(count, body), 1);
    run.out<uint32_t>("d", 1).go();
    EXPECT_EQ(run.result.incidents.size(), 1u);
    return run.incidents(Incident::Kind::mbarrier_misuse);
}

TEST(EmulatorMbarrier, MisuseIsToldWithItsWitness) {
    const std::string arrive = "mbarrier.arrive.shared.b64 %rd20, [%r10];\n";
    auto found = misuse("mbarrier.arrive.shared.b64 %rd20, [%r11];\n");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].detail.find("no mbarrier.init"), std::string::npos);
    EXPECT_EQ(found[0].first.memory, "shared");

    found = misuse("mbarrier.inval.shared.b64 [%r10];\n" + arrive);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].detail.find("inval"), std::string::npos);
    EXPECT_EQ(found[0].second.site + 1, found[0].first.site) << "where it was invalidated";

    found = misuse("mbarrier.arrive.shared.b64 %rd20, [%r10], 3;\n", "2");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].detail.find("3 arrivals where the phase lacks 2 of 2"), std::string::npos);

    found = misuse("st.shared.u32 [%r10+4], 5;\n" + arrive);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].second.site + 1, found[0].first.site) << "the store over it";

    found = misuse("mbarrier.init.shared.b64 [%r10], 1;\n");
    ASSERT_EQ(found.size(), 1u);
    found = misuse("mbarrier.test_wait.parity.shared.b64 %p2, [%r10], 3;\n");
    ASSERT_EQ(found.size(), 1u);
    found = misuse("mbarrier.arrive.noComplete.shared.b64 %rd20, [%r10], 1;\n");
    ASSERT_EQ(found.size(), 1u);
}

TEST(EmulatorMbarrier, InitMustBeOrderedBeforeItsUse) {
    KernelRun run(
        kernel(
            "mov.u32 %r10, bar;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [%r10], 64;\n"
            "mbarrier.arrive.shared.b64 %rd20, [%r10];\n",
            kShared
        ),
        64
    );
    run.go();
    EXPECT_EQ(run.incidents(Incident::Kind::race_shared).size(), 1u);
    EXPECT_EQ(run.incidents(Incident::Kind::race_warp).size(), 1u);
}

// As cuda::pipeline does: of all that have waited, whoever counts up last ends it.
TEST(EmulatorMbarrier, TheLastMayEndItButNotStoreOverIt) {
    for (const std::string end : {"mbarrier.inval.shared.b64 [%r10];\n", "st.shared.u32 [%r10], 5;\n"}) {
        const std::string body = fmt::format(
            "@%p1 st.shared.u32 [%r11], 0;\nbar.sync 0;\nmbarrier.arrive.shared.b64 %rd20, [%r10];\n{}"
            "and.b32 %r15, %r0, 31;\nsetp.ne.u32 %p3, %r15, 0;\n@%p3 bra DONE;\nfence.sc.cta;\n"
            "atom.acquire.cta.shared.add.u32 %r16, [%r11], 1;\nsetp.ne.u32 %p4, %r16, 1;\n"
            "@%p4 bra DONE;\n{}DONE:\n",
            kWait,
            end
        );
        KernelRun run(with_mbarrier("64", body), 64);
        run.go();
        EXPECT_EQ(run.result.incidents.empty(), end.starts_with("mbarrier"));
    }
}

TEST(EmulatorMbarrier, AWaitThatNobodyEndsIsADeadlockWithItsNumbers) {
    KernelRun run(with_mbarrier("65", "mbarrier.arrive.shared.b64 %rd20, [%r10];\n" + kWait), 64);
    run.go();
    const auto found = run.incidents(Incident::Kind::deadlock);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].detail.find("phase 0, of parity 0, lacks 1 of 65 arrivals"), std::string::npos)
        << found[0].detail;
}

TEST(EmulatorMbarrier, TheOpaqueWordIsTheHardwares) {
    // ptxas 13.0 for sm_90 computes the word that mbarrier.init stores: (2^20 - count) at bits 1 and 43.
    KernelRun run(with_mbarrier("5", "ld.shared.u64 %rd20, [%r10];\nst.global.u64 [%rd0], %rd20;\n"), 1);
    run.out<uint64_t>("d", 1).go();
    const uint64_t field = (1u << 20) - 5;
    EXPECT_EQ(run.get<uint64_t>("d")[0], field << 43 | field << 1);
}

}  // namespace
}  // namespace wl::emulator::test
