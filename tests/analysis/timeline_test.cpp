// Spans and states of warps against a small record written by hand and the synthetic one.
#include "instrumentation/analysis/timeline.h"

#include "tests/support/synthetic_capture.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::analysis {
namespace {

using namespace capture;

struct At {
    uint32_t time;
    int warp;
    EventKind kind;
    uint64_t value = 0, address = 0;
};

BlockRecord record_of(std::initializer_list<At> events, int warps = 2) {
    BlockRecord record;
    record.warps = warps;
    for (const At& at : events) {
        Event& event = record.events.emplace_back();
        event.time = at.time;
        event.warp = static_cast<uint8_t>(at.warp);
        event.kind = at.kind;
        event.value = at.value;
        event.address = at.address;
        event.site = at.time;
        event.bytes = 4;
    }
    return record;
}

// Warp 1 is faster and waits for warp 0; then both enter stage 0 again; warp 1 never leaves barrier 3.
BlockRecord two_warps() {
    return record_of({
        {2,  0, EventKind::stage,           1, 0},
        {9,  0, EventKind::barrier_arrive,  0, 0},
        {3,  1, EventKind::stage,           1, 0},
        {5,  1, EventKind::barrier_arrive,  0, 0},
        {9,  0, EventKind::barrier_release, 0, 0},
        {9,  1, EventKind::barrier_release, 0, 0},
        {12, 0, EventKind::stage,           0, 0},
        {15, 0, EventKind::stage,           1, 0},
        {20, 0, EventKind::exit,            0, 0},
        {13, 1, EventKind::barrier_arrive,  0, 3},
    });
}

TEST(Timeline, StagesOfAWarpMeetEndToBegin) {
    const Timeline result = timeline(Capture(), two_warps());
    ASSERT_EQ(result.stages.size(), 6U);
    const auto is = [&](size_t i, int warp, int stage, uint32_t begin, uint32_t end, int iteration) {
        const StageSpan& span = result.stages[i];
        return span.warp == warp && span.stage == stage && span.begin == begin && span.end == end &&
            span.iteration == iteration;
    };
    EXPECT_TRUE(is(0, 0, -1, 0, 2, 0));
    EXPECT_TRUE(is(1, 0, 1, 2, 12, 0));
    EXPECT_TRUE(is(2, 0, 0, 12, 15, 0));
    EXPECT_TRUE(is(3, 0, 1, 15, 20, 1)) << "the second time in stage 1 is iteration 1";
    EXPECT_TRUE(is(4, 1, -1, 0, 3, 0));
    EXPECT_TRUE(is(5, 1, 1, 3, 20, 0)) << "a warp that never exits is in its stage to the end";
    EXPECT_EQ(result.end, 20U);
}

TEST(Timeline, WaitingEndsWithTheSlowestWarpOrNever) {
    const Timeline result = timeline(Capture(), two_warps());
    ASSERT_EQ(result.barriers.size(), 3U);
    EXPECT_EQ(result.barriers[1].warp, 1);
    EXPECT_EQ(result.barriers[1].begin, 5U);
    EXPECT_EQ(result.barriers[1].end, 9U);
    EXPECT_EQ(result.barriers[1].site, 5U);
    EXPECT_EQ(result.barriers[2].barrier, 3);
    EXPECT_EQ(result.barriers[2].end, 20U) << "never released";
}

TEST(Timeline, InstantsRiseWithoutRepeats) {
    EXPECT_EQ(timeline(Capture(), two_warps()).instants, (std::vector<uint32_t>{2, 3, 5, 9, 12, 13, 15, 20}));
}

TEST(Timeline, WarpsAtAnInstantAreTheReplayOfTheirEvents) {
    const BlockRecord record = two_warps();
    const auto at = [&](uint32_t time) { return warps_at(Capture(), record, time); };
    EXPECT_EQ(at(1), (std::vector<WarpState>(2)));
    EXPECT_EQ(at(8)[0], (WarpState{2, 1, 0, false, false}));
    EXPECT_EQ(at(8)[1], (WarpState{5, 1, 0, true, false}));
    EXPECT_EQ(at(9)[1], (WarpState{9, 1, 0, false, false}));
    EXPECT_EQ(at(14)[0], (WarpState{12, 0, 0, false, false}));
    EXPECT_EQ(at(30)[0], (WarpState{20, 1, 0, false, true}));
    EXPECT_EQ(at(30)[1], (WarpState{13, 1, 0, true, false}));
}

TEST(Timeline, AnElementsHistoryIsWhatTouchesItsBytes) {
    const BlockRecord record = record_of({
        {1, 0, EventKind::shared_write, 100, 4 },
        {2, 0, EventKind::shared_write, 101, 8 },
        {3, 0, EventKind::global_write, 102, 8 },
        {4, 1, EventKind::shared_write, 103, 10}, // bytes 10..13 overlap 8..11
        {5, 0, EventKind::shared_write, 104, 12},
    });
    const std::vector<Event> writes = writes_to(record, EventKind::shared_write, 8, 4);
    ASSERT_EQ(writes.size(), 2U);
    EXPECT_EQ(writes[0].value, 101U);
    EXPECT_EQ(writes[1].value, 103U);
    EXPECT_TRUE(writes_to(record, EventKind::shared_write, 16, 4).empty());
}

TEST(Timeline, ARecordedBlockHasItsStagesOncePerIteration) {
    const Capture capture = testing::synthetic_capture();
    const Timeline result = timeline(capture, capture.records[0]);
    EXPECT_EQ(result.warps, 8);
    for (int warp = 0; warp < 8; ++warp)
        for (int stage = 0; stage < 3; ++stage) {
            const auto of_stage = [&](const StageSpan& s) { return s.warp == warp && s.stage == stage; };
            EXPECT_EQ(std::count_if(result.stages.begin(), result.stages.end(), of_stage), 8);
            const auto last = std::find_if(result.stages.rbegin(), result.stages.rend(), of_stage);
            EXPECT_EQ(last->iteration, 7);
        }
    EXPECT_EQ(result.barriers.size(), 8U * 8 * 3);
    ASSERT_EQ(result.tiles.size(), 8U * 7);  // this block's, not the output
    for (const TileInstant& tile : result.tiles)
        EXPECT_TRUE(std::binary_search(result.instants.begin(), result.instants.end(), tile.time));
    EXPECT_EQ(
        capture.stages[static_cast<size_t>(warps_at(capture, capture.records[0], result.end)[3].stage)],
        "output"
    );
}

}  // namespace
}  // namespace wl::analysis
