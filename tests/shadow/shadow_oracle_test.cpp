// Random programs on the shadow against a slow oracle that keeps every access and the full clock of every
// thread. WARPLENS_ORACLE=4 plays four times as many, for a change of the shadow.
#include "tests/support/shadow_run.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <iostream>

namespace wl::emulator {
namespace {

int times() {
    const char* asked = std::getenv("WARPLENS_ORACLE");
    return asked == nullptr ? 1 : std::atoi(asked);
}

void agree(const Sizes& sizes, int seeds) {
    Counts total;
    seeds *= times();
    for (int seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Run run(uint64_t(seed), sizes);
        run.play();
        total.races += run.counts.races;
        total.raced_bytes += run.counts.raced_bytes;
        total.exact_witnesses += run.counts.exact_witnesses;
        total.vague_witnesses += run.counts.vague_witnesses;
        total.uninitialised += run.counts.uninitialised;
        total.pending += run.counts.pending;
    }
    // Programs without races, or without anything else, would prove nothing.
    EXPECT_GT(total.raced_bytes, 100u);
    EXPECT_TRUE(sizes.mostly_reads || total.uninitialised > 10u);
    std::cout << total.races << " races reported (" << total.exact_witnesses << " witnesses exact, "
              << total.vague_witnesses << " without lanes), " << total.raced_bytes << " bytes raced, "
              << total.uninitialised << " uninitialised, " << total.pending
              << " accesses of pending copies\n";
}

TEST(ShadowOracle, FewWordsFewLanes) { agree({.warps = 3, .words = 6, .lanes = 3, .steps = 150}, 200); }

TEST(ShadowOracle, OneWarp) {
    agree({.warps = 1, .words = 4, .lanes = 4, .steps = 150, .syncwarps = 30}, 200);
}

TEST(ShadowOracle, ManyBarriers) {
    agree({.warps = 4, .words = 8, .lanes = 2, .steps = 300, .barriers = 40}, 100);
}

TEST(ShadowOracle, MoreBarriersThanAccesses) {
    agree({.warps = 4, .words = 16, .lanes = 2, .steps = 600, .barriers = 65, .syncwarps = 20}, 100);
}

TEST(ShadowOracle, MostlyReads) {
    agree(
        {.warps = 4,
         .words = 4,
         .lanes = 3,
         .steps = 40,
         .barriers = 6,
         .syncwarps = 6,
         .mostly_reads = true},
        2000
    );
}

TEST(ShadowOracle, WholeWarpsMostlyRead) {
    Sizes sizes{.warps = 4, .words = 64, .lanes = 32, .steps = 60, .patterns = true, .barriers = 10};
    sizes.mostly_reads = true;
    agree(sizes, 125);
}

TEST(ShadowOracle, WholeWarpPatterns) {
    agree({.warps = 3, .words = 160, .lanes = 32, .steps = 120, .patterns = true, .barriers = 20}, 50);
}

TEST(ShadowOracle, WholeWarpsFullBarriers) {
    Sizes sizes{.warps = 4, .words = 160, .lanes = 32, .steps = 150, .patterns = true, .barriers = 30};
    sizes.partial = false;
    agree(sizes, 50);
}

TEST(ShadowOracle, MbarriersOfWholeWarps) {
    Sizes sizes{.warps = 4, .words = 8, .lanes = 3, .steps = 300, .barriers = 6, .mbarriers = 30};
    sizes.partial = false;
    agree(sizes, 100);
}

TEST(ShadowOracle, MbarriersOfSomeLanes) {
    agree({.warps = 4, .words = 8, .lanes = 3, .steps = 300, .barriers = 6, .mbarriers = 30}, 100);
}

TEST(ShadowOracle, MbarriersAndWholeWarpPatterns) {
    Sizes sizes{.warps = 4, .words = 160, .lanes = 32, .steps = 150, .patterns = true, .barriers = 6};
    sizes.mbarriers = 30;
    agree(sizes, 50);
}

}  // namespace
}  // namespace wl::emulator
