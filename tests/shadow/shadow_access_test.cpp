// The shadow's findings on parts of words, atomics, copies and bytes that nobody wrote; owners, caps and
// clocks.
#include "instrumentation/emulator/shadow/shadow_cell.h"
#include "tests/support/shadow_program.h"

namespace wl::emulator {
namespace {

using Kind = Incident::Kind;

TEST(Shadow, NeighboursInAWordDoNotRace) {
    Program halves;
    halves.write(1, 128, 2, 2);  // each pair of lanes writes one word, all of it in one instruction
    halves.write(1, 256, 4, 2, kAll, kWrite);
    halves.write(2, 258, 4, 2, kAll, kOther);  // low halves by warp 1, high halves by warp 2
    halves.write(1, 512, 4, 1);
    halves.read(2, 513, 4, 1);
    halves.read(3, 514, 4, 2);
    EXPECT_TRUE(halves.incidents().empty());

    halves.read(2, 256, 4, 2);
    expect_race(halves, Kind::race_shared, kWrite, kRead, "read after write");
    halves.read(3, 513, 4, 1);
    halves.write(3, 512, 4, 2, 1);
    auto found = halves.incidents();
    ASSERT_EQ(found.size(), 2u);  // with warp 1's write of byte 0 and warp 2's read of byte 1
    EXPECT_EQ(found[0].first.warp, 1);
    EXPECT_EQ(found[1].first.warp, 2);
    EXPECT_EQ(found[1].first.address, 513u);
}

TEST(Shadow, HalvesReadByOtherLanesNeedOrder) {
    auto program = [](bool synced) {
        Program made;
        made.write(1, 128, 2, 2);
        if (synced) sync_warp(made.shadow, 1, kAll);
        made.read(1, 128, 4, 4, 0xffff);  // pairs of halves: lane l reads the halves of lanes 2l and 2l + 1
        if (synced) sync_warp(made.shadow, 1, kAll);
        made.write(1, 128, 2, 2, kAll, kOther);
        return made.incidents();
    };
    EXPECT_TRUE(program(true).empty());
    const auto found = program(false);
    ASSERT_EQ(found.size(), 2u);  // the read after the write, the second write after the read
    EXPECT_EQ(found[0].detail, "read after write");
    EXPECT_EQ(found[1].detail, "write after read");
    EXPECT_EQ(found[1].first.lanes, 0xffffu);
}

TEST(Shadow, LanesOfOneStoreMayAgreeButNotDiffer) {
    Program broken;
    broken.write(1, 128, 0, 4);  // values are 1000 + lane
    expect_race(broken, Kind::race_warp, kWrite, kWrite, "lanes write to one place");

    Program clean;
    WarpAccess same = clean.access(1, 128, 0, 4, kAll, kWrite);
    for (uint32_t& value : clean.values) value = 7;
    write_shared(clean.shadow, same);
    EXPECT_TRUE(clean.incidents().empty());
}

TEST(Shadow, ABroadcastIsReadByAllLanes) {
    Program broken;
    broken.read(1, 128, 0, 4);
    broken.write(1, 128, 4, 4, 1);
    auto found = broken.incidents();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, Kind::race_warp);
    EXPECT_EQ(found[0].first.lanes, kAll);
    EXPECT_EQ(found[0].second.lanes, 1u);

