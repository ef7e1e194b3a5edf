// Stresses: cooperative groups of 4, 8 and 32 threads, their shuffles, votes, reductions and scans.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void tiles(const int* in, int* out) {
    const cg::thread_block block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto eight = cg::tiled_partition<8>(warp);
    const auto four = cg::tiled_partition<4>(eight);
    const int x = in[blockIdx.x * blockDim.x + block.thread_rank()];
    int* mine = out + (blockIdx.x * blockDim.x + block.thread_rank()) * 8;
    mine[0] = cg::reduce(warp, x, cg::plus<int>());
    mine[1] = cg::reduce(eight, x, cg::greater<int>());
    mine[2] = cg::reduce(four, x, cg::bit_xor<int>());
    mine[3] = cg::inclusive_scan(eight, x);
    mine[4] = cg::exclusive_scan(four, x);
    mine[5] = eight.shfl(x, eight.meta_group_rank() % 8) + four.shfl_xor(x, 3);
    mine[6] = four.any(x > 900) + 2 * four.all(x > 100) + 4 * __popc(eight.ballot(x & 1));
    mine[7] = static_cast<int>(eight.match_any(x % 4)) + 1000 * eight.thread_rank() +
        100000 * four.meta_group_size();
    block.sync();
}
