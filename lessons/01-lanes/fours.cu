// Four neighbours become the largest of them: y[0] to y[3] = max(x[0], ..., x[3]), and so on. A block has 64.
extern "C" __global__ void fours(const float* x, float* y, int n) {
    __shared__ float tile[64];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    float v = 0.0f;
    if (i < n) v = x[i];
    for (int d = 1; d <= 2; d *= 2) {
        if (i < n) {
            tile[t] = v;
            __syncthreads();  // the neighbour's number is there
            v = fmaxf(v, tile[t ^ d]);
        }
        __syncthreads();  // everybody has read: the tile may be written over
    }
    if (i < n) y[i] = v;
}
