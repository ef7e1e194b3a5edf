// What steps.cu computes, a thread an element: its reference. And launches of several kernels.
extern "C" __global__ void plain(const float* x, float* y, int rows) {
    const int row = blockIdx.x * 8 + threadIdx.x / 8, column = threadIdx.x % 8;
    if (row >= rows) return;
    const float* plane = x + row / 8 * 64;
    float sum = 0.0f;
    for (int k = 0; k < 8; ++k) sum += plane[row % 8 * 8 + k] * plane[k * 8 + column];
    y[row * 8 + column] = sum;
}

struct Part {
    float factor;
    int count;
    float* out;
};

__constant__ float weights[4];

extern "C" __global__ void scale(const float* x, float* y, int n, float factor) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * factor;
}

extern "C" __global__ void weigh(const float* x, Part part, float4 shift, float* const* table) {
    extern __shared__ float sums[];
    const int i = threadIdx.x;
    sums[i] = i < part.count ? x[i] * part.factor + shift.y : 0.0f;
    __syncthreads();
    float sum = weights[i % 4];
    for (int k = 0; k <= i; ++k) sum += sums[k];
    if (i < part.count) part.out[i] = sum + table[i % 2][i];
}
