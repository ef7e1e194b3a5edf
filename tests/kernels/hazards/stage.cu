// A tile comes by cp.async in two stages: reads before the wait, and a buffer filled too early.
#include <cuda_pipeline.h>

// in, out: (blocks, steps, 128). Grid (blocks), block (128).
extern "C" __global__ void stage(const float* in, float* out, int steps) {
    __shared__ float tiles[2][128];
    const int i = threadIdx.x, opposite = blockDim.x - 1 - i;
    const float* from = in + blockIdx.x * steps * 128;
    float* to = out + blockIdx.x * steps * 128;
    __pipeline_memcpy_async(&tiles[0][i], from + i, 4);  // first: wait
    __pipeline_commit();
    for (int step = 0; step < steps; ++step) {
        float* next = tiles[(step + 1) % 2];
        const float* source = from + (step + 1) * 128;
        if (step + 1 < steps) __pipeline_memcpy_async(&next[i], source + i, 4);  // first: wait; second: reuse
        __pipeline_commit();
#ifdef WL_FAULT_WAIT
        __pipeline_wait_prior(2);
#else
        __pipeline_wait_prior(1);
#endif
        __syncthreads();
        to[step * 128 + i] = tiles[step % 2][opposite];  // second: wait; first: reuse
#ifndef WL_FAULT_REUSE
        __syncthreads();
#endif
    }
}
