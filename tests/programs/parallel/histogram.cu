// Stresses: atomics of shared memory with many lanes on one address, bytes out of words, atomics of blocks on
// one array.

constexpr int kBins = 64;

extern "C" __global__ void histogram(const unsigned* words, unsigned* bins, int n) {
    __shared__ unsigned mine[kBins];
    for (int i = threadIdx.x; i < kBins; i += blockDim.x) mine[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        for (int byte = 0; byte < 4; ++byte) atomicAdd(&mine[(words[i] >> 8 * byte & 255) % kBins], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < kBins; i += blockDim.x)
        if (mine[i]) atomicAdd(&bins[i], mine[i]);
}
