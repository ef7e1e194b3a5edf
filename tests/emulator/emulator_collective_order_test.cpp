// Reads whose value went into a warp-wide instruction come before what other lanes of the warp do behind it;
// other reads do not, and no store does.
#include "tests/emulator/emulator_cuda.h"

#include <gtest/gtest.h>
#include <tuple>

namespace wl::emulator::test {
namespace {

using Kind = Incident::Kind;

// The body of a kernel of one warp over shared memory s, global memory x and out, which lanes leave through.
KernelRun run_of(const std::string& body, bool debug = false) {
    KernelRun run(ptx_of(
        "#include <mma.h>\n"
        "using namespace nvcuda;\n"
        "using Ones = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;\n"
        "using Twos = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>;\n"
        "using Sums = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;\n"
        "extern \"C\" __global__ void k(float* x, float* out) {\n"
        "    __shared__ float s[256];\n"
        "    const int lane = threadIdx.x;\n"
        "    for (int i = lane; i < 256; i += 32) s[i] = x[256 + i];\n"
        "    __syncwarp();\n" +
            body + "\n}\n",
        debug
    ));
    run.in<float>("x", std::vector<float>(512, 1)).in<float>("out", std::vector<float>(512)).go();
    return run;
}

size_t races(const std::string& body, bool debug = false) {
    const KernelRun run = run_of(body, debug);
    return run.incidents(Kind::race_warp).size() + run.incidents(Kind::race_global).size();
}

// A sum of products into a tile that every lane reads and every lane writes.
std::string sum(const std::string& tile, const std::string& between = "", const std::string& behind = "") {
    return "Ones a; Twos b; Sums c; wmma::fill_fragment(a, __float2half(1)); "
           "wmma::fill_fragment(b, __float2half(2));\n"
           "wmma::load_matrix_sync(c, " +
        tile + ", 16, wmma::mem_row_major);\n" + between + "wmma::mma_sync(c, a, b, c);\n" +
        "wmma::store_matrix_sync(" + tile + ", c, 16, wmma::mem_row_major);\n" + behind;
}

TEST(CollectiveOrder, AnAccumulatorGoesBackToWhereItCameFrom) {
    for (const bool debug : {false, true}) {
        EXPECT_EQ(races(sum("s"), debug), 0u) << debug;
        EXPECT_EQ(races(sum("x"), debug), 0u) << debug;
    }
}

TEST(CollectiveOrder, ReadsThatGoIntoNoProductDoNotComeBeforeTheStore) {
    for (const std::string tile : {"s", "x"}) {
        const std::string read = "#line 100\nconst float kept = " + tile + "[255 - lane];\n#line 200\n";
        const auto run = run_of(sum(tile, read, "out[lane] = kept;"));
        const auto found = run.incidents(tile == "s" ? Kind::race_warp : Kind::race_global);
        ASSERT_EQ(found.size(), 1u) << tile;
        EXPECT_EQ(found[0].detail, "write after read");
        EXPECT_EQ(line_of(*run.program, found[0].first.site), 100) << "not the load of the accumulator";
        EXPECT_EQ(line_of(*run.program, found[0].second.site), 201);
    }
}

TEST(CollectiveOrder, AProductBeforeTheReadSaysNothingOfIt) {
    const std::string again = "__syncwarp(); wmma::load_matrix_sync(c, s, 16, wmma::mem_row_major);\n";
    const std::string late = "wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);\n";
    EXPECT_EQ(races(sum("s", "", again + "s[lane] = 5;\n" + late + "out[300 + lane] = s[lane];")), 1u);
    EXPECT_EQ(races(sum("s", "", again + late + "s[lane] = 5;\nout[300 + lane] = s[lane];")), 0u);
}

// v is what a lane has read; `taken` makes w of it or of something else.
std::string exchange(const std::string& taken, const std::string& memory = "s") {
    return "const float v = " + memory + "[lane];\n" + taken + "\n" + memory +
        "[lane ^ 1] = w;\nout[lane] = v + w;";
}

TEST(CollectiveOrder, WhatAnyWarpWideInstructionTakesInIsRead) {
    const char* const all[] = {
        "const float w = __shfl_down_sync(~0u, v, 3);",
        "const float w = __shfl_sync(~0u, 2 * v + 1, 31 - lane);",
        "const float w = __ballot_sync(~0u, v > lane);",
        "const float w = __any_sync(~0u, v > lane) + lane;",
        "const float w = __reduce_add_sync(~0u, (int)v) + lane;",
        "const float w = __match_any_sync(~0u, (int)v) + lane;",
        "float w = v; for (int i = 16; i > 0; i /= 2) w += __shfl_xor_sync(~0u, w, i);",
    };
    for (const char* taken : all)
        for (const char* memory : {"s", "x"})
            EXPECT_EQ(races(exchange(taken, memory)), 0u) << taken << memory;
}

TEST(CollectiveOrder, OtherValuesThatGoThereSayNothingOfTheRead) {
    for (const char* memory : {"s", "x"}) {
        EXPECT_EQ(races(exchange("const float w = __shfl_down_sync(~0u, lane, 3);", memory)), 1u) << memory;
        EXPECT_EQ(races(exchange("const float w = __activemask() + v;", memory)), 1u) << memory;
        EXPECT_EQ(races(exchange("const float w = v;", memory)), 1u) << memory;
    }
}

TEST(CollectiveOrder, AStoreIsOrderedByBarriersAlone) {
    const std::string store =
        "const float v = x[lane]; s[lane] = v + 1;\n"
        "const float w = __shfl_xor_sync(~0u, v, 1);\n";
    EXPECT_EQ(races(store + "out[lane] = s[lane ^ 2] + w;"), 1u);
    EXPECT_EQ(races(store + "s[lane ^ 2] = w; __syncwarp(); out[lane] = s[lane];"), 1u);
    EXPECT_EQ(races(store + "__syncwarp(); out[lane] = s[lane ^ 2] + w;"), 0u);
}

TEST(CollectiveOrder, HoldsAmongTheLanesOfOneMask) {
    const std::string tiles =
        "const float v = s[lane];\n"
        "const float w = __shfl_xor_sync(lane < 16 ? 0xffffu : 0xffff0000u, v, 1);\n";
    EXPECT_EQ(races(tiles + "s[lane ^ 8] = w;"), 0u);
    EXPECT_EQ(races(tiles + "s[lane ^ 16] = w;"), 1u);
}

TEST(CollectiveOrder, ReadsBehindItAreOpenAgain) {
    const std::string begin =
        "float v = s[lane];\n"
        "const float w = __shfl_xor_sync(~0u, v, 1);\n";
    EXPECT_EQ(races(begin + "const float late = s[lane ^ 3]; s[lane ^ 2] = w; out[lane] = late;"), 1u);
    // In rounds: the next place is read before the one before it is stored.
    const std::string rounds =
        "float next = s[lane];\n"
        "#pragma unroll 1\n"
        "for (int i = 32; i < 256; i += 32) {\n"
        "    const float w = __shfl_xor_sync(~0u, next, 1);\n"
        "    next = s[i + lane];\n";
    EXPECT_EQ(races(rounds + "    s[i - 32 + (lane ^ 2)] = w;\n}\nout[lane] = next;"), 0u);
    EXPECT_EQ(races(rounds + "    s[i + (lane ^ 2)] = w;\n}\nout[lane] = next;"), 1u);
}

TEST(CollectiveOrder, ABranchThatLanesTakeApartIsNoOrder) {
    EXPECT_EQ(
        races("float v = s[lane], w = 0;\n"
              "if (lane < 16) w = __shfl_xor_sync(0xffffu, v, 1); else w = 2 * v;\n"
              "s[lane ^ 16] = w; out[lane] = v;"),
        1u
    );
}

}  // namespace
}  // namespace wl::emulator::test