    Program clean;
    clean.read(1, 128, 0, 4);
    sync_warp(clean.shadow, 1, kAll);
    clean.write(1, 128, 4, 4, 1);
    EXPECT_TRUE(clean.incidents().empty());
}

TEST(Shadow, ThreeReadersAndEachIsFoundByTheWriter) {
    for (uint32_t ordered_with : {0b0011u, 0b0101u, 0b1001u, 0b0111u, 0b1111u}) {
        Program program;
        for (int warp = 1; warp < 4; ++warp) program.read(warp, 128, 4, 4, kAll, kRead + uint32_t(warp));
        program.barrier(ordered_with, 1);
        program.write(0, 128, 4, 4);
        const auto found = program.incidents();
        for (const Incident& race : found) {
            EXPECT_EQ(race.detail, "write after read");
            EXPECT_FALSE(ordered_with >> race.first.warp & 1)
                << "warp " << race.first.warp << " stood at the barrier";
        }
        EXPECT_EQ(found.empty(), ordered_with == 0b1111u);
    }
}

TEST(Shadow, TwoWarpsReadARowAndOneOfThemWritesIt) {
    for (uint32_t bytes : {2u, 4u, 8u, 16u}) {
        for (uint32_t lane : {0u, 1u, 6u, 31u}) {
            Program program;
            program.read(1, 128, bytes, bytes, kAll, kRead);
            program.read(2, 128, bytes, bytes, kAll, kOther);
            program.write(2, 128, bytes, bytes, 1u << lane);
            auto found = program.incidents();
            ASSERT_EQ(found.size(), 1u) << bytes << " bytes, lane " << lane;
            EXPECT_EQ(found[0].first.warp, 1);
            EXPECT_EQ(found[0].first.site, kRead);
            EXPECT_EQ(found[0].second.lanes, 1u << lane);
            EXPECT_EQ(found[0].first.lanes, bytes > 2 ? 1u << lane : 0u);  // of halves lanes are not kept

            program.read(1, 1024, bytes, bytes, kAll, kRead);
            program.read(2, 1024, bytes, bytes, kAll, kOther);
            program.read(3, 1024, bytes, bytes, kAll, kOther);
            program.write(1, 1024, bytes, bytes, 1u << lane);
            found = program.incidents();
            ASSERT_EQ(found.size(), 2u) << bytes << " bytes, lane " << lane;
            EXPECT_EQ(found[0].first.warp, 2);
            EXPECT_EQ(found[0].first.site, kOther);
        }
    }
}

TEST(Shadow, AReaderOfTheOtherHalfHidesNoRace) {
    Program program;
    program.read(0, 128, 4, 2);
    for (int warp : {0, 2, 3}) arrive(program.shadow, 1, warp, false);
    arrive(program.shadow, 1, 1, true);
    complete(program.shadow, 1);
    program.read(1, 130, 4, 2);   // after everything so far, for warp 1
    program.write(2, 128, 4, 2);  // but not for warp 2
    expect_race(program, Kind::race_shared, kRead, kWrite, "write after read");
}

TEST(Shadow, AtomicsDoNotRaceWithEachOther) {
    Program program;
    for (int warp = 0; warp < 4; ++warp) program.atomic(warp, 128, 0);
    EXPECT_TRUE(program.incidents().empty());
    // The last of them was this very thread, and still neither the other warps' nor the other lanes' are
    // ordered before its read.
    program.read(3, 128, 0, 4, 1u << 31);
    const auto found = program.incidents();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].kind, Kind::race_shared);
    EXPECT_EQ(found[0].count, 3u);
    EXPECT_EQ(found[1].kind, Kind::race_warp);

    Program clean;
    for (int warp = 0; warp < 4; ++warp) clean.atomic(warp, 128, 0);
    clean.barrier();
    clean.read(3, 128, 0, 4);
    clean.barrier();
    clean.write(1, 128, 0, 4, 1);
    EXPECT_TRUE(clean.incidents().empty());
}

TEST(Shadow, AnAtomicRacesWithAPlainAccess) {
    Program after_write;
    after_write.write(1, 128, 4, 4, 1);
    after_write.atomic(2, 128, 0);
    expect_race(after_write, Kind::race_shared, kWrite, kAtomic, "write after write");

    Program after_read;
    after_read.read(1, 128, 4, 4, 1);
    after_read.atomic(2, 128, 0);
    expect_race(after_read, Kind::race_shared, kRead, kAtomic, "write after read");

    Program before_write;
    before_write.atomic(2, 128, 0);
    before_write.write(1, 128, 4, 4, 1);
    expect_race(before_write, Kind::race_shared, kAtomic, kWrite, "write after write");
}

