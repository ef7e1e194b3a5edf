// Clocks, streams and the history of accesses, without any device: which pairs race, to the byte.
#include "instrumentation/order/history.h"

#include <gtest/gtest.h>

namespace wl::order {
namespace {

constexpr Handle kA = 10, kB = 11, kEvent = 20;

TouchesPointer kept(std::vector<Touch> all) {
    auto out = std::make_shared<Touches>();
    out->all = std::move(all);
    return out;
}

struct Program {
    Timelines timelines;
    History history;

    explicit Program(StreamKind kind = StreamKind::non_blocking) {
        add_stream(timelines, kA, kind, "a");
        add_stream(timelines, kB, kind, "b");
    }
    std::vector<Race> does(Handle stream, Touch touch, bool fences = false) {
        const auto operation = std::make_shared<const Operation>(begin_operation(timelines, stream));
        return does(operation, touch, fences);
    }
    std::vector<Race> does(const OperationPointer& operation, Touch touch, bool fences = false) {
        return add(history, operation, kept({touch}), fences).races;
    }
};

Touch reads(uint64_t begin, uint64_t end, uint32_t site = 1) { return {begin, end, site, false}; }
Touch writes(uint64_t begin, uint64_t end, uint32_t site = 2) { return {begin, end, site, true}; }

TEST(History, OneStreamIsInOrder) {
    Program p;
    EXPECT_TRUE(p.does(kA, writes(0, 100)).empty());
    EXPECT_TRUE(p.does(kA, reads(0, 100)).empty());
    EXPECT_TRUE(p.does(kA, writes(50, 150)).empty());
    EXPECT_TRUE(p.history.pieces.empty());  // nothing is compared
}

TEST(History, TwoStreamsRaceInTheBytesThatBothTouch) {
    Program p;
    p.does(kA, writes(0, 100));
    const std::vector<Race> races = p.does(kB, reads(96, 200));
    ASSERT_EQ(races.size(), 1u);
    EXPECT_EQ(races[0].begin, 96u);
    EXPECT_EQ(races[0].bytes, 4u);
    EXPECT_EQ(races[0].one.site, 2u);
    EXPECT_EQ(races[0].two.site, 1u);
    EXPECT_TRUE(p.does(kB, writes(200, 300)).empty());
    EXPECT_TRUE(p.does(kA, reads(100, 200)).empty());
}

TEST(History, ReadsAndAtomicsDoNotRaceAmongThemselves) {
    Program p;
    p.does(kA, reads(0, 100));
    EXPECT_TRUE(p.does(kB, reads(0, 100)).empty());
    Touch atomic = writes(200, 204);
    atomic.strong = true;
    p.does(kA, atomic);
    EXPECT_TRUE(p.does(kB, atomic).empty());
    EXPECT_EQ(p.does(kB, writes(200, 204)).size(), 1u);
}

TEST(History, AWriteDoesNotHideAnEarlierReadOfAThirdStream) {
    Program p;
    add_stream(p.timelines, 12, StreamKind::non_blocking, "c");
    p.does(kA, reads(0, 100));
    p.does(kB, reads(0, 100));
    record(p.timelines, kEvent, kA);
    wait_in_stream(p.timelines, 12, kEvent);
    const std::vector<Race> races = p.does(12, writes(0, 100));
    ASSERT_EQ(races.size(), 1u);
    EXPECT_EQ(races[0].first->stream, kB);
}

TEST(History, AReadDoesNotHideTheWriteThatItComesAfter) {
    Program p;
    add_stream(p.timelines, 12, StreamKind::non_blocking, "c");
    p.does(kA, writes(0, 100));
    record(p.timelines, kEvent, kA);
    wait_in_stream(p.timelines, kB, kEvent);
    EXPECT_TRUE(p.does(kB, reads(0, 100)).empty());
    EXPECT_EQ(p.does(12, reads(0, 100)).size(), 1u);
}

TEST(History, AnEventOrders) {
    Program p;
    p.does(kA, writes(0, 100));
    record(p.timelines, kEvent, kA);
    p.does(kA, writes(100, 200));
    wait_in_stream(p.timelines, kB, kEvent);
    EXPECT_TRUE(p.does(kB, reads(0, 100)).empty());
    EXPECT_EQ(p.does(kB, reads(100, 200)).size(), 1u);
}

TEST(History, TheDefaultStreamWaitsForBlockingOnes) {
    for (const bool blocking : {true, false}) {
        Program p(blocking ? StreamKind::blocking : StreamKind::non_blocking);
        p.does(kA, writes(0, 100));
        EXPECT_EQ(p.does(kLegacy, reads(0, 100)).empty(), blocking);
        p.does(kLegacy, writes(200, 300));
        EXPECT_EQ(p.does(kB, reads(200, 300)).empty(), blocking);
    }
}

TEST(History, WhatTheHostWaitedForIsOver) {
    Program p;
    p.does(kA, writes(0, 100));
    p.does(kB, writes(200, 300));
    wait_for_stream(p.timelines, kA);
    EXPECT_TRUE(p.does(kB, reads(0, 100)).empty());
    EXPECT_EQ(p.does(kA, reads(200, 300)).size(), 1u);
    EXPECT_FALSE(is_idle(p.timelines));
    wait_for_device(p.timelines);
    EXPECT_TRUE(is_idle(p.timelines));
    EXPECT_TRUE(p.does(kA, writes(200, 300)).empty());
}

TEST(History, AStreamThatIsGoneIsStillWaitedFor) {
    Program p;
    p.does(kA, writes(0, 100));
    remove_stream(p.timelines, kA);
    EXPECT_FALSE(is_idle(p.timelines));
    EXPECT_EQ(p.does(kB, reads(0, 100)).size(), 1u);
    wait_for_device(p.timelines);
    EXPECT_TRUE(p.does(kB, writes(0, 100)).empty());
}

TEST(History, AProgrammaticLaunchWaitsForWhatLetsItBegin) {
    Program p(StreamKind::blocking);
    const auto before = std::make_shared<const Operation>(begin_operation(p.timelines, kA));
    p.does(before, writes(0, 100));
    const auto first = std::make_shared<const Operation>(begin_operation(p.timelines, kA));
    p.does(first, writes(100, 200));
    let_dependents(p.timelines, *first);
    const auto second = std::make_shared<const Operation>(begin_operation(p.timelines, kA, true));
    Touch early = reads(0, 100);
    early.early = true;
    EXPECT_TRUE(p.does(second, early).empty());  // what is before the launch before
    early = reads(100, 200), early.early = true;
    EXPECT_EQ(p.does(second, early).size(), 1u);
    EXPECT_TRUE(p.does(second, reads(100, 200)).empty());
    EXPECT_TRUE(p.does(kA, writes(0, 200)).empty());
}

TEST(History, NodesOfAGraphAreOrderedByItsEdges) {
    Program p;
    for (int launch = 0; launch < 2; ++launch) {
        GraphLaunch g = begin_graph(p.timelines, 30, kA);
        const auto node = [&](const std::vector<OperationPointer>& after) {
            return std::make_shared<const Operation>(begin_node(p.timelines, g, after));
        };
        const OperationPointer root = node({}), left = node({root}), right = node({root});
        EXPECT_TRUE(p.does(root, writes(0, 100)).empty());
        EXPECT_TRUE(p.does(left, reads(0, 100)).empty());
        EXPECT_TRUE(p.does(left, writes(100, 200)).empty());
        EXPECT_EQ(p.does(right, reads(100, 200)).size(), 1u);
        EXPECT_TRUE(p.does(node({left, right}), writes(100, 200)).empty());
        end_graph(p.timelines, g);
    }
    EXPECT_EQ(p.timelines.graphs[30].branches.size(), 2u);
    EXPECT_TRUE(p.does(kA, writes(0, 200)).empty());
    EXPECT_EQ(p.does(kB, reads(0, 200)).size(), 1u);
}

TEST(History, LaunchesOfOneGraphComeOneAfterTheOther) {
    Program p;
    for (const Handle stream : {kA, kB}) {
        GraphLaunch g = begin_graph(p.timelines, 30, stream);
        for (const uint64_t k : {0, 1}) {
            const auto node = std::make_shared<const Operation>(begin_node(p.timelines, g, {}));
            const uint64_t begin = 100 * ((stream + k) % 2);
            EXPECT_TRUE(p.does(node, writes(begin, begin + 100)).empty());
        }
        end_graph(p.timelines, g);
    }
}

// Work that comes again in one stream is kept once, and too much of it is forgotten, which is said once
// others come.
TEST(History, OneStreamKeepsLittle) {
    Program p;
    for (int k = 0; k < 100; ++k) p.does(kA, writes(0, 100));
    EXPECT_EQ(p.history.pending.size(), 1u);
    EXPECT_EQ(p.does(kB, reads(0, 100)).size(), 1u);
    EXPECT_FALSE(p.history.full);
    Program many;
    for (uint64_t k = 0; k < 3; ++k) {
        std::vector<Touch> touches;
        for (uint64_t n = 0; n < kMostPending / 2; ++n) touches.push_back(writes(8 * n + k, 8 * n + k + 1));
        const auto operation = std::make_shared<const Operation>(begin_operation(many.timelines, kA));
        add(many.history, operation, kept(std::move(touches)));
    }
    EXPECT_LE(many.history.pending_touches, kMostPending);
    EXPECT_TRUE(many.does(kB, reads(0, 1)).empty());
    EXPECT_TRUE(many.history.full);
}

TEST(History, MemoryHandedOnByAtomicsIsNotJudged) {
    Program p;
    const auto first = std::make_shared<const Operation>(begin_operation(p.timelines, kA));
    Touch flag = writes(200, 204), data = writes(0, 100);
    flag.strong = true;
    add(p.history, first, kept({data, flag}), true);
    flag = reads(200, 204), flag.strong = true, data = reads(0, 100);
    const auto second = std::make_shared<const Operation>(begin_operation(p.timelines, kB));
    const Found found = add(p.history, second, kept({data, flag}), true);
    EXPECT_TRUE(found.races.empty());
    EXPECT_EQ(found.handed_on.size(), 1u);
}

// Nine operations that nothing orders: one of them is not kept, which the history says.
TEST(History, MoreReadersThanAPieceHasRoomFor) {
    Program p;
    for (Handle h = 30; h < 30 + kMostEntries; ++h) {
        add_stream(p.timelines, h, StreamKind::non_blocking, "");
        p.does(h, reads(0, 4));
    }
    EXPECT_FALSE(p.history.full);
    p.does(kB, reads(0, 4));
    EXPECT_TRUE(p.history.full);
}

TEST(History, WhatIsLostIsSaid) {
    Program p;
    const auto operation = std::make_shared<const Operation>(begin_operation(p.timelines, kA));
    const auto touches = std::make_shared<Touches>();
    touches->make = [] { return std::vector<Touch>{writes(0, 4)}; };
    add(p.history, operation, touches);
    EXPECT_TRUE(touches->make) << "nobody has looked";
    touches->make = nullptr, touches->lost = true;
    EXPECT_TRUE(p.does(kB, reads(0, 4)).empty());
    EXPECT_TRUE(p.history.full);
}

}  // namespace
}  // namespace wl::order
