// Stresses: atomics on floats, doubles and packed halves whose order is the schedule's: sums that are exact
// in any order, and one that is not.
#include <cuda_fp16.h>

extern "C" __global__ void scatter_add(
    const float* in, float* whole, double* doubles, __half2* halves, float* rounded
) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = in[i];
    atomicAdd(&whole[i % 8], static_cast<float>(static_cast<int>(x * 100)));
    atomicAdd(&doubles[i % 4], static_cast<double>(static_cast<int>(x * 100)) * 0.5);
    atomicAdd(&halves[i % 16], __floats2half2_rn(static_cast<float>(i % 3), 1.0f));
    atomicAdd(&rounded[i % 2], x);
}
