// y[row] = the sum of squares of a row of halves. A warp has a row.
#include <cuda_fp16.h>

extern "C" __global__ void squares(const __half* x, float* y, int columns) {
    const int lane = threadIdx.x;
    const __half* row = x + blockIdx.x * columns;
    float sum = 0.0f;
    for (int column = lane; column < columns; column += 32) {
        const float v = __half2float(row[column]);
        sum += v * v;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) y[blockIdx.x] = sum;
}
