// Stresses: packed half and bfloat16 arithmetic: fused, saturated, compared, selected, converted by every
// rounding.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_arithmetic(
    const __half2* a,
    const __half2* b,
    const float* c,
    __half2* out,
    __nv_bfloat162* wide,
    float* sums,
    int* flags
) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half2 x = a[i], y = b[i];
    __half2* h = out + i * 8;
    h[0] = __hfma2(x, y, __floats2half2_rn(c[i], -c[i]));
    h[1] = __hadd2_sat(x, y);
    h[2] = __hmax2(__hmul2(x, y), __hneg2(__hsub2(x, y)));
    h[3] = __hfma2_relu(x, y, x);
    h[4] = __hmin2_nan(x, __habs2(y));
    h[5] = __lows2half2(__hge2(x, y), __highs2half2(x, y));
    h[6] = __halves2half2(__float2half_rz(c[i]), __float2half_ru(c[i] * 3));
    h[7] = __halves2half2(__int2half_rn(i * 37), h2ceil(x).x);
    const __nv_bfloat162 u = __float22bfloat162_rn(__half22float2(x)),
                         v = __floats2bfloat162_rn(c[i], c[i] * c[i]);
    wide[i * 3] = __hfma2(u, v, u);
    wide[i * 3 + 1] = __hmax2(__hadd2(u, v), __hmul2(u, v));
    wide[i * 3 + 2] = __halves2bfloat162(__float2bfloat16_rz(c[i]), __hsub(u.y, v.x));
    sums[i] = __low2float(x) * __high2float(y) + __bfloat162float(u.x);
    flags[i] = __hbeq2(x, y) + 2 * __hbgt2(x, y) + 4 * __hisnan(x.x) +
        8 * static_cast<int>(__hltu2_mask(x, y) & 1) + 16 * (__half2int_rd(x.y) & 0xff);
}
