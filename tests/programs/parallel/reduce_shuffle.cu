// Stresses: warp shuffles down and across, a block reduction in two levels, float sums whose order is fixed.

constexpr int kLeast = -2147483647 - 1;

__device__ float warp_sum(float x) {
    for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(0xffffffff, x, step);
    return x;  // of lane 0
}

__device__ int warp_max(int x) {
    for (int step = 16; step > 0; step /= 2) x = max(x, __shfl_xor_sync(0xffffffff, x, step));
    return x;
}

extern "C" __global__ void reduce_shuffle(
    const float* values, const int* keys, float* sums, int* maxima, int n
) {
    __shared__ float partial_sum[32];
    __shared__ int partial_max[32];
    float sum = 0;
    int largest = kLeast;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += values[i];
        largest = max(largest, keys[i]);
    }
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    sum = warp_sum(sum);
    largest = warp_max(largest);
    if (lane == 0) {
        partial_sum[warp] = sum;
        partial_max[warp] = largest;
    }
    __syncthreads();
    if (warp == 0) {
        sum = warp_sum(lane < warps ? partial_sum[lane] : 0.0f);
        largest = warp_max(lane < warps ? partial_max[lane] : kLeast);
        if (lane == 0) {
            sums[blockIdx.x] = sum;
            maxima[blockIdx.x] = largest;
        }
    }
}
