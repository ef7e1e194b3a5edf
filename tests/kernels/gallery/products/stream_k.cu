// c = a b with the steps of all tiles dealt evenly to a few blocks: a tile that several worked on is summed
// in a workspace, and whoever comes last applies bias and clamp.
constexpr int kTile = 16, kStep = 8;

__device__ float tile_sum(
    const float* a, const float* b, int m, int n, int k, int row, int col, int begin, int end
) {
    __shared__ float as[kTile][kStep + 1], bs[kStep][kTile];
    const int tx = threadIdx.x % kTile, ty = threadIdx.x / kTile;
    float sum = 0.0f;
    for (int step = begin; step < end; ++step) {
        const int i = threadIdx.x;
        if (i < kTile * kStep) {
            const int r = i / kStep, c = i % kStep;
#ifdef WL_FAULT_ROWS
            as[r][c] = row * kTile + r < n ? a[(row * kTile + r) * k + step * kStep + c] : 0.0f;
#else
            as[r][c] = row * kTile + r < m ? a[(row * kTile + r) * k + step * kStep + c] : 0.0f;
#endif
        } else {
            const int r = (i - kTile * kStep) / kTile, c = i % kTile;
#ifdef WL_FAULT_STRIDE
            bs[r][c] = col * kTile + c < n ? b[(step * kStep + r) * k + col * kTile + c] : 0.0f;
#else
            bs[r][c] = col * kTile + c < n ? b[(step * kStep + r) * n + col * kTile + c] : 0.0f;
#endif
        }
        __syncthreads();
        for (int j = 0; j < kStep; ++j) sum += as[ty][j] * bs[j][tx];
#ifndef WL_FAULT_SYNC
        __syncthreads();
#endif
    }
    return sum;
}

// a: (m, k), b: (k, n), bias: (n), c: (m, n), sums: (tiles, 16, 16) zero, arrived: (tiles) zero; k a multiple
// of 8. Any grid, 256 threads.
__global__ void stream_k(
    const float* a,
    const float* b,
    const float* bias,
    float* c,
    float* sums,
    int* arrived,
    int m,
    int n,
    int k
) {
    __shared__ bool last;
    const int steps = k / kStep, across = (n + kTile - 1) / kTile, tiles = across * ((m + kTile - 1) / kTile);
    const int share = (tiles * steps + gridDim.x - 1) / gridDim.x;
    const int first = blockIdx.x * share;
#ifdef WL_FAULT_END
    const int end = first + share;
#else
    const int end = min(first + share, tiles * steps);
#endif
    for (int at = first; at < end;) {
        const int tile = at / steps, begin = at % steps;
#ifdef WL_FAULT_WHOLE
        const int count = min(steps, end - at);
#else
        const int count = min(steps - begin, end - at);
#endif
#ifdef WL_FAULT_ACROSS
        const int row = tile / steps, col = tile % across;
#else
        const int row = tile / across, col = tile % across;
#endif
        const float sum = tile_sum(a, b, m, n, k, row, col, begin, begin + count);
        float* own = sums + tile * kTile * kTile + threadIdx.x;
#ifdef WL_FAULT_PLAIN
        *own += sum;
#else
        atomicAdd(own, sum);
#endif
        __threadfence();
        __syncthreads();
#ifdef WL_FAULT_ARRIVE
        if (threadIdx.x == 0) last = atomicAdd(&arrived[tile], 1) == steps - 1;
#else
        if (threadIdx.x == 0) last = atomicAdd(&arrived[tile], count) + count == steps;
#endif
        __syncthreads();
        const int y = row * kTile + threadIdx.x / kTile, x = col * kTile + threadIdx.x % kTile;
        if (last && y < m && x < n) {
            __threadfence();
            const float total = *(volatile float*)own;
#ifdef WL_FAULT_BIAS
            c[y * n + x] = fmaxf(total + bias[y], 0.0f);
#else
            c[y * n + x] = fmaxf(total + bias[x], 0.0f);
#endif
        }
        at += count;
    }
}
