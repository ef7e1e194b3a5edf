// Steps from one place of a ring: each level's places stand in one half of `queue`, the next level's in the
// other.
__global__ void begin(int* steps, int* tails, int* queue, int n, int levels, int source) {
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) steps[v] = v == source ? 0 : -1;
    if (v <= levels) tails[v] = v == 0 ? 1 : 0;
    if (v == 0) queue[0] = source;
}

__global__ void expand(const int* hop, int* steps, int* tails, int* queue, int n, int level) {
    const int* in = queue + (level & 1) * n;
#ifdef WL_FAULT_HALF
    int* out = queue + (level & 1) * n;  // its own
#else
    int* out = queue + ((level + 1) & 1) * n;
#endif
    for (int base = 0; base < tails[level]; base += blockDim.x) {
        const int i = base + threadIdx.x;
        const bool own = i < tails[level];
        const int v = own ? in[i] : 0;
        __syncthreads();
        for (int e = 0; own && e < 2; ++e) {
            const int w = (v + (e == 0 ? 1 : hop[v])) % n;
            if (atomicCAS(&steps[w], -1, level + 1) == -1) out[atomicAdd(&tails[level + 1], 1)] = w;
        }
        __syncthreads();
    }
}
