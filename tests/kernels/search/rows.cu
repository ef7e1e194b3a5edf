// Sums of rows, scaled: what it takes is a struct, and who adds up is a tile of a cooperative group.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

struct Rows {
    const float* x;  // (rows, pitch)
    float* sums;     // (rows)
    int rows, columns, pitch;
    float scale;
};

// Grid rows, 64 threads.
template <typename T>
__global__ void rows(Rows r, T shift) {
    __shared__ T parts[2];
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto row = blockIdx.x;
    const int part = warp.meta_group_rank();
    T sum = 0;
#ifdef WL_FAULT_STRIDE
    for (int c = block.thread_rank(); c < r.columns; c += warp.size()) sum += r.x[row * r.pitch + c];
#elif defined(WL_FAULT_PITCH)
    for (int c = block.thread_rank(); c < r.columns; c += block.size()) sum += r.x[row * r.columns + c];
#else
    for (int c = block.thread_rank(); c < r.columns; c += block.size()) sum += r.x[row * r.pitch + c];
#endif
    for (int reach = 16; reach > 0; reach /= 2) sum += warp.shfl_xor(sum, reach);
#ifndef WL_FAULT_STORE
    if (warp.thread_rank() == 0) parts[part] = sum;
#endif
    __syncthreads();
#ifdef WL_FAULT_SHIFT
    if (block.thread_rank() == 0) r.sums[row] = r.scale * (parts[0] + parts[1]) + r.scale;
#else
    if (block.thread_rank() == 0) r.sums[row] = r.scale * (parts[0] + parts[1]) + shift;
#endif
}
