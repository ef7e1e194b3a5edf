// A launch holds the blocks that run, however many it has.
#include "tests/support/heap_count.h"
#include "tests/support/wide_launch.h"

#include <cstdio>
#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

constexpr uint32_t kMany = 10'000;
constexpr int kWorkers = 3;

// Heap that run() needs beyond what is there before it.
size_t held_by(KernelRun& run) {
    const size_t before = testing::heap_bytes();
    testing::reset_heap_peak();
    run.go();
    return testing::heap_peak_bytes() - before;
}

size_t held(uint32_t blocks, const Checks& checks) {
    KernelRun run(wide_kernel(), kWideThreads, blocks);
    run.out<uint32_t>("sums", kMany);
    run.options.threads = kWorkers;
    run.options.checks = checks;
    const size_t bytes = held_by(run);
    EXPECT_EQ(run.result.blocks, blocks);
    EXPECT_TRUE(run.result.incidents.empty());
    const auto sums = run.get<uint32_t>("sums");
    for (uint32_t b = 0; b < blocks; ++b) EXPECT_EQ(sums[b], wide_sum(b));
    return bytes;
}

// One block holds far more than the list of the blocks to come takes for each.
TEST(EmulatorHeld, TenThousandBlocksTakeWhatThoseThatRunTake) {
    for (const bool checked : {false, true}) {
        const Checks checks{checked, checked, checked};
        const size_t one = held(1, checks), many = held(kMany, checks);
        EXPECT_GT(one, 48u << 10);
        // 32 bytes for each block to come, and room for one block more than run at a time.
        EXPECT_LT(many, (kWorkers + 1) * one + kMany * 32);
        std::printf("1 block: %zu KiB, %u blocks: %zu KiB\n", one >> 10, kMany, many >> 10);
    }
}

}  // namespace
}  // namespace wl::emulator::test