TEST(Shadow, AReadOfBytesNobodyWroteIsReportedOnceASite) {
    Program program(false);
    program.write(0, 0, 4, 2);
    program.barrier();
    program.read(1, 0, 4, 2);
    EXPECT_TRUE(program.incidents().empty());
    program.read(1, 0, 4, 4);
    program.read(2, 0, 4, 4);
    program.atomic(3, 256, 0);
    const auto found = program.incidents();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].kind, Kind::uninitialised_read);
    EXPECT_EQ(found[0].first.site, kRead);
    EXPECT_EQ(found[0].first.warp, 1);
    EXPECT_EQ(found[0].first.lanes, kAll);
    EXPECT_EQ(found[0].first.address, 0u);
    EXPECT_EQ(found[0].second.block, -1);
    EXPECT_EQ(found[0].count, 64u);
    EXPECT_EQ(found[1].first.site, kAtomic);
}

TEST(Shadow, ACopyIsReadAfterItsWaitAndABarrier) {
    Program early;
    early.begin(1, 512);
    early.read(1, 512, 16, 16);
    auto found = early.incidents();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, Kind::async_copy_wait);
    EXPECT_EQ(found[0].first.site, kCopy);
    EXPECT_EQ(found[0].first.warp, 1);
    EXPECT_EQ(found[0].first.epoch, 1);
    EXPECT_EQ(found[0].second.site, kRead);
    EXPECT_EQ(found[0].second.address, 512u);

    Program barrier_only;
    barrier_only.begin(1, 512);
    barrier_only.barrier();
    barrier_only.write(2, 512, 4, 4);
    found = barrier_only.incidents();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, Kind::async_copy_wait);

    Program wait_only;
    wait_only.begin(1, 512);
    wait_only.complete(1, 512);
    wait_only.read(1, 512, 16, 16);
    EXPECT_TRUE(wait_only.incidents().empty());
    wait_only.read(2, 512, 4, 4);
    expect_race(wait_only, Kind::race_shared, kCopy, kRead, "read after write");

    Program clean;
    clean.read(2, 512, 4, 4);
    clean.barrier();
    clean.begin(1, 512);
    clean.complete(1, 512);
    clean.barrier();
    clean.read(2, 512, 4, 4);
    EXPECT_TRUE(clean.incidents().empty());
}

TEST(Shadow, ACopyIsAWriteOfItsDestination) {
    Program broken;
    broken.read(2, 512, 4, 4);
    broken.begin(1, 512);
    expect_race(broken, Kind::race_shared, kRead, kCopy, "write after read");
}

TEST(Shadow, RowsAreReadByAllLanesOfTheWarp) {
    auto program = [](bool synced) {
        Program made;
        made.write(1, 128, 4, 4);
        if (synced) sync_warp(made.shadow, 1, kAll);
        read_rows(made.shadow, {1, kRead, kAll, 128, 32, 4, 32});
        return made.incidents();
    };
    EXPECT_TRUE(program(true).empty());
    ASSERT_EQ(program(false).size(), 1u);
    EXPECT_EQ(program(false)[0].kind, Kind::race_warp);
}

TEST(Shadow, OwnersAreTheLastWriters) {
    Program program(false);
    program.write(1, 128, 4, 4);
    program.barrier();
    program.write(2, 256, 2, 2);
    program.barrier();
    program.begin(3, 512);
    program.complete(3, 512);
    program.atomic(1, 132, 0, 0x10);

    const capture::Owner word = owner_of(program.shadow, 128 + 4 * 7, 4);
    EXPECT_EQ(word.warp, 1);
    EXPECT_EQ(word.lane, 7);
    EXPECT_EQ(word.epoch, 0);
    EXPECT_EQ(word.site, kWrite);
    const capture::Owner half = owner_of(program.shadow, 256 + 2 * 5, 2);
    EXPECT_EQ(half.warp, 2);
    EXPECT_EQ(half.lane, 5);
    EXPECT_EQ(half.epoch, 1);
    const capture::Owner copied = owner_of(program.shadow, 512 + 16 * 9 + 8, 4);
    EXPECT_EQ(copied.lane, 9);
    EXPECT_EQ(copied.epoch, 2);
    EXPECT_EQ(copied.site, kCopy);
    EXPECT_EQ(owner_of(program.shadow, 132, 4).site, kAtomic);
    EXPECT_EQ(owner_of(program.shadow, 132, 4).lane, 4);
    EXPECT_EQ(owner_of(program.shadow, 2048, 4).warp, capture::Owner::kNobody);
}

