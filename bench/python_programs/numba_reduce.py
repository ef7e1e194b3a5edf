"""A sum in shared memory by Numba, a partial sum a block."""
import numpy as np
from numba import cuda, float32

THREADS = 128


@cuda.jit
def reduce(x, sums):
    held = cuda.shared.array(THREADS, float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    held[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            held[t] += held[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = held[0]


x = np.random.default_rng(6).standard_normal(1000).astype(np.float32)
sums = cuda.device_array(8, np.float32)
reduce[8, THREADS](cuda.to_device(x), sums)
np.testing.assert_allclose(sums.copy_to_host().sum(), x.sum(), rtol=1e-3, atol=1e-4)
print("right")
