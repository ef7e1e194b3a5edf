"""The same with a barrier too few: a race that is found. What it computes is not compared."""
import numpy as np
from numba import cuda, float32

THREADS = 128


@cuda.jit
def reduce(x, sums):
    held = cuda.shared.array(THREADS, float32)
    t = cuda.threadIdx.x
    held[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            held[t] += held[t + step]
        step //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = held[0]


reduce[8, THREADS](np.ones(1024, np.float32), np.zeros(8, np.float32))
cuda.synchronize()
print("right")
