// Stresses: a warp a row, mean and variance by shuffles, a reciprocal square root, float4 loads.

extern "C" __global__ void layernorm(
    const float* in, const float* scale, const float* shift, float* out, int rows, int columns
) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const float4* x = reinterpret_cast<const float4*>(in + row * columns);
    float sum = 0, squares = 0;
    for (int i = lane; i < columns / 4; i += 32) {
        const float4 v = x[i];
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, step);
        squares += __shfl_xor_sync(0xffffffff, squares, step);
    }
    const float mean = sum / columns, variance = squares / columns - mean * mean;
    const float factor = rsqrtf(variance + 1e-5f);
    for (int i = lane; i < columns; i += 32)
        out[row * columns + i] = (in[row * columns + i] - mean) * factor * scale[i] + shift[i];
}
