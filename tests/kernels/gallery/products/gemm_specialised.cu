// c = a b^T + bias by warps that do one thing each: the first copies tiles in the background, four others
// multiply. Two stages, which named barriers hand over.
#include <cuda_fp16.h>

constexpr int kTile = 32, kStep = 16, kPitch = kStep + 8, kStages = 2;
constexpr int kConsumers = 128, kThreads = kConsumers + 32;
constexpr int kFull = 1, kEmpty = kFull + kStages;  // the first barriers of each kind

__device__ void arrive(int barrier) {
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "n"(kThreads) : "memory");
}

__device__ void wait(int barrier) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "n"(kThreads) : "memory");
}

// 16 bytes, or so many zeros.
__device__ void copy(half* to, const half* from, bool there) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address),
                 "l"(from),
                 "r"(there ? 16 : 0)
                 : "memory");
}

struct Stage {
    half* a;  // (kTile, kPitch)
    half* b;  // (kTile, kPitch)
};

__device__ Stage stage_of(half* memory, int stage) {
    half* base = memory + stage * 2 * kTile * kPitch;
    return {base, base + kTile * kPitch};
}

struct Problem {
    const half* a;      // (m, k)
    const half* b;      // (n, k)
    const float* bias;  // (n)
    float* c;           // (m, n)
    int m, n, k;        // k a multiple of 8
};

__device__ void produce(const Problem& p, half* memory, int steps, int row0, int col0) {
    const int lane = threadIdx.x;
    for (int step = 0; step < steps; ++step) {
        const int stage = step % kStages;
#ifndef WL_FAULT_EMPTY
        if (step >= kStages) wait(kEmpty + stage);
#endif
        const Stage to = stage_of(memory, stage);
        for (int i = lane; i < kTile * kStep / 8; i += 32) {
            const int row = i / (kStep / 8), col = i % (kStep / 8) * 8, k = step * kStep + col;
            const bool in_k = k < p.k;
#ifdef WL_FAULT_ROWS
            const bool in_a = in_k && row0 + row < p.m, in_b = in_k && col0 + row < p.m;
#else
            const bool in_a = in_k && row0 + row < p.m, in_b = in_k && col0 + row < p.n;
#endif
            copy(to.a + row * kPitch + col, p.a + (in_a ? (row0 + row) * p.k + k : 0), in_a);
#ifdef WL_FAULT_PITCH
            copy(to.b + row * kStep + col, p.b + (in_b ? (col0 + row) * p.k + k : 0), in_b);
#else
            copy(to.b + row * kPitch + col, p.b + (in_b ? (col0 + row) * p.k + k : 0), in_b);
#endif
        }
#ifndef WL_FAULT_WAIT
        asm volatile("cp.async.wait_all;" ::: "memory");
#endif
        arrive(kFull + stage);
    }
}

__device__ void consume(const Problem& p, half* memory, int steps, int row0, int col0) {
    const int t = threadIdx.x - 32, row = t / 4, col = t % 4;
    float sum[8] = {};
    for (int step = 0; step < steps; ++step) {
        const int stage = step % kStages;
        wait(kFull + stage);
#ifdef WL_FAULT_STAGE
        const Stage from = stage_of(memory, 0);
#else
        const Stage from = stage_of(memory, stage);
#endif
        for (int k = 0; k < kStep; ++k) {
            const float a = __half2float(from.a[row * kPitch + k]);
#pragma unroll
            for (int j = 0; j < 8; ++j) sum[j] += a * __half2float(from.b[(col + 4 * j) * kPitch + k]);
        }
        if (step + kStages < steps) arrive(kEmpty + stage);
    }
    for (int j = 0; j < 8; ++j) {
        const int y = row0 + row, x = col0 + col + 4 * j;
#ifdef WL_FAULT_BIAS
        if (y < p.m && x < p.n) p.c[y * p.n + x] = sum[j] + p.bias[col + 4 * j];
#else
        if (y < p.m && x < p.n) p.c[y * p.n + x] = sum[j] + p.bias[x];
#endif
    }
}

// Grid (ceil(n / 32), ceil(m / 32)), 160 threads, 6144 bytes of shared memory.
__global__ void gemm_specialised(Problem p) {
    extern __shared__ __align__(16) half memory[];
    const int row0 = blockIdx.y * kTile, col0 = blockIdx.x * kTile;
#ifdef WL_FAULT_STEPS
    const int steps = p.k / kStep;
#else
    const int steps = (p.k + kStep - 1) / kStep;
#endif
    if (threadIdx.x < 32) {
        produce(p, memory, steps, row0, col0);
    } else {
        consume(p, memory, steps, row0, col0);
    }
}
