// Each thread adds what its neighbour has left in global memory, after a barrier of the block.
extern "C" __global__ void reread(const float* in, float* out, float* sums) {
    const int first = blockIdx.x * blockDim.x, t = threadIdx.x;
    out[first + t] = 2 * in[first + t];  // first: cached
    __syncthreads();
    const float* neighbour = out + first + (t + 1) % blockDim.x;
#ifdef WL_FAULT_CACHED
    sums[first + t] = out[first + t] + __ldg(neighbour);  // second: cached
#else
    sums[first + t] = out[first + t] + *neighbour;
#endif
}
