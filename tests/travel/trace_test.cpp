// What is kept of a block: instructions one behind the other.
#include "instrumentation/travel/trace.h"

#include "instrumentation/travel/instant.h"

#include <gtest/gtest.h>

namespace wl::travel {
namespace {

// Runs end where lanes, time or place do not go on.
TEST(Trace, ARunIsStraight) {
    Trace trace;
    emulator::Here here;
    const auto next = [&] {
        ++here.order, ++here.site, ++here.time, ++here.nth;
        keep(trace, here);
    };
    here.lanes = ~0u;
    keep(trace, here);
    next();
    EXPECT_EQ(trace.runs.size(), 1u);
    here.lanes = 3;
    next();
    EXPECT_EQ(trace.runs.size(), 2u);
    ++here.time;
    next();
    EXPECT_EQ(trace.runs.size(), 3u);
    ++here.site;
    next();
    EXPECT_EQ(trace.runs.size(), 4u);
    next();
    EXPECT_EQ(trace.runs.back().length, 2u);
    EXPECT_EQ(trace.end, 6u);
}

// A trace that is full keeps what it has, and knows where it ends.
TEST(Trace, AFullOneEndsWhereItWasFull) {
    Trace trace;
    trace.most_bytes = sizeof(StraightRun);
    emulator::Here here;
    keep(trace, here);
    ++here.order;
    keep(trace, here);
    EXPECT_EQ(trace.runs.size(), 1u);
    EXPECT_EQ(trace.end, 1u);
    EXPECT_FALSE(trace.complete);
}

}  // namespace
}  // namespace wl::travel
