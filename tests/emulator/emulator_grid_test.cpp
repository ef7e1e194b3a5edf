// Blocks that wait for each other: barriers of the grid, flags, locks, the last block, look-back, and waits
// that can never end.
#include "tests/emulator/emulator_cuda.h"

#include <gtest/gtest.h>
#include <numeric>

namespace wl::emulator::test {
namespace {

using Kind = Incident::Kind;

const std::string kGridSync = R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned* x, unsigned* y) {
    cg::grid_group grid = cg::this_grid();
    const unsigned long long me = grid.thread_rank(), all = grid.num_threads();
    x[me] = me * me;
    for (int phase = 0; phase < 6; ++phase) {
        grid.sync();
        y[me] = x[(me + 37) % all] + 1;
        grid.sync();
        x[me] = y[(me + 101) % all];
    }
}
)";

TEST(EmulatorGrid, AGridSynchronisesWhateverTheNumberOfWorkers) {
    const std::string text = ptx_of(kGridSync);
    const uint32_t all = 64 * 150;
    std::vector<uint32_t> want(all);
    for (uint32_t k = 0; k < all; ++k) {
        const uint64_t from = (k + 6 * (37 + 101)) % all;
        want[k] = static_cast<uint32_t>(from * from) + 6;
    }
    for (const int threads : {1, 2, 5}) {
        KernelRun run(text, 64, 150);
        run.launch.cooperative = true;
        run.options.threads = threads;
        run.out<uint32_t>("x", all).out<uint32_t>("y", all).go();
        EXPECT_EQ(told(run.result), "");
        EXPECT_EQ(run.result.blocks, 150u);
        EXPECT_EQ(run.get<uint32_t>("x"), want) << threads << " workers";
    }
}

TEST(EmulatorGrid, ABarrierOfTheGridIsNoFindingWhereNothingIsChecked) {
    KernelRun run(ptx_of(kGridSync), 64, 5);
    run.launch.cooperative = true;
    run.options.checks = {false, false, false};
    run.out<uint32_t>("x", 64 * 5).out<uint32_t>("y", 64 * 5).go();
    EXPECT_EQ(told(run.result), "") << "the lane that waits for other blocks comes to the barrier last";
    EXPECT_EQ(run.result.blocks, 5u);
}

TEST(EmulatorGrid, AnOrdinaryLaunchCannotSynchroniseTheGrid) {
    KernelRun run(ptx_of(kGridSync), 64, 4);
    run.out<uint32_t>("x", 256).out<uint32_t>("y", 256).go();
    const auto found = run.incidents(Kind::trap);
    ASSERT_EQ(found.size(), 1u) << "cooperative groups trap without a workspace";
    EXPECT_EQ(line_of(*run.program, found[0].first.site), 9);
}

TEST(EmulatorGrid, MoreBlocksThanTheDeviceHoldsNeverMeet) {
    KernelRun run(ptx_of(kGridSync), 1024, 300);
    run.launch.cooperative = true;
    run.options.checks = {false, false, false};
    run.out<uint32_t>("x", 1024 * 300).out<uint32_t>("y", 1024 * 300).go();
    const auto found = run.incidents(Kind::endless_wait);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(
        found[0].detail,
        "264 of 300 blocks (0, 1, 2, 3, ...) poll memory that none of them will change; 36 blocks cannot "
        "begin, as at most 264 fit on the device at once"
    );
    EXPECT_EQ(line_of(*run.program, found[0].first.site), 9);
    EXPECT_EQ(found[0].first.block, 0);
    EXPECT_EQ(run.result.blocks, 0u);
}

TEST(EmulatorGrid, ABlockWaitsForALaterOne) {
    const std::string text = ptx_of(R"(
extern "C" __global__ void k(unsigned* x, volatile unsigned* ready) {
    if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x) while (ready[blockIdx.x + 1] == 0) {}
    __syncthreads();
    x[blockIdx.x * blockDim.x + threadIdx.x] =
        blockIdx.x + 1 < gridDim.x ? x[(blockIdx.x + 1) * blockDim.x + threadIdx.x] + 1 : threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) ready[blockIdx.x] = 1;
}
)");
    for (const int threads : {1, 3}) {
        KernelRun run(text, 64, 250);
        run.options.threads = threads;
        run.out<uint32_t>("x", 64 * 250).in<uint32_t>("ready", std::vector<uint32_t>(250)).go();
        EXPECT_EQ(told(run.result), "");
        const auto x = run.get<uint32_t>("x");
        for (uint32_t k = 0; k < x.size(); ++k) ASSERT_EQ(x[k], 249 - k / 64 + k % 64) << k;
    }
}

