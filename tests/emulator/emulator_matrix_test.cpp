// Matrix instructions around the arithmetic: where fragments go in memory, what is checked, who is the owner,
// who is waited for.
#include "tests/emulator/emulator_kernel.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>

namespace wl::emulator::test {
namespace {

using Kind = Incident::Kind;

std::string list(const std::string& prefix, int first, int count) {
    std::string text = "{";
    for (int k = 0; k < count; ++k) text += (k == 0 ? "" : ", ") + prefix + std::to_string(first + k);
    return text + "}";
}

const std::string kShared = ".shared .align 128 .b8 s[8192];\n";

// Each thread copies words of parameter 1 into s, from its own index in steps of the block's size.
std::string fill_shared(int words) {
    return "mov.u32 %r40, s;\nmov.u32 %r41, %r0;\nL:\nmul.wide.u32 %rd40, %r41, 4;\nadd.u64 %rd40, %rd1, "
           "%rd40;\n"
           "ld.global.b32 %r42, [%rd40];\nshl.b32 %r43, %r41, 2;\nadd.u32 %r43, %r43, %r40;\n"
           "st.shared.b32 [%r43], %r42;\nadd.u32 %r41, %r41, %r3;\nsetp.lt.u32 %p1, %r41, " +
        std::to_string(words) + ";\n@%p1 bra L;\nbar.sync 0;\n";
}

std::vector<uint16_t> halves_of_position(size_t count) {
    std::vector<uint16_t> v(count);
    std::iota(v.begin(), v.end(), uint16_t{0});
    return v;
}

// Loads an accumulator by rows from p1 and stores it by columns at p0: the transpose.
std::string transposing(const std::string& space, const std::string& to, int stride) {
    return "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + list("%f", 8, 8) + ", [%rd1], 16;\n" +
        "wmma.store.d.sync.aligned.col.m16n16k16" + space + ".f32 [" + to + "], " + list("%f", 8, 8) + ", " +
        std::to_string(stride) + ";\n";
}

TEST(EmulatorMatrix, AColumnStoreIsTheTransposeOfARowLoad) {
    std::vector<float> in(256);
    std::iota(in.begin(), in.end(), 0.0f);
    KernelRun run(kernel(transposing(".global", "%rd0", 20)));
    run.out<float>("d", 320).in("a", in).go();
    EXPECT_TRUE(run.result.incidents.empty());
    const auto d = run.get<float>("d");
    for (size_t row = 0; row < 16; ++row)
        for (size_t column = 0; column < 16; ++column)
            EXPECT_EQ(d[column * 20 + row], in[row * 16 + column]) << row << " " << column;
}

TEST(EmulatorMatrix, AStoreBeyondTheAllocationIsSuppressedAndNoted) {
    KernelRun run(kernel(transposing(".global", "%rd0", 16)));
    run.out<float>("d", 255).in("a", std::vector<float>(256, 1.0f)).go();
    const auto found = run.incidents(Kind::out_of_bounds);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].first.write);
    const auto d = run.get<float>("d");
    EXPECT_EQ(std::count(d.begin(), d.end(), 1.0f), 255);
}

TEST(EmulatorMatrix, AnOddStrideMisalignsPairsOfFloats) {
    // By rows a lane stores two floats at once (8 bytes); by columns one.
    for (const bool by_rows : {true, false}) {
        const std::string order = by_rows ? "row" : "col";
        KernelRun run(kernel(
            "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " + list("%f", 8, 8) + ", [%rd1], 16;\n" +
            "wmma.store.d.sync.aligned." + order + ".m16n16k16.global.f32 [%rd0], " + list("%f", 8, 8) +
            ", 17;\n"
        ));
        run.out<float>("d", 300).in("a", std::vector<float>(256, 1.0f)).go();
        EXPECT_EQ(run.incidents(Kind::misaligned).size(), by_rows ? 1u : 0u);
    }
}

TEST(EmulatorMatrix, AReadOfWhatNobodyWroteIsNoted) {
    KernelRun run(kernel(transposing(".global", "%rd0", 16)));
    run.out<float>("d", 256).out<float>("a", 256).go();
    const auto found = run.incidents(Kind::uninitialised_read);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.memory, "global a");

    const std::string load = "mov.u32 %r40, s;\nwmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " +
        list("%r", 8, 8) + ", [%r40], 24;\n";
    KernelRun unwritten(kernel(load, kShared));
    unwritten.go();
    EXPECT_EQ(unwritten.incidents(Kind::uninitialised_read).size(), 1u);
    KernelRun written(kernel(fill_shared(192) + load, kShared));
    written.out<float>("d", 1).in("a", halves_of_position(384)).go();
    EXPECT_TRUE(written.result.incidents.empty());
}

