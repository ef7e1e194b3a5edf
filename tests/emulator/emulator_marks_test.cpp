// Probe marks: what they copy, when they are taken, who wrote it.
#include "tests/emulator/emulator_kernel.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <mutex>

namespace wl::emulator::test {
namespace {

struct Collected {
    std::vector<TileSnapshot> tiles;
    std::mutex lock;
};
void collect(KernelRun& run, Collected& into) {
    run.options.on_tile = [&into](TileSnapshot&& tile) {
        const std::scoped_lock guard(into.lock);
        into.tiles.push_back(std::move(tile));
    };
}
template <class T>
T element(const TileSnapshot& tile, int row, int col) {
    T value;
    std::memcpy(
        &value, tile.values.data() + static_cast<size_t>(row * tile.cols + col) * sizeof(T), sizeof(T)
    );
    return value;
}

const std::string kShared = ".shared .align 16 .b8 s[8192];\n";
// Thread t writes row t / 8 * 1000 + column t % 8 of a matrix with leading dimension 12, as 32-bit integers.
const std::string kFill =
    "shr.u32 %r10, %r0, 3;\nand.b32 %r11, %r0, 7;\nmul.lo.u32 %r12, %r10, 12;\nadd.u32 %r12, %r12, %r11;\n"
    "shl.b32 %r12, %r12, 2;\nmov.u32 %r13, s;\nadd.u32 %r12, %r12, %r13;\nmad.lo.u32 %r14, %r10, 1000, "
    "%r11;\n"
    "mov.u64 %rd10, s;\ncvta.shared.u64 %rd10, %rd10;\nmov.u32 %r15, 8;\nmov.u32 %r16, 12;\n";

TEST(EmulatorMarks, ATileIsItsMatrixWithoutPadding) {
    KernelRun run(
        kernel(
            kFill +
                "mov.u32 %r17, 16;\nst.shared.u32 [%r12], %r14;\n//@wl tile \"scores\" 4 %rd10 %r17 %r15 "
                "%r16\n",
            kShared
        ),
        128,
        3
    );
    Collected c;
    collect(run, c);
    run.go();
    ASSERT_EQ(c.tiles.size(), 3u);
    EXPECT_TRUE(run.result.incidents.empty())
        << "a mark is a rendezvous, but reads by the observer are no race";
    const TileSnapshot& t = c.tiles[1];
    EXPECT_EQ(t.block, 1);
    EXPECT_EQ(t.warp, -1);
    EXPECT_EQ(t.rows, 16);
    EXPECT_EQ(t.cols, 8);
    EXPECT_EQ(t.dtype, DType::u32);
    EXPECT_EQ(t.memory, "shared");
    for (int row = 0; row < 16; ++row)
        for (int col = 0; col < 8; ++col) EXPECT_EQ(element<uint32_t>(t, row, col), row * 1000u + col);
}

TEST(EmulatorMarks, RecordedTilesKnowTheirWriters) {
    KernelRun run(
        kernel(
            kFill +
                "mov.u32 %r17, 17;\nst.shared.u32 [%r12], %r14;\n//@wl tile \"scores\" 4 %rd10 %r17 %r15 "
                "%r16\n",
            kShared
        ),
        128
    );
    Collected c;
    collect(run, c);
    run.options.record = true;
    run.go();
    ASSERT_EQ(c.tiles.size(), 1u);
    const TileSnapshot& t = c.tiles[0];
    ASSERT_EQ(t.owners.size(), 17u * 8);
    for (int k = 0; k < 128; ++k) {
        EXPECT_EQ(t.owners[static_cast<size_t>(k)].warp, k / 32);
        EXPECT_EQ(t.owners[static_cast<size_t>(k)].lane, k % 32);
    }
    EXPECT_EQ(t.owners[130].warp, capture::Owner::kNobody) << "row 16 was never written";
    ASSERT_EQ(run.result.records.size(), 1u);
    const auto& events = run.result.records[0].events;
    const auto count = [&](capture::EventKind kind) {
        return std::count_if(events.begin(), events.end(), [&](const auto& e) { return e.kind == kind; });
    };
    EXPECT_EQ(count(capture::EventKind::shared_write), 128);
    EXPECT_EQ(count(capture::EventKind::tile), 1);
    EXPECT_EQ(count(capture::EventKind::exit), 4);
    const auto write = std::find_if(events.begin(), events.end(), [](const auto& e) {
        return e.kind == capture::EventKind::shared_write && e.warp == 2 && e.lane == 5;
    });
    EXPECT_EQ(write->value, (2u * 32 + 5) / 8 * 1000 + 5);
    EXPECT_EQ(write->address, ((2u * 32 + 5) / 8 * 12 + 5) * 4);
}

TEST(EmulatorMarks, IterationsCountTheMarksOfABlock) {
    KernelRun run(
        kernel(
            kFill +
                "mov.u32 %r17, 16;\nmov.u32 %r20, 0;\n"
                "LOOP:\nst.shared.u32 [%r12], %r20;\n//@wl stage \"body\"\n//@wl tile \"scores\" 4 %rd10 "
                "%r17 %r15 %r16\n"
                "bar.sync 0;\nadd.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, 3;\n@%p1 bra LOOP;\n",
            kShared
        ),
        128,
        2
    );
    Collected c;
    collect(run, c);
    run.go();
    ASSERT_EQ(c.tiles.size(), 6u);
    for (size_t k = 0; k < 6; ++k) {
        EXPECT_EQ(c.tiles[k].iteration, static_cast<int>(k % 3));
        EXPECT_EQ(element<uint32_t>(c.tiles[k], 15, 7), k % 3) << "one instant: nobody is an iteration ahead";
        if (k % 3 != 0) { EXPECT_GT(c.tiles[k].time, c.tiles[k - 1].time); }
    }
}

TEST(EmulatorMarks, AMarkHidesNoRace) {
    // Without a barrier the mark alone stands between the write of one warp and the read of another.
    KernelRun run(
        kernel(
            kFill +
                "mov.u32 %r17, 16;\nst.shared.u32 [%r12], %r14;\n//@wl tile \"scores\" 4 %rd10 %r17 %r15 "
                "%r16\n"
                "xor.b32 %r20, %r0, 32;\nshr.u32 %r20, %r20, 3;\nmul.lo.u32 %r20, %r20, 48;\nadd.u32 %r20, "
                "%r20, %r13;\n"
                "ld.shared.u32 %r21, [%r20];\n",
            kShared
        ),
        128
    );
    Collected c;
    collect(run, c);
    run.go();
    EXPECT_EQ(c.tiles.size(), 1u);
    EXPECT_FALSE(run.incidents(Incident::Kind::race_shared).empty());
}

TEST(EmulatorMarks, AMarkThatSomeWarpsNeverReachIsFound) {
    KernelRun run(
        kernel(
            kFill +
                "mov.u32 %r17, 16;\nst.shared.u32 [%r12], %r14;\nsetp.ge.u32 %p1, %r0, 96;\n@%p1 bra "
                "AROUND;\n"
                "//@wl tile \"scores\" 4 %rd10 %r17 %r15 %r16\n"
                "AROUND:\nbar.sync 0;\n",
            kShared
        ),
        128
    );
    Collected c;
    collect(run, c);
    run.go();
    EXPECT_EQ(run.result.blocks, 1u);
    EXPECT_EQ(c.tiles.size(), 1u);
    const auto found = run.incidents(Incident::Kind::mark_not_reached);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].detail.find('3'), std::string::npos) << found[0].detail;
}

