// Launches: blocks over workers, schedules, subsets, observers, reductions over equal values.
#include "instrumentation/base/error.h"
#include "tests/emulator/emulator_kernel.h"

#include <atomic>
#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

// Every block races, reads out of bounds and sums; a rich result to compare.
const std::string kBusy = kernel(
    "shl.b32 %r10, %r0, 2;\nmov.u32 %r11, s;\nadd.u32 %r12, %r11, %r10;\nst.shared.u32 [%r12], %r2;\n"
    "xor.b32 %r13, %r10, 128;\nadd.u32 %r13, %r13, %r11;\nld.shared.u32 %r14, [%r13];\nbar.sync 0;\n"
    "mov.u32 %r15, 0;\nand.b32 %r16, %r0, 7;\n"
    "LOOP:\nadd.u32 %r15, %r15, %r16;\nadd.u32 %r16, %r16, -1;\nsetp.gt.s32 %p1, %r16, 0;\n@%p1 bra LOOP;\n"
    "bar.sync 0;\nld.shared.u32 %r17, [%r13];\nadd.u32 %r15, %r15, %r17;\n" +
        store(0, "u32", 4, "%r15"),
    ".shared .align 16 .b8 s[1024];\n"
);

std::string describe(const RunResult& r) {
    std::string text = fmt::format("{} blocks, {} instructions\n", r.blocks, r.warp_instructions);
    for (const Incident& i : r.incidents) {
        text += fmt::format(
            "{} x{} site {} block {} warp {} lanes {:x} addr {} | {} {}\n",
            static_cast<int>(i.kind),
            i.count,
            i.first.site,
            i.first.block,
            i.first.warp,
            i.first.lanes,
            i.first.address,
            i.second.site,
            i.second.warp
        );
    }
    return text;
}

TEST(EmulatorRun, ResultsDoNotDependOnTheNumberOfWorkers) {
    std::string alone;
    for (const int threads : {1, 2, 5}) {
        KernelRun run(kBusy, 256, 40);
        run.out<uint32_t>("d", 256 * 39);  // the last block writes outside
        run.options.threads = threads;
        run.go();
        const std::string now = describe(run.result);
        if (threads == 1) alone = now;
        EXPECT_EQ(now, alone);
        EXPECT_EQ(run.incidents(Incident::Kind::out_of_bounds)[0].first.block, 39);
        EXPECT_EQ(run.get<uint32_t>("d")[77], 77 % 8 * (77 % 8 + 1) / 2 + (77 ^ 32));
    }
}

TEST(EmulatorRun, ASeedIsALegalScheduleThatRepeats) {
    KernelRun fixed(kBusy, 256, 4);
    fixed.out<uint32_t>("d", 256 * 4).go();
    std::string first;
    for (int turn = 0; turn < 2; ++turn) {
        KernelRun run(kBusy, 256, 4);
        run.out<uint32_t>("d", 256 * 4);
        run.options.schedule_seed = 99;
        run.go();
        EXPECT_EQ(run.get<uint32_t>("d"), fixed.get<uint32_t>("d"));
        if (turn == 0) first = describe(run.result);
        EXPECT_EQ(describe(run.result), first);
    }
}

TEST(EmulatorRun, ASubsetRunsOnlyItsBlocks) {
    KernelRun run(kernel(store(0, "u32", 4, "%r2")), 32, 100);
    run.out<uint32_t>("d", 3200);
    run.options.blocks = {7, 50};
    run.go();
    EXPECT_EQ(run.result.blocks, 2u);
    EXPECT_EQ(run.get<uint32_t>("d")[7 * 32 + 3], 7u * 32 + 3);
    EXPECT_EQ(run.get<uint32_t>("d")[8 * 32], 0u);
}

