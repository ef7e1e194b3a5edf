// Time travel in blocks that wait for other blocks: what they found among the others they find again alone.
#include "instrumentation/base/error.h"
#include "instrumentation/travel/instant.h"
#include "tests/travel/travel_launch.h"

namespace wl::travel {
namespace {

const char* const kGridSync = R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned* x, unsigned* y) {
    cg::grid_group grid = cg::this_grid();
    const unsigned me = grid.thread_rank(), all = grid.num_threads();
    x[me] = me * me;
    for (int phase = 0; phase < 3; ++phase) {
        grid.sync();
        y[me] = x[(me + 37) % all] + 1;
        grid.sync();
        x[me] = y[(me + 101) % all];
    }
}
)";

// Each block looks back at the sums of later blocks, none of which has begun when it begins.
const char* const kLookBack = R"(
extern "C" __global__ void k(unsigned long long* state, unsigned* out) {
    __shared__ unsigned before;
    const unsigned tile = gridDim.x - 1 - blockIdx.x;
    if (threadIdx.x == 0) {
        const unsigned total = 3 * tile + 1;
        atomicExch(&state[tile], (1ull << 32) | total);
        unsigned sum = 0;
        for (int t = static_cast<int>(tile) - 1; t >= 0;) {
            const unsigned long long s = atomicAdd(&state[t], 0ull);
            if (s >> 32 == 0) continue;
            sum += static_cast<unsigned>(s);
            if (s >> 32 == 2) break;
            --t;
        }
        before = sum;
        atomicExch(&state[tile], (2ull << 32) | (sum + total));
    }
    __syncthreads();
    out[tile * blockDim.x + threadIdx.x] = before + threadIdx.x;
}
)";

Launched grid_sync() {
    Launched w(emulator::test::ptx_of(kGridSync));
    w.launch.grid = {5, 1, 1}, w.launch.block = {64, 1, 1};
    w.launch.cooperative = true;
    w.words("x", 5 * 64), w.words("y", 5 * 64);
    return w;
}

Launched look_back() {
    Launched w(emulator::test::ptx_of(kLookBack));
    w.launch.grid = {9, 1, 1}, w.launch.block = {64, 1, 1};
    w.words("state", 2 * 9), w.words("out", 9 * 64);
    return w;
}

TEST(TravelWait, BlocksOfAGridBarrierFindWhatTheyFoundWhenTheyWereRecorded) {
    Launched w = grid_sync();
    for (const int64_t block : {0, 2, 4}) expect_same_block(w, block);
}

TEST(TravelWait, ALookBackFindsTheSumsThatLaterBlocksLeft) {
    Launched w = look_back();
    for (const int64_t block : {0, 4, 8}) expect_same_block(w, block);
    // Block 0 has tile 8: before it lie the totals 3 t + 1 of tiles 0 to 7.
    w.travel(0);
    Wanted wanted;
    wanted.warp = 1;
    wanted.line = 20;
    ASSERT_TRUE(go(w.route, wanted).found);
    const watch::Environment environment = environment_here(w.route);
    const watch::Value before = watch::evaluate(watch::parse("before"), environment);
    EXPECT_EQ(watch::text_of(before, 7, environment), "[92]");
}

TEST(TravelWait, EveryInstantOfAWaitingBlockIsThereAgain) {
    Launched sync = grid_sync(), back = look_back();
    sync.travel(1);
    expect_every_instant_again(sync);
    back.travel(2);
    expect_every_instant_again(back);
    sync.travel(1, 77);
    expect_every_instant_again(sync);
}

TEST(TravelWait, WhatOthersWriteHasALimitThatIsNamed) {
    Launched w = look_back();
    emulator::ReplaySpec j = w.journey(0);
    j.turn_bytes = 64;
    try {
        make_route(w.module, std::move(j));
        FAIL() << "64 bytes do not hold nine sums";
    } catch (const Unsupported& unsupported) {
        EXPECT_NE(
            std::string(unsupported.what()).find("between the turns of block (0,0,0)"), std::string::npos
        ) << unsupported.what();
    }
}

}  // namespace
}  // namespace wl::travel
