// Each element becomes twice its neighbour, in place: all must have read before anybody writes.
#include <cooperative_groups.h>

extern "C" __global__ void shift(const int* in, int* x, int* out) {
    const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = in[i];
    grid.sync();
    const int next = x[(i + blockDim.x) % n];
#ifndef WL_FAULT_EARLY
    grid.sync();
#endif
    x[i] = 2 * next;
    grid.sync();
    out[i] = x[(i + 1) % n];
}
