"""Sums of all and of rows, a maximum, and a ReductionKernel of CuPy."""
import cupy as cp
import numpy as np

x = np.random.default_rng(1).standard_normal((40, 130)).astype(np.float32)
a = cp.asarray(x)
norm = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
np.testing.assert_allclose(float(a.sum()), x.sum(), rtol=1e-4)
np.testing.assert_allclose(a.sum(axis=1).get(), x.sum(axis=1), rtol=1e-3, atol=1e-4)
np.testing.assert_array_equal(a.max(axis=0).get(), x.max(axis=0))
np.testing.assert_allclose(float(norm(a)), np.linalg.norm(x), rtol=1e-5)
print("right")
