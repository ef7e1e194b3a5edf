// Rows with their mean taken off, scaled, each column with a weight: small changes that the search finds.
__global__ void centre(const float* x, const float* weight, float* y, int rows, int cols, float scale) {
    __shared__ float part[64];
#if defined(WL_FAULT_AXIS)
    const int row = blockIdx.y;
#else
    const int row = blockIdx.x;
#endif
    const int t = threadIdx.x;
    float sum = 0.0f;
#if defined(WL_FAULT_TWICE)
    for (int c = t + 1; c < cols; c += blockDim.x) {  // summed
#else
    for (int c = t; c < cols; c += blockDim.x) {
#endif
#if defined(WL_FAULT_INDEX)
        sum += x[row * rows + c];
#elif defined(WL_FAULT_LOST)
        sum = x[row * cols + c];
#elif defined(WL_FAULT_TWO)
    sum += x[row * cols + c] * x[row * cols + c];
#else
    sum += x[row * cols + c];
#endif
    }
    part[t] = sum;
    __syncthreads();
#if defined(WL_FAULT_LAST)
    for (int step = 32; step > 1; step /= 2) {
#elif defined(WL_FAULT_HALF)
    for (int step = 16; step > 0; step /= 2) {
#else
for (int step = 32; step > 0; step /= 2) {
#endif
        if (t < step) part[t] += part[t + step];
        __syncthreads();
    }
    const float mean = part[0] / cols;
#if defined(WL_FAULT_TWICE)
    for (int c = t + 1; c < cols; c += blockDim.x) {  // written
#else
    for (int c = t; c < cols; c += blockDim.x) {
#endif
#if defined(WL_FAULT_SIGN)
        const float v = (x[row * cols + c] + mean) * scale;
#elif defined(WL_FAULT_SCALE)
        const float v = x[row * cols + c] - mean;
#elif defined(WL_FAULT_TWO)
const float v = (x[row * cols + c] + 2 * mean + 1) * scale;
#else
const float v = (x[row * cols + c] - mean) * scale;
#endif
        y[row * cols + c] = v * weight[c];
    }
}
