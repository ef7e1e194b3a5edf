// A block that is a cluster of its own: its barrier orders accesses, its addresses are its own.
#include "instrumentation/base/error.h"
#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

using Kind = Incident::Kind;

const std::string kShared = ".shared .align 16 .b8 s[512];\n";

// Each thread stores a word of s and, after `between`, loads that of the thread 32 further.
std::string exchange(const std::string& between) {
    return kernel(
        "mov.u32 %r10, s;\nshl.b32 %r11, %r0, 2;\nadd.u32 %r12, %r10, %r11;\nst.shared.u32 [%r12], %r0;\n" +
            between + "xor.b32 %r13, %r11, 128;\nadd.u32 %r13, %r10, %r13;\nld.shared.u32 %r14, [%r13];\n" +
            store(0, "u32", 4, "%r14"),
        kShared
    );
}
KernelRun run_of(const std::string& between) {
    KernelRun run(exchange(between), 64);
    run.out<uint32_t>("d", 64).go();
    return run;
}

TEST(EmulatorCluster, ItsBarrierOrdersAccesses) {
    const KernelRun run = run_of("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n");
    EXPECT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
    for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], t ^ 32);
    EXPECT_FALSE(run_of("").incidents(Kind::race_shared).empty());
    const std::string relaxed = "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;\n";
    EXPECT_FALSE(run_of(relaxed).incidents(Kind::race_shared).empty());
}

TEST(EmulatorCluster, ItsBarrierComesAgain) {
    std::string twice;
    for (int k = 0; k < 2; ++k) twice += "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
    EXPECT_TRUE(run_of(twice).result.incidents.empty());
}

TEST(EmulatorCluster, AThreadThatNeverArrivesIsADeadlock) {
    const std::string most = "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra W;\nbarrier.cluster.arrive;\nW:\n";
    const KernelRun run = run_of(most + "barrier.cluster.wait;\nbar.sync 0;\n");
    EXPECT_FALSE(run.incidents(Kind::deadlock).empty());
}

TEST(EmulatorCluster, ArrivingTwiceIsFound) {
    const KernelRun run = run_of("barrier.cluster.arrive;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n");
    EXPECT_FALSE(run.incidents(Kind::divergent_barrier).empty());
}

TEST(EmulatorCluster, AddressesAreThoseOfTheOneBlock) {
    const auto mapped = [](int rank) {
        KernelRun run(
            kernel(
                fmt::format(
                    "mov.u32 %r10, s;\nmov.u32 %r15, {};\nmapa.shared::cluster.u32 %r11, %r10, %r15;\n"
                    "getctarank.shared::cluster.u32 %r12, %r11;\nsub.u32 %r13, %r11, %r10;\nadd.u32 %r13, "
                    "%r13, %r12;\n",
                    rank
                ) + store(0, "u32", 4, "%r13"),
                kShared
            ),
            1
        );
        run.out<uint32_t>("d", 1).go();
        return run;
    };
    EXPECT_TRUE(mapped(0).result.incidents.empty());
    EXPECT_EQ(mapped(0).get<uint32_t>("d")[0], 0u);
    EXPECT_EQ(mapped(1).incidents(Kind::out_of_bounds).size(), 1u);
}

TEST(EmulatorCluster, ClustersOfSeveralBlocksAreRefused) {
    const std::string text = exchange("barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
    const auto with = [&](const std::string& directive) {
        std::string t = text;
        t.insert(t.find(")\n{") + 2, directive + "\n");
        return t;
    };
    EXPECT_NO_THROW(KernelRun(with(".reqnctapercluster 1, 1, 1"), 64));
    EXPECT_THROW(KernelRun(with(".reqnctapercluster 2, 1, 1"), 64), Unsupported);
}

}  // namespace
}  // namespace wl::emulator::test
