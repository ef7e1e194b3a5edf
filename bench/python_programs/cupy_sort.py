"""A sort of CuPy: Thrust's kernels, which the wheel holds."""
import cupy as cp
import numpy as np

x = np.random.default_rng(4).standard_normal(500).astype(np.float32)
np.testing.assert_array_equal(cp.sort(cp.asarray(x)).get(), np.sort(x))
print("right")
