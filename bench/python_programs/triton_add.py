"""A sum of two vectors by Triton, the last block masked."""
import cupy as cp
import numpy as np
import triton
import triton.language as tl
from triton_arrays import Tensor


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


x, y = np.random.default_rng(9).standard_normal((2, 1000)).astype(np.float32)
out = cp.zeros(1000, cp.float32)
add[(4,)](Tensor(cp.asarray(x)), Tensor(cp.asarray(y)), Tensor(out), 1000, BLOCK=256)
np.testing.assert_array_equal(out.get(), x + y)
print("right")
