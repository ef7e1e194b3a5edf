"""Expressions and an ElementwiseKernel of CuPy."""
import cupy as cp
import numpy as np

random = np.random.default_rng(0)
x, y = random.standard_normal((2, 1000)).astype(np.float32)
a, b = cp.asarray(x), cp.asarray(y)
squared_difference = cp.ElementwiseKernel("float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_difference")
np.testing.assert_allclose(squared_difference(a, b).get(), (x - y) ** 2, rtol=1e-6)
np.testing.assert_allclose(cp.where(a > 0, cp.exp(a), a * b + 1).get(), np.where(x > 0, np.exp(x), x * y + 1), rtol=1e-5)
print("right")
