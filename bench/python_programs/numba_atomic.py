"""A histogram with atomics, and functions of the mathematics library, by Numba."""
import math

import numpy as np
from numba import cuda


@cuda.jit
def histogram(x, counts):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(counts, x[i], 1)


@cuda.jit
def wave(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = math.sin(x[i]) * math.exp(-x[i])


x = np.random.default_rng(8).integers(0, 16, 1000)
counts = np.zeros(16, np.int32)
histogram[8, 128](x, counts)
np.testing.assert_array_equal(counts, np.bincount(x, minlength=16))
t = np.linspace(0, 3, 500)
out = np.zeros_like(t)
wave[4, 128](t, out)
np.testing.assert_allclose(out, np.sin(t) * np.exp(-t), rtol=1e-12)
print("right")
