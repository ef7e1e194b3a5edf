// Stresses: cooperative_groups::memcpy_async of a block and of its tiles, whole and cut off, in elements and
// in bytes of known alignment, with wait, wait_prior and two stages in flight.
#include <cuda/barrier>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

constexpr int kTile = 96, kPart = 24;

extern "C" __global__ void group_copies(const int* in, int* out, int tiles, int rest) {
    __shared__ alignas(16) int stages[2][kTile];
    __shared__ alignas(16) int parts[4][kPart];
    const cg::thread_block block = cg::this_thread_block();
    const int thread = static_cast<int>(block.thread_rank());
    cg::memcpy_async(block, stages[0], in, cuda::aligned_size_t<16>(kTile * sizeof(int)));
    int sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
        const int* next = in + (tile + 1) % tiles * kTile;
        cg::memcpy_async(block, stages[(tile + 1) % 2], next, cuda::aligned_size_t<16>(kTile * sizeof(int)));
        cg::wait_prior<1>(block);
        sum = sum * 3 + stages[tile % 2][(thread * 5 + tile) % kTile];
        block.sync();
    }
    cg::wait(block);
    // A tile copies the rows of its own from an address that is aligned to an element only.
    const auto warp = cg::tiled_partition<32>(block);
    int* part = parts[warp.meta_group_rank()];
    for (int i = static_cast<int>(warp.thread_rank()); i < kPart; i += 32) part[i] = -1;
    warp.sync();
    cg::memcpy_async(warp, part, kPart, in + 1 + 7 * warp.meta_group_rank(), rest);
    cg::wait(warp);
    const int mine = thread % 32 < kPart ? part[thread % 32] : 0;
    out[2 * thread] = sum;
    out[2 * thread + 1] = cg::reduce(warp, mine, cg::plus<int>()) + mine;
}
