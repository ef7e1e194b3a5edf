// Shared memory at an instant: against the captured tiles, and against applying every write by hand.
#include "instrumentation/analysis/replay.h"

#include "instrumentation/analysis/timeline.h"
#include "tests/support/synthetic_capture.h"

#include <bit>
#include <chrono>
#include <gtest/gtest.h>
#include <random>

namespace wl::analysis {
namespace {

using namespace capture;

Event write_of(uint32_t time, int warp, uint64_t address, uint64_t value, uint8_t bytes) {
    Event event;
    event.time = time;
    event.warp = static_cast<uint8_t>(warp);
    event.address = address;
    event.value = value;
    event.bytes = bytes;
    return event;
}

// The definition, with nothing clever.
std::vector<std::byte> by_hand(const BlockRecord& record, uint32_t time, size_t window) {
    std::vector<std::byte> bytes(window, std::byte{0xff});
    for (const Event& event : record.events)
        if (event.kind == EventKind::shared_write && event.time <= time)
            for (unsigned i = 0; i < event.bytes; ++i)
                bytes[event.address + i] = static_cast<std::byte>(event.value >> 8 * i);
    return bytes;
}

TEST(Replay, EveryRecordedTileIsSharedMemoryAtItsInstant) {
    const Capture capture = testing::synthetic_capture();
    const ReplayIndex index = replay_index(capture.records[0]);
    int tiles = 0;
    for (const Tile& tile : capture.tiles) {
        if (tile.block != 0) continue;
        const TileData captured = load_tile(capture, tile);
        const TileData replayed = tile_at(capture, index, tile, static_cast<uint32_t>(tile.time));
        ASSERT_EQ(replayed.raw, captured.raw);
        ASSERT_EQ(replayed.got.data, captured.got.data);
        ASSERT_EQ(replayed.owner.data, captured.owner.data);
        ASSERT_EQ(replayed.reference.data, captured.reference.data);
        ++tiles;
    }
    EXPECT_EQ(tiles, 8 * 7);
}

TEST(Replay, AnInstantBetweenTwoTilesIsHalfWritten) {
    const Capture capture = testing::synthetic_capture();
    const ReplayIndex index = replay_index(capture.records[0]);
    const Tile& scores = capture.tiles[0];
    const auto begin =
        static_cast<uint32_t>(scores.time) - 12;  // warp 7 is the slowest: 16 stores of 32 lanes
    const TileData tile = tile_at(capture, index, scores, begin);
    EXPECT_EQ(tile.owner(0, 0).warp, 0);
    EXPECT_EQ(tile.owner(63, 63).warp, Owner::kNobody);
    EXPECT_TRUE(std::isnan(tile.got(63, 63)));
    EXPECT_EQ(tile.raw.back(), std::byte{0xff});
    EXPECT_EQ(tile_at(capture, index, scores, 0).owner(0, 0).warp, Owner::kNobody);
}

TEST(Replay, AnyInstantOfRandomWritesAgreesWithTheDefinition) {
    std::mt19937_64 random(1);
    BlockRecord record;
    record.warps = 4;
    uint32_t clock[4] = {};
    for (int i = 0; i < 50'000; ++i) {
        const auto warp = static_cast<int>(random() % 4);
        const auto bytes = static_cast<uint8_t>(1U << random() % 4);
        clock[warp] += static_cast<uint32_t>(random() % 3);
        record.events.push_back(write_of(clock[warp], warp, random() % 64 * 8, random(), bytes));
        if (i % 1000 == 0) std::fill(clock, clock + 4, *std::max_element(clock, clock + 4));
    }
    const ReplayIndex index = replay_index(record);
    ASSERT_GT(index.frames.size(), 3U);
    const size_t window = writers_at(index, UINT32_MAX).size();
    EXPECT_EQ(shared_at(index, UINT32_MAX), by_hand(record, UINT32_MAX, window));
    for (int i = 0; i < 300; ++i) {
        const auto time = static_cast<uint32_t>(random() % (clock[0] + 10));
        ASSERT_EQ(shared_at(index, time), by_hand(record, time, window)) << "at " << time;
    }
}

TEST(Replay, OfRacingWritesTheLaterExecutedOneStays) {
    BlockRecord record;
    record.warps = 2;
    record.events = {write_of(50, 0, 0, 0xaaaaaaaa, 4), write_of(20, 1, 2, 0xbbbb, 2)};
    const ReplayIndex index = replay_index(record);
    EXPECT_EQ(
        shared_at(index, 60),
        (std::vector<std::byte>{std::byte{0xaa}, std::byte{0xaa}, std::byte{0xbb}, std::byte{0xbb}})
    );
    EXPECT_EQ(writers_at(index, 30), (std::vector<uint32_t>{kNeverWritten, kNeverWritten, 1, 1}));
}

TEST(Replay, WhatDoesNotLieInSharedMemoryIsEmpty) {
    Capture capture = testing::synthetic_capture();
    const ReplayIndex index = replay_index(capture.records[0]);
    const auto extent = [&](const std::function<void(Tile&)>& change) {
        Tile tile = capture.tiles[0];
        change(tile);
        return tile_at(capture, index, tile, UINT32_MAX).rows;
    };
    EXPECT_EQ(extent([](Tile&) {}), 64);
    EXPECT_EQ(extent([](Tile& tile) { tile.ld = 0; }), 0);
    EXPECT_EQ(extent([](Tile& tile) { tile.address = UINT64_MAX - 16; }), 0);
    EXPECT_EQ(extent([](Tile& tile) { tile.rows = tile.cols = tile.ld = INT32_MAX; }), 0);
    EXPECT_EQ(extent([](Tile& tile) { tile.address += 81664 - 46080 - 64 * 64 * 4 + 4; }), 0)
        << "ends past the window";
    EXPECT_EQ(extent([](Tile& tile) { tile.probe = 7; }), 0) << "the output lies in global memory";
}

TEST(Replay, ARecordWithoutWritesHasNoWindow) {
    const BlockRecord record;
    EXPECT_TRUE(shared_at(replay_index(record), 5).empty());
}

}  // namespace
}  // namespace wl::analysis
