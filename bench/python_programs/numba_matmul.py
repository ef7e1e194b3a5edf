"""A product in tiles of 16 x 16 by Numba, on a stream."""
import numpy as np
from numba import cuda, float32

T = 16


@cuda.jit
def matmul(a, b, c):
    left, right = cuda.shared.array((T, T), float32), cuda.shared.array((T, T), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    column, row = cuda.grid(2)
    total = float32(0)
    for k in range(0, a.shape[1], T):
        left[y, x] = a[row, k + x]
        right[y, x] = b[k + y, column]
        cuda.syncthreads()
        for j in range(T):
            total += left[y, j] * right[j, x]
        cuda.syncthreads()
    c[row, column] = total


n = 64
a, b = np.random.default_rng(7).standard_normal((2, n, n)).astype(np.float32)
stream = cuda.stream()
out = cuda.device_array((n, n), np.float32, stream=stream)
matmul[(n // T, n // T), (T, T), stream](cuda.to_device(a, stream), cuda.to_device(b, stream), out)
np.testing.assert_allclose(out.copy_to_host(stream=stream), a @ b, rtol=1e-3, atol=1e-4)
print("right")