TEST(EmulatorGrid, PrefixSumsByLookBack) {
    const std::string text = ptx_of(R"(
extern "C" __global__ void k(const unsigned* in, unsigned* out, unsigned* counter, unsigned long long* state) {
    __shared__ unsigned sums[128], before, tile;
    if (threadIdx.x == 0) tile = atomicAdd(counter, 1);  // blocks may begin in any order
    __syncthreads();
    sums[threadIdx.x] = in[tile * 128 + threadIdx.x];
    for (unsigned d = 1; d < 128; d *= 2) {
        __syncthreads();
        const unsigned left = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
        __syncthreads();
        sums[threadIdx.x] += left;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const unsigned total = sums[127];
        atomicExch(&state[tile], (1ull << 32) | total);
        unsigned sum = 0;
        for (int k = tile - 1; k >= 0;) {
            const unsigned long long s = atomicAdd(&state[k], 0ull);
            if (s >> 32 == 0) continue;
            sum += (unsigned)s;
            if (s >> 32 == 2) break;
            --k;
        }
        atomicExch(&state[tile], (2ull << 32) | (sum + total));
        before = sum;
    }
    __syncthreads();
    out[tile * 128 + threadIdx.x] = before + sums[threadIdx.x];
}
)");
    constexpr uint32_t kTiles = 2000;
    std::vector<uint32_t> in(kTiles * 128), want(in.size());
    for (uint32_t k = 0; k < in.size(); ++k) in[k] = k * 2654435761u >> 24;
    std::partial_sum(in.begin(), in.end(), want.begin());
    for (const int threads : {1, 2, 4}) {
        KernelRun run(text, 128, kTiles);
        run.options.threads = threads;
        run.in("in", in).out<uint32_t>("out", in.size());
        run.in<uint32_t>("counter", {0}).in<uint64_t>("state", std::vector<uint64_t>(kTiles)).go();
        EXPECT_EQ(told(run.result), "");
        EXPECT_EQ(run.get<uint32_t>("out"), want) << threads << " workers";
    }
}

TEST(EmulatorGrid, TheLastBlockAddsUp) {
    KernelRun run(
        ptx_of(R"(
extern "C" __global__ void k(unsigned* part, unsigned* done, unsigned* sum) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        __threadfence();
        last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        unsigned s = 0;
        for (unsigned k = 0; k < gridDim.x; ++k) s += ((volatile unsigned*)part)[k];
        *sum = s;
    }
}
)"),
        64,
        3000
    );
    run.options.threads = 2;
    run.out<uint32_t>("part", 3000).in<uint32_t>("done", {0}).out<uint32_t>("sum", 1).go();
    EXPECT_EQ(told(run.result), "");
    EXPECT_EQ(run.get<uint32_t>("sum")[0], 3000u * 3001 / 2);
    EXPECT_EQ(run.get<uint32_t>("done")[0], 0u);
}

TEST(EmulatorGrid, ALockProtectsAPlainCounter) {
    KernelRun run(
        ptx_of(R"(
extern "C" __global__ void k(int* lock, volatile unsigned* counter) {
    for (int turn = 0; turn < 20; ++turn) {
        if (threadIdx.x == 0) {
            while (atomicCAS(lock, 0, 1) != 0) __nanosleep(50);
            __threadfence();
            *counter = *counter + 1;
            __threadfence();
            atomicExch(lock, 0);
        }
        __syncthreads();
    }
}
)"),
        64,
        120
    );
    run.options.threads = 4;
    run.in<uint32_t>("lock", {0}).in<uint32_t>("counter", {0}).go();
    EXPECT_EQ(told(run.result), "");
    EXPECT_EQ(run.get<uint32_t>("counter")[0], 2400u);
}

// Nobody sets the flag.
std::string waits_for_ever(const std::string& loop) {
    return ptx_of(
        "extern \"C\" __global__ void k(volatile unsigned* flag, unsigned* plain) {\n"
        "    plain[blockIdx.x] = 1;\n"
        "    if (threadIdx.x == 32)\n" +
        loop + "\n    __syncthreads();\n    plain[blockIdx.x] = 2;\n}\n"
    );
}

TEST(EmulatorGrid, AFlagThatNobodySetsIsAnEndlessWait) {
    for (const char* loop :
         {"while (*flag == 0) {}",
          "while (*flag == 0) __nanosleep(100);",
          "while (atomicAdd((unsigned*)flag, 0) == 0) {}"}) {
        for (const int threads : {1, 3}) {
            KernelRun run(waits_for_ever(loop), 64, 50);
            run.options.threads = threads;
            run.in<uint32_t>("flag", {0}).out<uint32_t>("plain", 50).go();
            const auto found = run.incidents(Kind::endless_wait);
            ASSERT_EQ(found.size(), 1u) << loop;
            EXPECT_EQ(
                found[0].detail, "50 of 50 blocks (0, 1, 2, 3, ...) poll memory that none of them will change"
            );
            EXPECT_EQ(line_of(*run.program, found[0].first.site), 4);
            EXPECT_EQ(found[0].first.warp, 1);
            EXPECT_EQ(run.result.blocks, 0u);
        }
    }
}