TEST(EmulatorRun, ThreeDimensionalIndices) {
    KernelRun run(
        kernel(
            "mov.u32 %r10, %tid.y;\nmov.u32 %r11, %tid.z;\nmov.u32 %r12, %ctaid.y;\nmov.u32 %r13, %ctaid.z;\n"
            "mov.u32 %r14, %laneid;\nmov.u32 %r15, %warpid;\n"
            "mad.lo.u32 %r16, %r11, 3, %r10;\nmad.lo.u32 %r16, %r16, 8, %r0;\n"  // thread in the block
            "mad.lo.u32 %r17, %r13, 2, %r12;\nmad.lo.u32 %r17, %r17, 5, %r1;\n"  // block in the grid
            "mad.lo.u32 %r2, %r17, 48, %r16;\nmad.lo.u32 %r18, %r15, 100, %r14;\n" +
            store(0, "u32", 4, "%r18")
        ),
        1
    );
    run.launch.block = {8, 3, 2};
    run.launch.grid = {5, 2, 3};
    run.out<uint32_t>("d", 48 * 30).go();
    EXPECT_TRUE(run.result.incidents.empty());
    const auto d = run.get<uint32_t>("d");
    for (uint32_t k = 0; k < d.size(); ++k) EXPECT_EQ(d[k], k % 48 / 32 * 100 + k % 48 % 32);
}

TEST(EmulatorRun, ProgressCancels) {
    KernelRun run(
        kernel(
            "mov.u32 %r10, 0;\nLOOP:\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p1, %r10, 20000;\n@%p1 bra LOOP;\n"
        ),
        32,
        100000
    );
    run.options.on_progress = [](uint64_t done, uint64_t total) {
        EXPECT_EQ(total, 100000u);
        return done < 10;
    };
    run.go();
    EXPECT_TRUE(run.result.cancelled);
    EXPECT_LT(run.result.blocks, 100000u);
}

TEST(EmulatorRun, ARecordedBlockTellsItsWholeStory) {
    KernelRun run(kBusy, 64, 3);
    run.out<uint32_t>("d", 192);
    run.options.record = true;
    run.options.blocks = {2};
    run.go();
    ASSERT_EQ(run.result.records.size(), 1u);
    const auto& record = run.result.records[0];
    EXPECT_EQ(record.block, 2);
    EXPECT_EQ(record.warps, 2);
    EXPECT_FALSE(record.truncated);
    int arrivals = 0, releases = 0;
    uint32_t latest[2] = {};
    for (const auto& e : record.events) {
        EXPECT_GE(e.time, latest[e.warp]) << "a warp's clock never goes back";
        latest[e.warp] = e.time;
        arrivals += e.kind == capture::EventKind::barrier_arrive;
        releases += e.kind == capture::EventKind::barrier_release;
    }
    EXPECT_EQ(arrivals, 4);
    EXPECT_EQ(releases, 4);
    ASSERT_EQ(run.result.global_owners.size(), 1u);
    const auto& owners = run.result.global_owners[0].second;
    EXPECT_EQ(owners[4 * (128 + 40)].warp, 1);
    EXPECT_EQ(owners[4 * (128 + 40)].lane, 8);
    EXPECT_EQ(owners[4 * (128 + 40)].epoch, 2);
    EXPECT_EQ(owners[0].warp, capture::Owner::kNobody);
}

TEST(EmulatorRun, EventsBeyondTheCapAreSaidToBeMissing) {
    KernelRun run(kBusy, 64, 1);
    run.out<uint32_t>("d", 64);
    run.options.record = true;
    run.options.max_events = 10;
    run.go();
    EXPECT_EQ(run.result.records[0].events.size(), 10u);
    EXPECT_TRUE(run.result.records[0].truncated);
}

TEST(EmulatorRun, WhatIsNotSupportedStopsWithItsLine) {
    const std::string text = kernel("multimem.red.relaxed.sys.global.add.u32 [%rd0], %r0;\n");
    const ptx::Module module = ptx::parse(text);
    try {
        lower(module, "k");
        FAIL() << "lowered what it cannot run";
    } catch (const Unsupported& e) {
        EXPECT_NE(
            std::string(e.what()).find("unsupported: multimem.red.relaxed.sys.global.add.u32 at "),
            std::string::npos
        ) << e.what();
    }
    EXPECT_EQ(unsupported(module).size(), 1u);
    EXPECT_THROW(lower(module, "no_such_entry"), Error);
}

