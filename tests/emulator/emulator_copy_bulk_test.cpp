// cp.async.bulk: the bytes arrive with the phase of their mbarrier, and the checks follow from the row.
#include "instrumentation/emulator/poison/poison.h"
#include "instrumentation/emulator/program/program.h"
#include "tests/emulator/emulator_kernel.h"

#include <ctime>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

const std::string kWait = "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r10], 0;\n@!%p2 bra WAIT;\n";
const std::string kRead = "ld.shared.u32 %r14, [%r12];\n" + store(0, "u32", 4, "%r14");
const std::string kExpect = "@%p1 mbarrier.arrive.expect_tx.shared.b64 %rd20, [%r10], %r16;\n";

// What thread 0 executes to copy %r16 bytes from parameter 1 to s.
std::string copy(
    const std::string& to = "%r11", const std::string& from = "%rd1", const std::string& space = "cluster"
) {
    return "@%p1 cp.async.bulk.shared::" + space + ".global.mbarrier::complete_tx::bytes [" + to + "], [" +
        from + "], %r16, [%r10];\n";
}

// Thread 0 makes an mbarrier for one arrival before all threads start with `body`; %r12 is the own word of s.
std::string with_barrier(const std::string& body, uint32_t bytes = 256) {
    return kernel(
        "mov.u32 %r10, bar;\nmov.u32 %r11, s;\nshl.b32 %r12, %r0, 2;\nadd.u32 %r12, %r12, %r11;\n"
        "mov.u32 %r16, " +
            std::to_string(bytes) +
            ";\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared.b64 [%r10], 1;\nbar.sync 0;\n" + body,
        ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 s[512];\n"
    );
}

std::vector<uint32_t> numbers() {
    std::vector<uint32_t> v(128);
    for (uint32_t k = 0; k < 128; ++k) v[k] = 7 * k + 1;
    return v;
}

KernelRun run_of(const std::string& body, uint32_t bytes = 256, uint32_t blocks = 1) {
    KernelRun run(with_barrier(body, bytes), 64, blocks);
    run.out<uint32_t>("d", size_t{64} * blocks).in("a", numbers()).go();
    return run;
}

TEST(EmulatorCopyBulk, ArrivesWithItsPhase) {
    for (const char* space : {"cluster", "cta"}) {
        const KernelRun run =
            run_of(fmt::format("{}{}{}{}", kExpect, copy("%r11", "%rd1+16", space), kWait, kRead));
        EXPECT_TRUE(run.result.incidents.empty()) << run.result.incidents[0].detail;
        for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(run.get<uint32_t>("d")[t], 7 * (t + 4) + 1);
    }
}

TEST(EmulatorCopyBulk, SeveralCopiesCountForOnePhase) {
    const std::string half = "@%p1 mov.u32 %r16, 128;\n";
    const KernelRun run = run_of(kExpect + half + copy() + copy("%r11+128", "%rd1+256") + kWait + kRead);
    EXPECT_TRUE(run.result.incidents.empty());
    EXPECT_EQ(run.get<uint32_t>("d")[31], 7u * 31 + 1);
    EXPECT_EQ(run.get<uint32_t>("d")[32], 7u * 64 + 1);
}

TEST(EmulatorCopyBulk, WithoutTheWaitSeesPoisonAndIsFound) {
    const KernelRun run = run_of(kExpect + copy() + "bar.sync 0;\n" + kRead);
    EXPECT_EQ(run.get<uint32_t>("d")[5], 0xffffffffu);
    ASSERT_EQ(run.incidents(Incident::Kind::async_copy_wait).size(), 1u);
    EXPECT_EQ(run.result.incidents.size(), 1u);
}

// The groups of cp.async are not its own.
TEST(EmulatorCopyBulk, AWaitForGroupsIsNoWait) {
    const KernelRun run =
        run_of(kExpect + copy() + "cp.async.commit_group;\ncp.async.wait_all;\nbar.sync 0;\n" + kRead);
    EXPECT_EQ(run.incidents(Incident::Kind::async_copy_wait).size(), 1u);
}

