// Every mark, and a tile of every element type: for marks_test.py, which reads the PTX of this.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <warplens.cuh>

template <class T>
__device__ void typed_tile(T* p, int rows) {
    WL_TILE("typed", p, rows, 1, 1);
}

extern "C" __global__ void marks(void* p, const __half* halves, int rows) {
    typed_tile(static_cast<unsigned char*>(p), rows);
    typed_tile(static_cast<signed char*>(p), rows);
    typed_tile(static_cast<unsigned short*>(p), rows);
    typed_tile(static_cast<short*>(p), rows);
    typed_tile(static_cast<unsigned*>(p), rows);
    typed_tile(static_cast<int*>(p), rows);
    typed_tile(static_cast<unsigned long long*>(p), rows);
    typed_tile(static_cast<long long*>(p), rows);
    typed_tile(static_cast<__half*>(p), rows);
    typed_tile(static_cast<__nv_bfloat16*>(p), rows);
    typed_tile(static_cast<float*>(p), rows);
    typed_tile(static_cast<double*>(p), rows);
    typed_tile(static_cast<__nv_fp8_e4m3*>(p), rows);
    typed_tile(static_cast<__nv_fp8_e5m2*>(p), rows);

    __shared__ __half padded[16][24];
    padded[threadIdx.x / 16][threadIdx.x % 16] = halves[threadIdx.x];
    __syncthreads();
    WL_STAGE("50% \"warm\"");
    WL_TILE("shared", padded, 16, 16, 24);
    WL_WARP_TILE("half", padded[8], 8, 16, 24);
    WL_LAYOUT("keys", halves, rows, 64, 64, 1);

    float sums[2] = {static_cast<float>(threadIdx.x), 2.0f};
    const __half2 packed[1] = {__halves2half2(halves[0], halves[1])};
    WL_FRAGMENT("sums", sums);
    WL_FRAGMENT("packed", packed);
    WL_LANES("single", sums[0] + 1.0f);
    WL_LANES("double", static_cast<double>(sums[0]));
    WL_LANES("half", halves[threadIdx.x]);
    WL_LANES("lane", threadIdx.x % 32);
    static_cast<float*>(p)[threadIdx.x] = sums[0] + sums[1] + __low2float(packed[0]);
}
