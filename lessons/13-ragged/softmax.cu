// y = softmax of each row of x. A warp has a row, and takes it 32 columns at a time.
__device__ float warp_max(float x) {
    for (int d = 16; d > 0; d /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, d));
    return x;
}
__device__ float warp_sum(float x) {
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffff, x, d);
    return x;
}
__device__ float element(const float* row, int column, int columns) {
    return column < columns ? row[column] : 0.0f;  // nothing lies behind the row's end
}

extern "C" __global__ void softmax(const float* x, float* y, int columns) {
    const int lane = threadIdx.x;
    const float* row = x + blockIdx.x * columns;
    float m = -INFINITY, l = 0.0f;
    for (int first = 0; first < columns; first += 32)
        m = fmaxf(m, warp_max(element(row, first + lane, columns)));
    for (int first = 0; first < columns; first += 32)
        l += warp_sum(__expf(element(row, first + lane, columns) - m));
    for (int column = lane; column < columns; column += 32)
        y[blockIdx.x * columns + column] = __expf(row[column] - m) / l;
}
