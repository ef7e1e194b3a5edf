// Probe marks inside functions that are called, not inlined.
#include "tests/emulator/emulator_cuda.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

std::vector<TileSnapshot> tiles_of(KernelRun& run) {
    std::vector<TileSnapshot> tiles;
    run.options.record = true;
    run.options.on_tile = [&tiles](TileSnapshot&& tile) { tiles.push_back(std::move(tile)); };
    run.go();
    return tiles;
}

std::vector<int> values_of(const TileSnapshot& tile) {
    std::vector<int> values(tile.values.size() / sizeof(int));
    std::memcpy(values.data(), tile.values.data(), tile.values.size());
    return values;
}

TEST(EmulatorCallMarks, ATileOfACalledFunctionIsTakenAtEachCallWithItsWriters) {
    const std::string text = ptx_of(R"(
#include "warplens.cuh"
__device__ __noinline__ void fill(int* tile, int scale) {
    WL_STAGE("fill");
    tile[threadIdx.x] = scale * (int)threadIdx.x;
    WL_TILE("filled", tile, 4, 16, 16);
    __syncthreads();
}
extern "C" __global__ void k(int* out) {
    __shared__ int tile[2][64];
    for (int i = 0; i < 3; ++i) fill(tile[i % 2], i + 2);
    out[threadIdx.x] = tile[0][threadIdx.x];
}
)");
    ASSERT_NE(text.find("call.uni"), std::string::npos);
    KernelRun run(text, 64);
    run.out<int>("out", 64);
    const std::vector<TileSnapshot> tiles = tiles_of(run);
    EXPECT_EQ(told(run.result), "");
    ASSERT_EQ(tiles.size(), 3u);
    for (size_t i = 0; i < tiles.size(); ++i) {
        const TileSnapshot& t = tiles[i];
        EXPECT_EQ(t.iteration, static_cast<int>(i));
        EXPECT_EQ(t.address, i == 1 ? 256u : 0u);
        EXPECT_EQ(t.warp, -1);
        ASSERT_EQ(t.values.size(), 64 * sizeof(int));
        ASSERT_EQ(t.owners.size(), 64u);
        for (int thread = 0; thread < 64; ++thread) {
            const auto k = static_cast<size_t>(thread);
            EXPECT_EQ(values_of(t)[k], (static_cast<int>(i) + 2) * thread);
            EXPECT_EQ(t.owners[k].warp, thread / 32);
            EXPECT_EQ(t.owners[k].lane, thread % 32);
        }
    }
}

// Each warp descends to its own depth; on the way back a warp's tile holds what that activation wrote last.
TEST(EmulatorCallMarks, AWarpsTileInARecursionIsTakenOnceAnActivation) {
    const std::string text = ptx_of(R"(
#include "warplens.cuh"
__device__ __noinline__ int descend(int* tile, int depth) {
    const int below = depth == 0 ? 0 : descend(tile, depth - 1);
    __syncwarp();
    tile[threadIdx.x % 32] = 10 * depth + below;
    WL_WARP_TILE("level", tile, 1, 32, 32);
    WL_LANES("below", below);
    return depth;
}
extern "C" __global__ void k(int* out) {
    __shared__ int tiles[2][32];
    out[threadIdx.x] = descend(tiles[threadIdx.x / 32], threadIdx.x < 32 ? 1 : 3);
}
)");
    ASSERT_NE(text.find("call.uni"), std::string::npos);
    KernelRun run(text, 64);
    run.out<int>("out", 64);
    const std::vector<TileSnapshot> all = tiles_of(run);
    EXPECT_EQ(told(run.result), "");
    std::vector<int> levels[2], below[2];
    for (const TileSnapshot& t : all) {
        ASSERT_TRUE(t.warp == 0 || t.warp == 1);
        auto& seen = t.memory == "shared" ? levels[t.warp] : below[t.warp];
        EXPECT_EQ(t.iteration, static_cast<int>(seen.size()));
        const std::vector<int> values = values_of(t);
        ASSERT_EQ(values.size(), 32u);
        EXPECT_EQ(std::count(values.begin(), values.end(), values[0]), 32);
        seen.push_back(values[0]);
    }
    EXPECT_EQ(levels[0], (std::vector<int>{0, 10}));
    EXPECT_EQ(levels[1], (std::vector<int>{0, 10, 21, 32}));
    EXPECT_EQ(below[1], (std::vector<int>{0, 0, 1, 2}));
}

}  // namespace
}  // namespace wl::emulator::test
