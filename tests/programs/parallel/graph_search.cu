// Stresses: breadth-first search of a graph by levels: queues filled through atomics in shared memory, a loop
// that all threads leave together by a vote of the block, edges made by arithmetic.

constexpr int kNodes = 600;

extern "C" __global__ void graph_search(const int* offsets, int* levels, int* widths) {
    __shared__ int queues[2][kNodes];
    __shared__ int sizes[2];
    for (int i = threadIdx.x; i < kNodes; i += blockDim.x) levels[i] = i == 0 ? 0 : -1;
    if (threadIdx.x == 0) {
        queues[0][0] = 0;
        sizes[0] = 1;
        sizes[1] = 0;
    }
    __syncthreads();
    for (int level = 0;; ++level) {
        const int current = level % 2, size = sizes[current];
        if (threadIdx.x == 0) widths[level] = size;
        for (int q = threadIdx.x; q < size; q += blockDim.x) {
            const int node = queues[current][q];
            for (int e = 0; e < 3; ++e) {
                const int to = (node * (e + 2) + offsets[(node + e) % 16]) % kNodes;
                if (atomicCAS(&levels[to], -1, level + 1) == -1)
                    queues[current ^ 1][atomicAdd(&sizes[current ^ 1], 1)] = to;
            }
        }
        __syncthreads();
        if (__syncthreads_and(sizes[current ^ 1] == 0)) break;
        if (threadIdx.x == 0) sizes[current] = 0;
        __syncthreads();
    }
}
