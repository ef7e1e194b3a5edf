// Gradients of biases: two warps' parts, one row of gradients a turn, added to what is there.
__global__ void bias(const float* gradients, float* sums, int rows) {
    __shared__ float part[2][32];
    const int t = threadIdx.x, w = threadIdx.y;
    for (int g = 0; g < rows; ++g) {
        part[w][t] = gradients[((blockIdx.x * rows + g) * 2 + w) * 32 + t];
        __syncthreads();
        if (w == 0) {
            float sum = part[0][t];
            sum += 0.5f * part[0][31 - t];

            sum += part[1][t];
            atomicAdd(&sums[g * 32 + t], sum);
        }
#ifndef WL_FAULT_REUSE
        __syncthreads();  // before the next turn
#endif
    }
}