// ---- reductions over values that all lanes share

std::string butterfly(const std::string& combine, const std::string& from) {
    std::string body = "mov.b32 %f1, " + from + ";\n";
    for (const int distance : {16, 8, 4, 2, 1}) {
        body += fmt::format(
            "mov.b32 %r20, %f1;\nshfl.sync.bfly.b32 %r21|%p1, %r20, {}, 31, -1;\nmov.b32 %f2, %r21;\n{}.f32 "
            "%f1, %f1, %f2;\n",
            distance,
            combine
        );
    }
    return body;
}

TEST(EmulatorRun, ASumOfEqualValuesIsFoundWithAllItsSites) {
    const std::string equal =
        "cvt.rn.f32.u32 %f10, %r1;\nmov.b32 %r10, %f10;\n";  // the block's index: uniform
    KernelRun run(kernel(equal + butterfly("add", "%r10") + store(0, "f32", 4, "%f1")), 32, 3);
    run.out<float>("d", 96).go();
    EXPECT_EQ(run.get<float>("d")[64], 2 * 32);
    const auto found = run.incidents(Incident::Kind::uniform_reduction);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].count, 3u);
    ASSERT_EQ(found[0].group.size(), 10u) << "five shuffles and five additions";
    for (size_t k = 0; k < 10; ++k)
        EXPECT_EQ(
            run.module.functions[0].code[found[0].group[k]].op, k % 2 == 0 ? ptx::Op::shfl : ptx::Op::add
        );
    EXPECT_EQ(found[0].first.site, found[0].group[0]);
}

TEST(EmulatorRun, SumsOfDifferentValuesAndMaximaOfEqualOnesAreFine) {
    KernelRun sum(
        kernel("cvt.rn.f32.u32 %f10, %r0;\nmov.b32 %r10, %f10;\n" + butterfly("add", "%r10")), 32, 1
    );
    KernelRun max(kernel("mov.b32 %r10, 0f3F800000;\n" + butterfly("max", "%r10")), 32, 1);
    KernelRun zero(kernel("mov.b32 %r10, 0;\n" + butterfly("add", "%r10")), 32, 1);
    for (KernelRun* run : {&sum, &max, &zero})
        EXPECT_TRUE(run->go().incidents(Incident::Kind::uniform_reduction).empty());
}

TEST(EmulatorRun, ASumInALoopIsAReductionToo) {
    KernelRun run(kernel(
        "mov.u32 %r10, 3;\nmov.u32 %r11, 16;\n"
        "LOOP:\nshfl.sync.bfly.b32 %r12, %r10, %r11, 31, -1;\nadd.u32 %r10, %r10, %r12;\nshr.u32 %r11, %r11, "
        "1;\n"
        "setp.ne.u32 %p1, %r11, 0;\n@%p1 bra LOOP;\n" +
        store(0, "u32", 4, "%r10")
    ));
    run.out<uint32_t>("d", 32).go();
    EXPECT_EQ(run.get<uint32_t>("d")[0], 96u);
    EXPECT_EQ(run.incidents(Incident::Kind::uniform_reduction).size(), 1u);
}

TEST(EmulatorRun, OnlyRunningBlocksHoldMemory) {
    KernelRun run(
        kernel("mov.u32 %r10, s;\nst.shared.u32 [%r10], %r0;\n", ".shared .align 16 .b8 s[40000];\n"),
        32,
        20000
    );
    run.options.checks = {false, false, false};
    run.options.threads = 2;
    run.go();
    EXPECT_EQ(run.result.blocks, 20000u);
}

}  // namespace
}  // namespace wl::emulator::test
