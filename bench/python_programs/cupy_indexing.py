"""Gathering, scattering with atomics, a running sum and a histogram of CuPy."""
import cupy as cp
import cupyx
import numpy as np

random = np.random.default_rng(3)
x, where = random.standard_normal(300).astype(np.float32), random.integers(0, 10, 300)
a, at = cp.asarray(x), cp.asarray(where)
np.testing.assert_array_equal(a[at].get(), x[where])
sums, expected = cp.zeros(10, cp.float32), np.zeros(10, np.float32)
cupyx.scatter_add(sums, at, a)
np.add.at(expected, where, x)
np.testing.assert_allclose(sums.get(), expected, rtol=1e-4, atol=1e-5)
np.testing.assert_array_equal(cp.bincount(at, minlength=10).get(), np.bincount(where, minlength=10))
np.testing.assert_allclose(cp.cumsum(a).get(), np.cumsum(x), rtol=1e-3, atol=1e-4)
print("right")
