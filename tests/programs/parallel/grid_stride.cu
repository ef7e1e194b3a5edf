// Stresses: grid-stride loops, every kind of integer atomic across blocks, in 32 and 64 bits, signed and not.

struct Totals {
    unsigned long long sum;
    long long smallest, largest;
    unsigned both, any, odd, wrapped;
    int count;
};

extern "C" __global__ void grid_stride(const int* values, Totals* totals, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const int value = values[i];
        atomicAdd(&totals->sum, static_cast<unsigned long long>(static_cast<long long>(value) * value));
        atomicMin(&totals->smallest, static_cast<long long>(value) << 20);
        atomicMax(&totals->largest, static_cast<long long>(value) << 20);
        atomicAnd(&totals->both, static_cast<unsigned>(value) | 0xff);
        atomicOr(&totals->any, static_cast<unsigned>(value) & 0xf0f0);
        atomicXor(&totals->odd, static_cast<unsigned>(value));
        atomicInc(&totals->wrapped, 6);
        if (value < 0) atomicSub(&totals->count, 1);
    }
}
