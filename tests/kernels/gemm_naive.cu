// C = A B, a thread an element: what gemm.cu can be compared with.
#include <cuda_fp16.h>

// A: (m, k), B: (k, n), C: (m, n). Grid (ceil(n / 16), ceil(m / 16)), block (16, 16).
extern "C" __global__ void gemm_naive(const __half* A, const __half* B, float* C, int m, int n, int k) {
    const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; ++i) sum += __half2float(A[row * k + i]) * __half2float(B[i * n + column]);
#ifdef WL_FAULT_HOLE
    if (row == 3 && column == 5) return;
#endif
    C[row * n + column] = sum;
}
