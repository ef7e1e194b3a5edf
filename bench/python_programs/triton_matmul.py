"""A product of half-precision matrices by Triton, with tensor cores and shared memory."""
import cupy as cp
import numpy as np
import triton
import triton.language as tl
from triton_arrays import Tensor


@triton.jit
def matmul(a, b, c, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, n, BLOCK):
        inner = k + tl.arange(0, BLOCK)
        left = tl.load(a + rows[:, None] * n + inner[None, :])
        right = tl.load(b + inner[:, None] * n + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * n + columns[None, :], total)


n = 128
a, b = np.random.default_rng(11).standard_normal((2, n, n)).astype(np.float16)
c = cp.zeros((n, n), cp.float32)
matmul[(n // 32, n // 32)](Tensor(cp.asarray(a)), Tensor(cp.asarray(b)), Tensor(c), n, BLOCK=32)
np.testing.assert_allclose(c.get(), a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3, atol=1e-3)
print("right")
