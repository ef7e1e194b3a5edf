// Stresses: groups of the threads that happen to be together in a branch, partitions by label and by a
// predicate, aggregated atomics through them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

__device__ int increment(int* counter) {
    const auto group = cg::coalesced_threads();
    int first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(counter, static_cast<int>(group.size()));
    return group.shfl(first, 0) + group.thread_rank();
}

extern "C" __global__ void coalesced(const int* in, int* out, int* counters, int* seen) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x, x = in[i];
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    if (x % 3 == 0)
        seen[increment(&counters[0])] = 1;  // every place once, whoever takes it
    else if (x % 3 == 1)
        increment(&counters[1]);
    const auto same = cg::labeled_partition(warp, x % 5);
    const auto half = cg::binary_partition(warp, x > 500);
    out[2 * i] = cg::reduce(same, x, cg::plus<int>()) * 100 + static_cast<int>(same.size());
    out[2 * i + 1] = cg::reduce(half, x, cg::less<int>()) * 100 + static_cast<int>(half.thread_rank());
}
