"""A product in tiles of 16 x 16 by a RawKernel of CuPy, with a template."""
import cupy as cp
import numpy as np

SOURCE = r"""
template <int T>
__global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float left[T][T], right[T][T];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
    float sum = 0;
    for (int k = 0; k < n; k += T) {
        left[y][x] = a[row * n + k + x];
        right[y][x] = b[(k + y) * n + column];
        __syncthreads();
        for (int j = 0; j < T; ++j) sum += left[y][j] * right[j][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
"""
module = cp.RawModule(code=SOURCE, options=("-std=c++17",), name_expressions=["matmul<16>"])
n = 64
a, b = np.random.default_rng(2).standard_normal((2, n, n)).astype(np.float32)
c = cp.zeros((n, n), cp.float32)
module.get_function("matmul<16>")((n // 16, n // 16), (16, 16), (cp.asarray(a), cp.asarray(b), c, np.int32(n)))
np.testing.assert_allclose(c.get(), a @ b, rtol=1e-3, atol=1e-4)
print("right")
