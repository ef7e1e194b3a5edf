// Launches that a device refuses, each beside one that it takes.
#ifdef WL_FAULT_BOUND
constexpr int kMost = 128;
#else
constexpr int kMost = 256;
#endif

extern "C" __global__ void __launch_bounds__(kMost) bounded(float* out) { out[threadIdx.x] = 1; }

#ifdef WL_FAULT_STATIC
constexpr int kCells = 16384;
#else
constexpr int kCells = 12288;
#endif

extern "C" __global__ void fixed(float* out) {
    __shared__ float cells[kCells];
    for (int i = threadIdx.x; i < kCells; i += blockDim.x) cells[i] = i;
    __syncthreads();
    out[threadIdx.x] = cells[kCells - 1 - threadIdx.x];
}

extern "C" __global__ void dynamic(float* out) {
    extern __shared__ float cells[];
    cells[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
}

// The sum needs all of the values, and each value the sum, so that a thread needs more than 64 registers.
extern "C" __global__ void
#ifndef WL_FAULT_REGISTERS
__launch_bounds__(1024)
#endif
    wide(float* out) {
    float x[160], sum = 0;
#pragma unroll
    for (int i = 0; i < 160; ++i) sum += x[i] = out[i * 1024 + threadIdx.x];
#pragma unroll
    for (int i = 0; i < 160; ++i) out[i * 1024 + threadIdx.x] = x[i] * sum;
}
