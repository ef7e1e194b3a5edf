// The shadow's findings on the order of accesses, one broken program and its clean twin at a time.
#include "tests/support/shadow_program.h"

namespace wl::emulator {
namespace {

using Kind = Incident::Kind;

TEST(Shadow, ReadAfterWriteOfAnotherWarpNeedsABarrier) {
    Program broken;
    broken.write(1, 128, 4, 4);
    broken.read(2, 128, 4, 4);
    const auto found = broken.incidents();
    ASSERT_EQ(found.size(), 1u);
    const Incident& race = found[0];
    EXPECT_EQ(race.kind, Kind::race_shared);
    EXPECT_EQ(race.first.warp, 1);
    EXPECT_EQ(race.first.site, kWrite);
    EXPECT_EQ(race.first.lanes, kAll);
    EXPECT_EQ(race.first.epoch, 1);
    EXPECT_EQ(race.first.address, 128u);
    EXPECT_TRUE(race.first.write);
    EXPECT_EQ(race.second.warp, 2);
    EXPECT_EQ(race.second.site, kRead);
    EXPECT_EQ(race.second.lanes, kAll);
    EXPECT_EQ(race.second.address, 128u);
    EXPECT_EQ(race.second.block, 5);
    EXPECT_EQ(race.second.value, 2000u);
    EXPECT_FALSE(race.second.write);
    EXPECT_EQ(race.count, 32u);

    Program clean;
    clean.write(1, 128, 4, 4);
    clean.barrier();
    clean.read(2, 128, 4, 4);
    EXPECT_TRUE(clean.incidents().empty());
}

TEST(Shadow, WriteAfterReadOfAnotherWarpNeedsABarrier) {
    Program broken;
    broken.read(1, 128, 4, 4);
    broken.write(2, 128, 4, 4);
    expect_race(broken, Kind::race_shared, kRead, kWrite, "write after read");

    Program clean;
    clean.read(1, 128, 4, 4);
    clean.barrier();
    clean.write(2, 128, 4, 4);
    EXPECT_TRUE(clean.incidents().empty());
}

TEST(Shadow, WriteAfterWriteOfAnotherWarpNeedsABarrier) {
    Program broken;
    broken.write(1, 128, 4, 4);
    broken.write(2, 128, 4, 4, kAll, kOther);
    expect_race(broken, Kind::race_shared, kWrite, kOther, "write after write");

    Program clean;
    clean.write(1, 128, 4, 4);
    clean.barrier();
    clean.write(2, 128, 4, 4, kAll, kOther);
    EXPECT_TRUE(clean.incidents().empty());
}

TEST(Shadow, SyncwarpOrdersNoOtherWarp) {
    Program broken;
    broken.write(1, 128, 4, 4);
    sync_warp(broken.shadow, 1, kAll);
    sync_warp(broken.shadow, 2, kAll);
    broken.read(2, 128, 4, 4);
    expect_race(broken, Kind::race_shared, kWrite, kRead, "read after write");
}

TEST(Shadow, ABarrierOrdersOnlyTheWarpsThatStoodAtIt) {
    Program broken;
    broken.write(1, 128, 4, 4);
    broken.barrier(0b0110, 1);
    broken.read(3, 128, 4, 4);
    expect_race(broken, Kind::race_shared, kWrite, kRead, "read after write");

    Program clean;
    clean.write(1, 128, 4, 4);
    clean.barrier(0b0110, 1);
    clean.read(2, 128, 4, 4);
    clean.barrier(0b1100, 2);  // warp 2 passes the order on
    clean.read(3, 128, 4, 4);
    clean.write(3, 2048, 4, 4);
    EXPECT_TRUE(clean.incidents().empty());
}

TEST(Shadow, ArrivingReleasesButDoesNotAcquire) {
    Program program;
    program.write(1, 128, 4, 4);
    program.write(2, 256, 4, 4);
    arrive(program.shadow, 3, 1, false);
    program.write(1, 384, 4, 4);  // after its arrival
    arrive(program.shadow, 3, 2, true);
    complete(program.shadow, 3);
    program.read(2, 128, 4, 4);
    EXPECT_TRUE(program.incidents().empty());
    program.read(1, 256, 4, 4);
    expect_race(program, Kind::race_shared, kWrite, kRead, "read after write");
    program.read(2, 384, 4, 4);
    expect_race(program, Kind::race_shared, kWrite, kRead, "read after write");
}

TEST(Shadow, AWarpThatExitedReleasesNothingButHoldsNobodyBack) {
    Program broken;
    broken.write(3, 128, 4, 4);
    exit_warp(broken.shadow, 3);
    broken.barrier(0b0111);
    broken.read(1, 128, 4, 4);
    expect_race(broken, Kind::race_shared, kWrite, kRead, "read after write");

    Program clean;
    exit_warp(clean.shadow, 3);
    clean.write(2, 128, 4, 4);
    clean.barrier(0b0111);
    clean.read(1, 128, 4, 4);
    EXPECT_TRUE(clean.incidents().empty());
    EXPECT_EQ(clean.shadow.clocks.warp[1].safe, clean.shadow.clocks.now - 1);
}

TEST(Shadow, LanesOfAWarpNeedASyncwarp) {
    auto program = [](uint32_t mask) {
        Program made;
        made.write(1, 128, 4, 4, 0x0000ffff);
        sync_warp(made.shadow, 1, mask);
        made.read(1, 128 - 16, 4, 4, 0x00ff0000);  // lane l reads what lane l - 4 wrote
        made.read(1, 128 - 64, 4, 4, 0xffff0000);  // and what lane l - 16 wrote
        return made.incidents();
    };
    EXPECT_TRUE(program(kAll).empty());
    EXPECT_TRUE(program(0x00ffffff).size() == 1);  // lanes 24 to 31 were not synchronised
    EXPECT_TRUE(program(0x0000ffff).size() == 1);  // nor were any that read
    EXPECT_EQ(program(0x0000ffff)[0].kind, Kind::race_warp);
    EXPECT_EQ(program(0x00ffffff)[0].second.lanes, 0xff000000);
    EXPECT_EQ(program(0x00ffffff)[0].first.lanes, 0x0000ff00u);
}

TEST(Shadow, ALaneIsOrderedWithItself) {
    Program clean;
    for (int i = 0; i < 3; ++i) {
        clean.write(1, 128, 4, 4);
        clean.read(1, 128, 4, 4);
        clean.write(1, 128, 4, 4, kAll, kOther);
        clean.read(1, 1024, 16, 16, 0x5555);
        clean.write(1, 1024, 16, 16, 0x5555);
        clean.write(1, 2048, 2, 2);
        clean.read(1, 2048, 2, 2);
    }
    EXPECT_TRUE(clean.incidents().empty());

    Program broken;
    broken.write(1, 128, 4, 4);
    broken.read(1, 132, 4, 4, 0x7fffffff);  // the neighbour's
    expect_race(broken, Kind::race_warp, kWrite, kRead, "read after write");
}

}  // namespace
}  // namespace wl::emulator
