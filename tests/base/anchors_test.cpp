// An instant of one build told to another by the places around it.
#include "instrumentation/base/anchors.h"

#include "instrumentation/base/error.h"

#include <gtest/gtest.h>

namespace wl {
namespace {

const Anchors kOptimised = {
    {"start",      0  },
    {"load#0",     10 },
    {"barrier#0",  30 },
    {"released#0", 90 },
    {"load#1",     100},
    {"end",        200}
};
const Anchors kDebug = {
    {"start",      0  },
    {"load#0",     40 },
    {"barrier#0",  240},
    {"released#0", 300},
    {"load#1",     320},
    {"end",        900}
};

TEST(Anchors, AnInstantLiesAtTheSameShareBetweenTheSamePlaces) {
    const Between between = between_at(kOptimised, 20);
    EXPECT_EQ(between, (Between{"load#0", "barrier#0", 0.5}));
    EXPECT_EQ(time_at(kDebug, between), 140U);
    EXPECT_EQ(time_at(kOptimised, between), 20U);
    EXPECT_EQ(between_at(kOptimised, 10), (Between{"load#0", "barrier#0", 0}));
}

TEST(Anchors, TimesRiseTogether) {
    uint64_t before = 0;
    for (uint64_t time = 0; time <= 250; ++time) {
        const auto there = time_at(kDebug, between_at(kOptimised, time));
        ASSERT_TRUE(there);
        EXPECT_GE(*there, before) << time;
        before = *there;
    }
    EXPECT_EQ(before, 900U);
}

TEST(Anchors, APlaceThatTheOtherBuildLacksLeavesTheOneThatItHas) {
    EXPECT_EQ(time_at(kDebug, {"load#0", "store#0", 0.5}), 40U);
    EXPECT_EQ(time_at(kDebug, {"store#0", "load#1", 0.5}), 320U);
    EXPECT_FALSE(time_at(kDebug, {"store#0", "store#1", 0.5}));
    EXPECT_EQ(between_at({}, 3), Between{});
}

TEST(Anchors, TheirTextIsReadBack) {
    const Between between{"a, b#0", "barrier#12", 0.25};
    EXPECT_EQ(text_of(between), "a, b#0,barrier#12,0.25");
    EXPECT_EQ(between_from(text_of(between)), between) << "a stage's name may hold a comma";
    for (const char* wrong : {"", "a", "a,b", "a,b,c", "a,b,2", "a,b,0.5x", "a,b,"})
        EXPECT_THROW(between_from(wrong), Error) << wrong;
}

}  // namespace
}  // namespace wl
