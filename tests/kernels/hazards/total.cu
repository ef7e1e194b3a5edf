// The last block to finish adds what all blocks left in global memory: races between blocks and a fence.

__device__ unsigned arrived;

// in: (blocks, 64), partial: (blocks), out: (1), touched: (64). Grid (blocks), block (64).
extern "C" __global__ void total(const float* in, volatile float* partial, float* out, unsigned* touched) {
    __shared__ float values[64];
    __shared__ bool last;
    const int i = threadIdx.x;
    values[i] = in[blockIdx.x * blockDim.x + i];
    __syncthreads();
    for (int half = 32; half > 0; half /= 2) {
        if (i < half) values[i] += values[i + half];
        __syncthreads();
    }
#ifdef WL_FAULT_COUNT
    touched[i] += 1;  // here: count
#else
    atomicAdd(&touched[i], 1u);
#endif
    if (i == 0) {
        partial[blockIdx.x] = values[0];  // first: fence
#ifndef WL_FAULT_FENCE
        __threadfence();
#endif
#ifdef WL_FAULT_TICKET
        last = arrived++ == gridDim.x - 1;  // here: ticket
#else
        last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
#endif
#ifndef WL_FAULT_FENCE
        __threadfence();
#endif
    }
    __syncthreads();
    if (last && i == 0) {
        float sum = 0.0f;
        for (int block = 0; block < gridDim.x; ++block) sum += partial[block];  // second: fence
        out[0] = sum;
    }
}
