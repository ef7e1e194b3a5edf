"""A sum of two vectors by Numba."""
import numpy as np
from numba import cuda


@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


x, y = np.random.default_rng(5).standard_normal((2, 1000)).astype(np.float32)
out = np.zeros_like(x)
add[8, 128](x, y, out)
np.testing.assert_array_equal(out, x + y)
print("right")