TEST(EmulatorMatrix, AMissingBarrierBetweenStoreAndLoadIsARace) {
    // Warp 0 stores a tile, warp 1 loads it.
    const auto text = [](const std::string& between) {
        return kernel(
            "mov.u32 %r40, s;\nsetp.ge.u32 %p1, %r0, 32;\n@%p1 bra B;\n"
            "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 " +
                list("%f", 8, 8) +
                ", [%rd1], 16;\nwmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%r40], " +
                list("%f", 8, 8) + ", 16;\nB:\n" + between + "@!%p1 bra E;\n" +
                "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " + list("%f", 8, 8) + ", [%r40], 16;\n" +
                "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd0], " + list("%f", 8, 8) +
                ", 16;\nE:\n",
            kShared
        );
    };
    std::vector<float> in(256);
    std::iota(in.begin(), in.end(), 0.0f);
    KernelRun clean(text("bar.sync 0;\n"), 64);
    clean.out<float>("d", 256).in("a", in).go();
    EXPECT_TRUE(clean.result.incidents.empty());
    EXPECT_EQ(clean.get<float>("d"), in);
    KernelRun racy(text(""), 64);
    racy.out<float>("d", 256).in("a", in).go();
    EXPECT_EQ(racy.incidents(Kind::race_shared).size(), 1u);
}

TEST(EmulatorMatrix, TheOwnerOfAnElementIsTheLaneThatHeldIt) {
    KernelRun run(kernel(transposing(".global", "%rd0", 16)));
    run.out<float>("d", 256).in("a", std::vector<float>(256, 1.0f));
    run.options.record = true;
    run.go();
    ASSERT_EQ(run.result.global_owners.size(), 1u);
    const auto& owners = run.result.global_owners[0].second;
    // Element (row, column) of an accumulator: lane 4 * (row mod 8) + (column mod 8) / 2; stored at column *
    // 16 + row.
    for (size_t row = 0; row < 16; ++row)
        for (size_t column = 0; column < 16; ++column)
            EXPECT_EQ(owners[4 * (column * 16 + row)].lane, 4 * (row % 8) + column % 8 / 2);
    ASSERT_EQ(run.result.records.size(), 1u);
    size_t bytes = 0;
    for (const auto& event : run.result.records[0].events)
        if (event.kind == capture::EventKind::global_write) bytes += event.bytes;
    EXPECT_EQ(bytes, 1024u);
}

TEST(EmulatorMatrix, LanesThatComeApartMeetAtAMatrixInstruction) {
    // The halves of the warp take different ways to the same product; 2 * 3 * 16 + 1.
    KernelRun run(kernel(
        "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra A;\nmov.b32 %r10, 0x40004000;\nbra.uni B;\nA:\n"
        "mov.b32 %r10, 0x40004000;\nB:\nmov.b32 %r11, 0x42004200;\nmov.f32 %f1, 0f3f800000;\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%r10, %r10, %r10, %r10}, "
        "{%r11, %r11}, {%f1, %f1, %f1, %f1};\n" +
        store(0, "f32", 4, "%f7")
    ));
    run.out<float>("d", 32).go();
    EXPECT_TRUE(run.result.incidents.empty());
    for (const float d : run.get<float>("d")) EXPECT_EQ(d, 97.0f);
}

TEST(EmulatorMatrix, AnAbsentLaneIsNoted) {
    const std::string product =
        "mov.b32 %r10, 0x3c003c00;\nmov.f32 %f1, 0f00000000;\n"
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7}, {%r10, %r10}, {%r10}, "
        "{%f1, %f1, %f1, %f1};\n";
    KernelRun exited(kernel("setp.eq.u32 %p1, %r0, 5;\n@%p1 exit;\n" + product));
    exited.go();
    const auto found = exited.incidents(Kind::lane_not_in_mask);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.lanes, 1u << 5);
    KernelRun short_block(kernel(product), 24);
    short_block.go();
    EXPECT_EQ(short_block.incidents(Kind::lane_not_in_mask).size(), 1u);
}

// Row l of 32 rows of 16 bytes is where lane l points; each thread stores register r of what it got at p0[4 t
// + r].
std::string loading_matrices(const std::string& trans) {
    return fill_shared(128) +
        "shl.b32 %r44, %r0, 4;\nadd.u32 %r44, %r44, %r40;\nldmatrix.sync.aligned.m8n8.x4" + trans +
        ".shared.b16 {%r50, %r51, %r52, %r53}, [%r44];\nmul.wide.u32 %rd40, %r0, 16;\n" +
        "add.u64 %rd40, %rd0, %rd40;\nst.global.v4.b32 [%rd40], {%r50, %r51, %r52, %r53};\n";
}

TEST(EmulatorMatrix, LdmatrixSpreadsRowsOverLanes) {
    for (const bool trans : {false, true}) {
        KernelRun run(kernel(loading_matrices(trans ? ".trans" : ""), kShared));
        run.out<uint16_t>("d", 256).in("a", halves_of_position(256)).go();
        EXPECT_TRUE(run.result.incidents.empty());
        const auto d = run.get<uint16_t>("d");
        for (size_t lane = 0; lane < 32; ++lane)
            for (size_t q = 0; q < 4; ++q)
                for (size_t half = 0; half < 2; ++half) {
                    const size_t group = lane / 4, other = lane % 4 * 2 + half;
                    const size_t row = trans ? other : group, column = trans ? group : other;
                    EXPECT_EQ(d[(lane * 4 + q) * 2 + half], (q * 8 + row) * 8 + column);
                }
    }
}

