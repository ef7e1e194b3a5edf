// Stresses: warps that produce and warps that consume, two buffers, full and empty cuda::barriers with
// arrival tokens and parity waits.
#include <cuda/barrier>

constexpr int kLanes = 64, kStages = 2;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void barrier_pipeline(const float* in, float* out, int rounds) {
    __shared__ float buffer[kStages][kLanes];
    __shared__ alignas(Barrier) unsigned char storage[2 * kStages * sizeof(Barrier)];
    Barrier* full = reinterpret_cast<Barrier*>(storage);
    Barrier* empty = full + kStages;
    if (threadIdx.x == 0)
        for (int s = 0; s < 2 * kStages; ++s) init(full + s, 2 * kLanes);
    __syncthreads();
    const int lane = threadIdx.x % kLanes;
    const float* mine = in + blockIdx.x * rounds * kLanes;
    if (threadIdx.x < kLanes) {
        for (int r = 0; r < rounds; ++r) {
            const int s = r % kStages;
            empty[s].arrive_and_wait();
            buffer[s][lane] = mine[r * kLanes + lane] * 0.5f;
            (void)full[s].arrive();
        }
    } else {
        for (int s = 0; s < kStages; ++s) (void)empty[s].arrive();
        float sum = 0;
        for (int r = 0; r < rounds; ++r) {
            const int s = r % kStages;
            full[s].arrive_and_wait();
            sum += buffer[s][lane] - buffer[s][kLanes - 1 - lane] * 0.125f;
            if (r + kStages < rounds) (void)empty[s].arrive();
        }
        out[blockIdx.x * kLanes + lane] = sum;
    }
}
