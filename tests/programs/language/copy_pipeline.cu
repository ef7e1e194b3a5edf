// Stresses: cuda::pipeline with cuda::memcpy_async in the scope of a thread: cp.async behind the library's
// own code.
#include <cuda/pipeline>

constexpr int kStages = 4, kThreads = 64;

extern "C" __global__ void copy_pipeline(const int4* in, int4* out, int tiles) {
    __shared__ int4 buffer[kStages][kThreads];
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    const int lane = threadIdx.x;
    int4 sum = {0, 0, 0, 0};
    for (int fetched = 0, tile = 0; tile < tiles; ++tile) {
        for (; fetched < tiles && fetched < tile + kStages; ++fetched) {
            pipe.producer_acquire();
            cuda::memcpy_async(
                &buffer[fetched % kStages][lane],
                &in[fetched * kThreads + lane],
                cuda::aligned_size_t<16>(sizeof(int4)),
                pipe
            );
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        const int4 v = buffer[tile % kStages][lane];
        sum.x += v.x;
        sum.y ^= v.y;
        sum.z = max(sum.z, v.z);
        sum.w = sum.w * 31 + v.w;
        pipe.consumer_release();
    }
    out[lane] = sum;
}
