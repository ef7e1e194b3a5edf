// Symmetric quantisation of activations to signed bytes: a warp a row, its greatest size by shuffles, then
// its elements and their sum, which an asymmetric partner's zero point needs.
#include <cuda_fp16.h>

#if __has_include(<warplens.cuh>)
#include <warplens.cuh>
#else
#define WL_LANES(...)
#endif

// x, q: (rows, cols), scales, sums: (rows). Grid (ceil(rows / 4)), block (32, 4).
__global__ void quantise(const half* x, signed char* q, float* scales, int* sums, int rows, int cols) {
    const int row = blockIdx.x * 4 + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    x += row * cols;
#ifdef WL_FAULT_PITCH
    q += row * ((cols + 31) / 32 * 32);
#else
    q += row * cols;
#endif
#ifdef WL_FAULT_START
    float most = 127.0f;
#else
    float most = 1e-5f;
#endif
#if defined(WL_FAULT_SIZE)
    for (int c = lane; c < cols; c += 32) most = fmaxf(most, __half2float(x[c]));
#elif defined(WL_FAULT_TAIL)
    for (int c = lane; c + 32 < cols; c += 32) most = fmaxf(most, fabsf(__half2float(x[c])));
#else
    for (int c = lane; c < cols; c += 32) most = fmaxf(most, fabsf(__half2float(x[c])));
#endif
#ifdef WL_FAULT_DOWN
    for (int o = 16; o > 0; o >>= 1) most = fmaxf(most, __shfl_down_sync(0xffffffff, most, o));
#else
    for (int o = 16; o > 0; o >>= 1) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, o));
#endif
    WL_LANES("most", most);
#ifdef WL_FAULT_STEPS
    const float scale = most / 255.0f;
#else
    const float scale = most / 127.0f;
#endif
#ifdef WL_FAULT_SUM
    int sum;
#else
    int sum = 0;
#endif
    for (int c = lane; c < cols; c += 32) {
#if defined(WL_FAULT_CUT)
        const int v = __half2float(x[c]) / scale;
#elif defined(WL_FAULT_APPLY)
        const int v = __float2int_rn(__half2float(x[c]));
#else
        const int v = __float2int_rn(__half2float(x[c]) / scale);
#endif
        q[c] = v;
#ifdef WL_FAULT_ADD
        sum = v;
#else
        sum += v;
#endif
    }
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, o);
    if (lane == 0) {
#ifdef WL_FAULT_INVERSE
        scales[row] = most;
#else
        scales[row] = scale;
#endif
        sums[row] = sum;
    }
}