TEST(Shadow, OnlyTheChecksAskedForReport) {
    Shadow shadow;
    start(
        shadow,
        {
            .threads = 64, .bytes = 64, .checks = {.races = false, .uninitialised = false}
    }
    );
    const uint32_t addresses[32] = {};
    write_shared(shadow, {.warp = 0, .site = 1, .mask = 1, .addresses = addresses});
    read_shared(shadow, {.warp = 1, .site = 2, .mask = 1, .bytes = 16, .addresses = addresses});
    EXPECT_TRUE(take_incidents(shadow).empty());
}

TEST(Shadow, CausesBeyondTheCapAreCounted) {
    Shadow shadow;
    start(shadow, {.threads = 64, .bytes = 64, .max_incidents = 3});
    const uint32_t addresses[32] = {};
    write_shared(shadow, {.warp = 0, .site = 1, .mask = 1, .addresses = addresses});
    for (uint32_t site = 2; site < 12; ++site) {
        read_shared(shadow, {.warp = 1, .site = site, .mask = 1, .addresses = addresses});
    }
    EXPECT_EQ(shadow.dropped, 7u);
    EXPECT_EQ(take_incidents(shadow).size(), 3u);
}

TEST(Shadow, AnotherBlockStartsClean) {
    Program program;
    program.write(1, 128, 4, 4);
    program.begin(2, 512);
    program.atomic(1, 256, 0);
    start(program.shadow, {.block = 6, .threads = 128, .bytes = 4096});
    EXPECT_EQ(owner_of(program.shadow, 128, 4).warp, capture::Owner::kNobody);
    program.write(2, 128, 4, 4);
    program.write(2, 512, 4, 4);
    program.write(2, 256, 4, 4);
    EXPECT_TRUE(program.incidents().empty());
}

TEST(Shadow, StampsAreRenumberedWithoutLosingOrder) {
    Program program;
    program.shadow.renumber_at = 20;
    program.write(1, 128, 4, 4);
    for (int i = 0; i < 100; ++i) sync_warp(program.shadow, 2, kAll);
    EXPECT_LT(program.shadow.clocks.now, 30u);
    program.read(2, 128, 4, 4);
    expect_race(program, Kind::race_shared, kWrite, kRead, "read after write");
    program.barrier();
    for (int i = 0; i < 100; ++i) sync_warp(program.shadow, 2, kAll);
    program.read(2, 128, 4, 4);
    EXPECT_TRUE(program.incidents().empty());
    EXPECT_EQ(owner_of(program.shadow, 128, 4).epoch, 1);
}

TEST(Clocks, PartialSyncwarpsPassOrderOn) {
    Clocks clocks;
    start(clocks, 32);
    sync_warp(clocks, 0, 0b0011);
    const Stamp between = clocks.warp[0].time;
    sync_warp(clocks, 0, 0b0110);
    EXPECT_TRUE(ordered(clocks, 1, 0, 0, 0, 2));         // lane 0 before lane 1 before lane 2
    EXPECT_FALSE(ordered(clocks, between, 0, 0, 0, 2));  // what lane 0 did after it met lane 1
    EXPECT_FALSE(ordered(clocks, 1, 0, 2, 0, 0));
    EXPECT_FALSE(ordered(clocks, 1, 0, 0, 0, 3));
}

}  // namespace
}  // namespace wl::emulator
