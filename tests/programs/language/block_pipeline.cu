// Stresses: cuda::pipeline in the scope of a block: threads that only produce and threads that only consume,
// three stages in shared state, then the same state for all threads in both parts.
#include <cuda/pipeline>

#include <cooperative_groups.h>

constexpr int kStages = 3, kProducers = 32, kConsumers = 64;
using State = cuda::pipeline_shared_state<cuda::thread_scope_block, kStages>;

extern "C" __global__ void block_pipeline(const float* in, float* out, int rounds) {
    __shared__ float buffer[kStages][kConsumers];
    __shared__ State parted, united;
    const auto block = cooperative_groups::this_thread_block();
    const int thread = threadIdx.x;
    const float* mine = in + blockIdx.x * rounds * kConsumers;
    float sum = 0;
    {
        const auto role = thread < kProducers ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
        auto pipe = cuda::make_pipeline(block, &parted, role);
        for (int r = 0; r < rounds; ++r) {
            if (role == cuda::pipeline_role::producer) {
                pipe.producer_acquire();
                for (int i = thread; i < kConsumers; i += kProducers)
                    cuda::memcpy_async(
                        &buffer[r % kStages][i], mine + r * kConsumers + i, sizeof(float), pipe
                    );
                pipe.producer_commit();
            } else {
                pipe.consumer_wait();
                const int lane = thread - kProducers;
                sum = 0.5f * sum + buffer[r % kStages][(lane + r) % kConsumers];
                pipe.consumer_release();
            }
        }
        pipe.quit();
    }
    block.sync();
    auto pipe = cuda::make_pipeline(block, &united);
    for (int fetched = 0, r = 0; r < rounds; ++r) {
        for (; fetched < rounds && fetched < r + kStages; ++fetched) {
            pipe.producer_acquire();
            if (thread < kConsumers)
                cuda::memcpy_async(
                    &buffer[fetched % kStages][thread],
                    mine + fetched * kConsumers + thread,
                    sizeof(float),
                    pipe
                );
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += buffer[r % kStages][(thread * 3 + r) % kConsumers];
        pipe.consumer_release();
    }
    out[blockIdx.x * blockDim.x + thread] = sum;
}