TEST(EmulatorGrid, ALoopThatCountsItsTriesComesToItsEnd) {
    KernelRun run(waits_for_ever("for (int k = 0; k < 300000 && *flag == 0; ++k) {}"), 64, 20);
    run.options.threads = 2;
    run.in<uint32_t>("flag", {0}).out<uint32_t>("plain", 20).go();
    EXPECT_EQ(told(run.result), "");
    EXPECT_EQ(run.result.blocks, 20u);
    EXPECT_EQ(run.get<uint32_t>("plain"), std::vector<uint32_t>(20, 2));
}

TEST(EmulatorGrid, ALoopThatCountsForEverIsAnEndlessWaitToo) {
    KernelRun run(
        waits_for_ever("for (unsigned long long k = 0; *flag == 0; ++k) plain[60] = k == ~0ull;"), 64, 2
    );
    run.in<uint32_t>("flag", {0}).out<uint32_t>("plain", 61).go();
    const auto found = run.incidents(Kind::endless_wait);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].detail, "2 of 2 blocks (0, 1) poll memory that did not change for long");
}

TEST(EmulatorGrid, APlainLoadBehindAFenceSeesTheFlag) {
    KernelRun run(
        ptx_of(R"(
extern "C" __global__ void k(unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        while (*flag == 0) __threadfence();
        *out = *flag;
    } else if (threadIdx.x == 0) {
        *flag = 7;
    }
}
)"),
        32,
        2
    );
    run.in<uint32_t>("flag", {0}).out<uint32_t>("out", 1).go();
    EXPECT_EQ(run.get<uint32_t>("out")[0], 7u);
}

TEST(EmulatorGrid, BlocksThatAnObservedOneWaitsForRunToo) {
    KernelRun run(ptx_of(kGridSync), 64, 30);
    run.launch.cooperative = true;
    run.options.record = true;
    run.options.blocks = {7};
    run.out<uint32_t>("x", 64 * 30).out<uint32_t>("y", 64 * 30).go();
    EXPECT_EQ(told(run.result), "");
    EXPECT_EQ(run.result.blocks, 1u);
    ASSERT_EQ(run.result.records.size(), 1u);
    EXPECT_EQ(run.result.records[0].block, 7);
    EXPECT_EQ(run.get<uint32_t>("x")[0], 6u * 138 * 6 * 138 + 6);
}

TEST(EmulatorGrid, BlocksThatRunAloneLeaveTheOthersOut) {
    for (const bool alone : {false, true}) {
        KernelRun run(
            ptx_of(R"(
extern "C" __global__ void k(unsigned* count, unsigned* out) {
    if (threadIdx.x == 0) out[blockIdx.x] = atomicAdd(count, 1u) + 1;
}
)"),
            32,
            2
        );
        run.options.blocks = {1}, run.options.alone = alone;
        run.in<uint32_t>("count", {0}).out<uint32_t>("out", 2).go();
        EXPECT_EQ(run.get<uint32_t>("count")[0], alone ? 1u : 2u);
    }
}

TEST(EmulatorGrid, CooperativeGroupsOfAWarp) {
    KernelRun run(
        ptx_of(R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned* out) {
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    const unsigned me = block.thread_rank();
    unsigned* o = out + 6 * me;
    o[0] = cg::reduce(tile, me, cg::plus<unsigned>());
    o[1] = tile.shfl_xor(me, 3) + 1000 * tile.meta_group_rank();
    o[2] = cg::inclusive_scan(tile, me);
    if (me % 3 == 0) {
        auto some = cg::coalesced_threads();
        o[3] = some.thread_rank() * 100 + some.size();
        o[4] = cg::reduce(some, me, cg::greater<unsigned>());
    } else {
        o[3] = o[4] = 0;
    }
    auto odd = cg::labeled_partition(tile, me % 2);
    o[5] = odd.size() * 1000 + cg::reduce(odd, me, cg::plus<unsigned>());
}
)"),
        64
    );
    run.out<uint32_t>("out", 6 * 64).go();
    EXPECT_EQ(told(run.result), "");
    const auto out = run.get<uint32_t>("out");
    for (uint32_t me = 0; me < 64; ++me) {
        const uint32_t* o = &out[size_t{6} * me];
        const uint32_t first = me / 8 * 8, warp = me / 32 * 32;
        EXPECT_EQ(o[0], 8 * first + 28);
        EXPECT_EQ(o[1], (me ^ 3) + 1000 * (me / 8));
        EXPECT_EQ(o[2], (me % 8 + 1) * (first + me) / 2);
        const uint32_t skipped = (warp + 2) / 3, members = (warp + 31) / 3 - skipped + 1;
        EXPECT_EQ(o[3], me % 3 == 0 ? (me / 3 - skipped) * 100 + members : 0);
        EXPECT_EQ(o[4], me % 3 == 0 ? (warp + 31) / 3 * 3 : 0);
        EXPECT_EQ(o[5], 4000 + 4 * first + 12 + me % 2 * 4);
    }
}

}  // namespace
}  // namespace wl::emulator::test
