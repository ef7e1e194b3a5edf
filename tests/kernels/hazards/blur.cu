// A block blurs a row twice, by one function that the compiler puts into both places.

__device__ __forceinline__ float beside(const float* tile, int i) {
    return tile[max(i - 1, 0)] + tile[min(i + 1, 95)];  // second: once; second: twice
}

__device__ __forceinline__ float blurred(const float* tile, int i) {
    return 0.5f * tile[i] + 0.25f * beside(tile, i);
}

// in, out: (blocks, 96). Grid (blocks), block (96).
extern "C" __global__ void blur(const float* in, float* out) {
    __shared__ float tile[96];
    const int i = threadIdx.x, at = blockIdx.x * blockDim.x + i;
    tile[i] = in[at];  // first: once
#ifndef WL_FAULT_ONCE
    __syncthreads();
#endif
    const float value = blurred(tile, i);
    __syncthreads();
    tile[i] = value;  // first: twice
#ifndef WL_FAULT_TWICE
    __syncthreads();
#endif
    out[at] = blurred(tile, i);
}
