// Stresses: atomics made of compare-and-swap: a maximum of floats, a sum of doubles that are whole numbers,
// 16-bit counters in one word, and a lock that one lane a warp takes at a time.

__device__ void atomic_max(float* target, float value) {
    int seen = __float_as_int(*reinterpret_cast<volatile float*>(target));
    while (__int_as_float(seen) < value) {
        const int before = atomicCAS(reinterpret_cast<int*>(target), seen, __float_as_int(value));
        if (before == seen) break;
        seen = before;
    }
}

__device__ void atomic_add(double* target, double value) {
    unsigned long long* bits = reinterpret_cast<unsigned long long*>(target);
    unsigned long long seen = *reinterpret_cast<volatile unsigned long long*>(target), before;
    do {
        before = seen;
        seen = atomicCAS(bits, before, __double_as_longlong(__longlong_as_double(before) + value));
    } while (seen != before);
}

extern "C" __global__ void cas_loops(
    const float* in, float* largest, double* sum, unsigned* pairs, int* lock, int* guarded
) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomic_max(largest, in[i]);
    atomic_add(sum, static_cast<double>(static_cast<int>(in[i] * 1000)));
    unsigned short* counter = reinterpret_cast<unsigned short*>(&pairs[i % 4]) + i / 4 % 2;
    unsigned short seen = *reinterpret_cast<volatile unsigned short*>(counter), before;
    do {
        before = seen;
        seen = atomicCAS(counter, before, static_cast<unsigned short>(before + 3));
    } while (seen != before);
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);
        __threadfence();
        volatile int* value = guarded;
        *value = *value + i;
        __threadfence();
        atomicExch(lock, 0);
    }
}
