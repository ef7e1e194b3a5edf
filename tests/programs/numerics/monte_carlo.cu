// Stresses: xorshift generators in 32 and 64 bits, high halves of products, integer to float conversions, a
// vote that counts.

struct Generator {
    unsigned x, y, z, w;
};

__device__ unsigned next(Generator& g) {  // xorshift128 (Marsaglia 2003)
    const unsigned t = g.x ^ g.x << 11;
    g.x = g.y;
    g.y = g.z;
    g.z = g.w;
    return g.w = g.w ^ g.w >> 19 ^ t ^ t >> 8;
}

extern "C" __global__ void monte_carlo(
    const unsigned* seeds, int* inside, unsigned long long* mixed, int draws
) {
    __shared__ int hits;
    if (threadIdx.x == 0) hits = 0;
    __syncthreads();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Generator g{seeds[i], seeds[i] ^ 362436069u, 521288629u, 88675123u};
    unsigned long long state = seeds[i] | 1ull << 40;
    for (int d = 0; d < draws; ++d) {
        const float x = next(g) * 0x1p-32f, y = next(g) * 0x1p-32f;
        const int count = __syncthreads_count(x * x + y * y < 1.0f);
        if (threadIdx.x == 0) hits += count;
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state += __umul64hi(state, 0x2545f4914f6cdd1dull) ^ __umulhi(g.x, g.y);
    }
    mixed[i] = state;
    if (threadIdx.x == 0) inside[blockIdx.x] = hits;
}