TEST(EmulatorMarks, LanesAndFragmentsComeByRegister) {
    KernelRun run(
        kernel("mad.lo.u32 %r10, %r0, 10, 3;\nmov.u32 %r11, 7;\n//@wl lanes \"sum\" 4 %r10\n"
               "//@wl fragment \"acc\" 4 0 2 %r10\n//@wl fragment \"acc\" 4 1 2 %r11\n"
               "//@wl fragment \"packed\" 8 0 1 %r12\n"),
        64
    );
    Collected c;
    collect(run, c);
    run.go();
    ASSERT_EQ(c.tiles.size(), 6u) << "three marks of two warps";
    EXPECT_EQ(c.tiles[0].warp, 0);
    EXPECT_EQ(c.tiles[0].rows, 32);
    EXPECT_EQ(c.tiles[0].cols, 1);
    EXPECT_EQ(element<uint32_t>(c.tiles[0], 5, 0), 53u);
    EXPECT_EQ(c.tiles[1].cols, 2);
    EXPECT_EQ(element<uint32_t>(c.tiles[1], 9, 0), 93u);
    EXPECT_EQ(element<uint32_t>(c.tiles[1], 9, 1), 7u);
    EXPECT_EQ(c.tiles[2].cols, 2) << "two halves in one 32-bit register";
    EXPECT_EQ(c.tiles[3].warp, 1);
    EXPECT_EQ(element<uint32_t>(c.tiles[3], 5, 0), 373u);
}

TEST(EmulatorMarks, MarksOffTakeNothing) {
    KernelRun run(kernel("//@wl lanes \"sum\" 4 %r0\n"), 32);
    Collected c;
    collect(run, c);
    run.options.marks = false;
    run.go();
    EXPECT_TRUE(c.tiles.empty());
}

}  // namespace
}  // namespace wl::emulator::test