TEST(EmulatorMatrix, AMisalignedRowOfLdmatrixIsNotedWithItsLane) {
    std::string text = loading_matrices("");
    text.replace(text.find("ldmatrix"), 0, "setp.eq.u32 %p2, %r0, 9;\n@%p2 add.u32 %r44, %r44, 8;\n");
    KernelRun run(kernel(text, kShared));
    run.out<uint16_t>("d", 256).in("a", halves_of_position(256)).go();
    const auto found = run.incidents(Kind::misaligned);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].first.lanes, 1u << 9);
    EXPECT_EQ(run.get<uint16_t>("d")[(4 * 4 + 1) * 2], 0xffff);  // lane 4 holds row 1 of matrix 1
}

TEST(EmulatorMatrix, StmatrixOwnsByElementAndRacesOverOneRow) {
    // All rows at one address: 32 lanes write 16 bytes four times over with different values.
    const auto text = [](const std::string& scale) {
        return kernel(
            "mov.u32 %r40, s;\nmul.lo.u32 %r44, %r0, " + scale + ";\nadd.u32 %r44, %r44, %r40;\n" +
                "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r44], {%r0};\n",
            kShared
        );
    };
    KernelRun clean(text("16"));
    clean.go();
    EXPECT_TRUE(clean.result.incidents.empty());
    KernelRun racy(text("0"));
    racy.go();
    EXPECT_EQ(racy.incidents(Kind::race_warp).size(), 1u);
}

TEST(EmulatorMatrix, MovmatrixTransposes) {
    KernelRun run(kernel(
        load(1, "b32", 4, "%r10") + "movmatrix.sync.aligned.m8n8.trans.b16 %r11, %r10;\n" +
        store(0, "b32", 4, "%r11")
    ));
    run.out<uint16_t>("d", 64).in("a", halves_of_position(64)).go();
    const auto d = run.get<uint16_t>("d");
    for (size_t row = 0; row < 8; ++row)
        for (size_t column = 0; column < 8; ++column) EXPECT_EQ(d[row * 8 + column], column * 8 + row);
}

TEST(EmulatorMatrix, ASumIsRoundedToF16Once) {
    // 1 + 2^-11 lies between two f16; 2^-25 more, which no f32 beside 1 holds, takes it up.
    for (const bool more : {false, true}) {
        const std::string last = more ? "0x1000" : "0x0000";  // 2^-11 or 0, times 2^-14
        KernelRun run(kernel(
            "mov.b32 %r10, 0x00001000;\nmov.b32 %r11, 0x00003c00;\nmov.b32 %r12, 0x3c003c00;\n"
            "and.b32 %r20, %r0, 3;\nsetp.eq.u32 %p1, %r20, 0;\nsetp.eq.u32 %p2, %r20, 1;\n"
            "mov.b32 %r13, 0;\n@%p1 mov.b32 %r13, %r10;\n@%p2 mov.b32 %r13, " +
            last +
            ";\nmov.b32 %r14, 0;\n@%p1 mov.b32 %r14, %r11;\n@%p2 mov.b32 %r14, 0x0400;\nmov.b32 %r15, 0;\n"
            "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r16, %r17}, {%r13, %r15}, {%r14}, {%r12, "
            "%r12};\n" +
            store(0, "b32", 4, "%r16")
        ));
        run.out<uint16_t>("d", 64).go();
        EXPECT_EQ(run.get<uint16_t>("d")[0], more ? 0x3c01 : 0x3c00);
    }
}

TEST(EmulatorMatrix, EveryMatrixInstructionOfTheCudaLibraryIsLowered) {
    std::ifstream file(WL_SOURCE_DIR "/tests/ptx/matrix.ptx");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    ASSERT_NE(text.find("wmma.mma"), std::string::npos);
    EXPECT_EQ(unsupported(ptx::parse(text)), std::vector<std::string>());
}

TEST(EmulatorMatrix, ADifferentBasePerLaneIsFollowedLaneByLane) {
    // An H200 adds each lane's own base: lanes 16-31 read a copy 1 KiB further on.
    std::vector<float> in(512);
    std::iota(in.begin(), in.end(), 0.0f);
    KernelRun run(kernel(
        "setp.ge.u32 %p1, %r0, 16;\n@%p1 add.u64 %rd1, %rd1, 1024;\n" + transposing(".global", "%rd0", 16)
    ));
    run.out<float>("d", 256).in("a", in).go();
    EXPECT_EQ(run.get<float>("d")[0], 0.0f);          // (0, 0): lane 0
    EXPECT_EQ(run.get<float>("d")[4], 4 * 16 + 256);  // (4, 0): lane 16
}

}  // namespace
}  // namespace wl::emulator::test
