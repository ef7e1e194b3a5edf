// y[t] adds up what thread 127 - t fetched, tile after tile. Tile k + 1 is on its way while tile k is used.
__device__ void fetch(float4* to, const float4* from) {
    const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target), "l"(from) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
__device__ void wait_for_all_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

extern "C" __global__ void stream(const float4* x, float* y, int tiles) {
    __shared__ float4 buffer[2][128];
    const int t = threadIdx.x;
    fetch(&buffer[0][t], &x[t]);
    commit();
    float sum = 0.0f;
    for (int k = 0; k < tiles; ++k) {
        if (k + 1 < tiles) {
            fetch(&buffer[(k + 1) % 2][t], &x[(k + 1) * 128 + t]);
            commit();
        }
        wait_for_all_but<1>();  // the newest group may still be on its way
        __syncthreads();        // everybody's part of tile k is there
        const float4 v = buffer[k % 2][127 - t];
        sum += v.x + v.y + v.z + v.w;
        __syncthreads();  // nobody uses tile k any more: it may be written over
    }
    y[t] = sum;
}
