// 32 particles of eight numbers lie in shared memory; a thread has a particle and adds its numbers up.
__device__ int place(int particle, int k) { return k * 32 + particle; }  // number k of a particle

extern "C" __global__ void steps(const float* x, float* y) {
    __shared__ float numbers[32 * 8];
    const int lane = threadIdx.x, first = blockIdx.x * 32;
    for (int k = 0; k < 8; ++k) numbers[place(lane, k)] = x[(first + lane) * 8 + k];
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) sum += numbers[place(lane, k)];
    y[first + lane] = sum;
}
