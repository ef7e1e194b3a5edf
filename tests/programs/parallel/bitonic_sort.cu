// Stresses: many block barriers, exchanges of pairs in shared memory, 64-bit keys made of a float and its
// index.

constexpr int kElements = 512;

// Orders floats as integers: negative ones have all bits turned, others the sign's.
__device__ unsigned ordered(float x) {
    const unsigned bits = __float_as_uint(x);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

extern "C" __global__ void bitonic_sort(const float* in, float* sorted, int* order) {
    __shared__ unsigned long long keys[kElements];
    for (int i = threadIdx.x; i < kElements; i += blockDim.x)
        keys[i] = static_cast<unsigned long long>(ordered(in[blockIdx.x * kElements + i])) << 32 | i;
    for (int size = 2; size <= kElements; size *= 2)
        for (int step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            const int low = 2 * threadIdx.x - (threadIdx.x & (step - 1)), high = low + step;
            const bool rising = (low & size) == 0;
            const unsigned long long a = keys[low], b = keys[high];
            if (a > b == rising) {
                keys[low] = b;
                keys[high] = a;
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < kElements; i += blockDim.x) {
        const int from = static_cast<int>(keys[i] & 0xffffffff);
        sorted[blockIdx.x * kElements + i] = in[blockIdx.x * kElements + from];
        order[blockIdx.x * kElements + i] = from;
    }
}
