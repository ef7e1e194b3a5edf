// Poisson's equation by successive over-relaxation: points of one colour, then of the other, all blocks
// together; then each block's part of the squared residual.
#include <cooperative_groups.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

namespace cg = cooperative_groups;

struct Field {
    float* u;        // (ny, nx), the border is given
    const float* f;  // (ny, nx)
    int nx, ny;
    float spacing;
};

// What the four neighbours and the right side make of a point.
__device__ float relaxed(const Field& field, int at) {
    const float* u = field.u + at;
#ifdef WL_FAULT_ABOVE
    const float around = u[-1] + u[1] + u[-field.ny] + u[field.nx];
#else
    const float around = u[-1] + u[1] + u[-field.nx] + u[field.nx];
#endif
#ifdef WL_FAULT_SPACING
    return 0.25f * (around - field.spacing * field.f[at]);
#else
    return 0.25f * (around - field.spacing * field.spacing * field.f[at]);
#endif
}

// residuals: (grid). Any grid that is resident as a whole, 64 threads.
__global__ void red_black(Field field, float omega, int sweeps, float* residuals) {
    const cg::grid_group grid = cg::this_grid();
    const int inner = field.nx - 2, points = inner * (field.ny - 2);
#ifdef WL_FAULT_SWEEPS
    for (int half = 0; half < sweeps; ++half) {
#else
    for (int half = 0; half < 2 * sweeps; ++half) {
#endif
        for (long long i = grid.thread_rank(); i < points; i += grid.size()) {
#ifdef WL_FAULT_BORDER
            const int y = int(i / inner), x = int(i % inner) + 1;
#else
            const int y = int(i / inner) + 1, x = int(i % inner) + 1;
#endif
#ifndef WL_FAULT_COLOURS
            if ((x + y) % 2 != half % 2) continue;
#endif
            const int at = y * field.nx + x;
#ifdef WL_FAULT_OLD
            field.u[at] = omega * relaxed(field, at);
#else
            field.u[at] = (1.0f - omega) * field.u[at] + omega * relaxed(field, at);
#endif
        }
#ifndef WL_FAULT_SYNC
        grid.sync();
#endif
    }

    float sum = 0.0f;
#ifdef WL_FAULT_STRIDE
    for (long long i = grid.thread_rank(); i < points; i += blockDim.x) {
#else
    for (long long i = grid.thread_rank(); i < points; i += grid.size()) {
#endif
        const int at = int(i / inner + 1) * field.nx + int(i % inner + 1);
        const float away = field.u[at] - relaxed(field, at);
        sum += away * away;
    }
    WL_LANES("sum", sum);
    __shared__ float parts[2];
    for (int reach = 16; reach > 0; reach /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, reach);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
#ifdef WL_FAULT_PART
    if (threadIdx.x == 0) residuals[blockIdx.x] = parts[0];
#else
    if (threadIdx.x == 0) residuals[blockIdx.x] = parts[0] + parts[1];
#endif
}
