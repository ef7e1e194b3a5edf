// y[row] = the sum of squares of a row of halves. A warp has a row.
#include <cuda_fp16.h>

extern "C" __global__ void squares(const __half* x, float* y, int columns) {
    const int lane = threadIdx.x;
    const __half* row = x + blockIdx.x * columns;
    __half sum = __float2half(0.0f);
    for (int column = lane; column < columns; column += 32) sum = __hfma(row[column], row[column], sum);
    for (int d = 16; d > 0; d /= 2) sum = __hadd(sum, __shfl_xor_sync(0xffffffff, sum, d));
    if (lane == 0) y[blockIdx.x] = __half2float(sum);
}
