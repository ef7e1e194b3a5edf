"""Softmax of rows by Triton."""
import cupy as cp
import numpy as np
import triton
import triton.language as tl
from triton_arrays import Tensor


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, axis=0), inside)


x = np.random.default_rng(10).standard_normal((20, 100)).astype(np.float32)
out = cp.zeros(x.shape, cp.float32)
softmax[(20,)](Tensor(cp.asarray(x)), Tensor(out), 100, BLOCK=128)
powers = np.exp(x - x.max(axis=1, keepdims=True))
np.testing.assert_allclose(out.get(), powers / powers.sum(axis=1, keepdims=True), rtol=1e-5, atol=1e-7)
print("right")