TEST(EmulatorCopyBulk, IntoWhatOthersStillReadIsARace) {
    const std::string fill = "st.shared.u32 [%r12], %r0;\nbar.sync 0;\nld.shared.u32 %r15, [%r12];\n";
    const KernelRun race = run_of(fill + kExpect + copy() + kWait + kRead);
    EXPECT_FALSE(race.incidents(Incident::Kind::race_shared).empty());
    const KernelRun ordered = run_of(fill + "bar.sync 0;\n" + kExpect + copy() + kWait + kRead);
    EXPECT_TRUE(ordered.result.incidents.empty());
}

TEST(EmulatorCopyBulk, FromWhatAnotherBlockStoresIsARace) {
    // A thread of block 1 stores the last word that block 0 copies.
    const std::string other =
        "setp.ne.u32 %p3, %r1, 0;\nand.pred %p4, %p1, %p3;\n@%p4 st.global.u32 [%rd1+252], %r16;\n"
        "@%p3 ret;\n";
    const std::string body = other + kExpect + copy() + kWait + kRead;
    const auto races = [&](uint32_t bytes) {
        return run_of(body, bytes, 2).incidents(Incident::Kind::race_global).size();
    };
    EXPECT_EQ(races(256), 1u);
    EXPECT_EQ(races(240), 0u);
}

TEST(EmulatorCopyBulk, WhatIsNoMultipleOf16IsFoundAndTheWaitEnds) {
    using Kind = Incident::Kind;
    const auto found = [](const std::string& to, const std::string& from, uint32_t bytes) {
        const KernelRun run = run_of(kExpect + copy(to, from) + kWait, bytes);
        EXPECT_TRUE(run.incidents(Kind::deadlock).empty());
        return run.incidents(Kind::misaligned);
    };
    EXPECT_EQ(found("%r11+8", "%rd1", 64).at(0).first.memory, "shared");
    EXPECT_EQ(found("%r11", "%rd1+4", 64).at(0).first.memory, "global a");
    EXPECT_EQ(found("%r11", "%rd1", 20).at(0).detail, "it copies 20 bytes; a multiple of 16 is possible");
    EXPECT_TRUE(found("%r11", "%rd1", 64).empty());
}

TEST(EmulatorCopyBulk, OutsideOfItsMemoryIsFound) {
    using Kind = Incident::Kind;
    EXPECT_EQ(run_of(kExpect + copy("%r11+256") + kWait, 512).incidents(Kind::out_of_bounds).size(), 1u);
    EXPECT_EQ(
        run_of(kExpect + copy("%r11", "%rd1+256") + kWait, 512).incidents(Kind::out_of_bounds).size(), 1u
    );
}

// What moves nothing is not looked at piece by piece: 2 GiB of pieces of 16 bytes would take seconds.
TEST(EmulatorCopyBulk, ASizeBeyondAllMemoryIsFoundAtOnce) {
    const std::string body = kExpect + copy() + kWait;
    for (const uint32_t bytes : {0x80000000u, 0xfffffff0u}) {
        KernelRun run(with_barrier(body, bytes), 64, 2);
        const std::clock_t before = std::clock();
        run.out<uint32_t>("d", 64).in("a", numbers()).go();
        EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 1.0);
        EXPECT_FALSE(run.incidents(Incident::Kind::out_of_bounds).empty());
    }
}

TEST(EmulatorCopyBulk, NeedsAnMbarrier) {
    const KernelRun run = run_of("@%p1 mbarrier.inval.shared.b64 [%r10];\n" + copy());
    EXPECT_EQ(run.incidents(Incident::Kind::mbarrier_misuse).size(), 1u);
}

TEST(EmulatorCopyBulk, CarriesPoison) {
    for (const bool filled : {true, false}) {
        KernelRun run(with_barrier(fmt::format("{}{}{}{}", kExpect, copy(), kWait, kRead)), 64);
        run.out<uint32_t>("d", 64);
        run.add(allocate(run.memory, "a", std::vector<std::byte>(256), filled));
        const PoisonTrace t = trace_poison({run.module, *run.program, run.launch, run.memory}, {});
        EXPECT_EQ(t.incidents.size(), filled ? 0u : 1u);
    }
}

TEST(EmulatorCopyBulk, ItsBanksAreNotCounted) {
    const KernelRun run(with_barrier(copy()));
    EXPECT_EQ(run.program->uncounted_sites.size(), 1u);
    EXPECT_EQ(run.program->memory_sites.size(), 2u);
}

}  // namespace
}  // namespace wl::emulator::test
