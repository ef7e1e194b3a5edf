"""Layer normalisation of rows by Triton."""
import cupy as cp
import numpy as np
import triton
import triton.language as tl
from triton_arrays import Tensor


@triton.jit
def layernorm(x, weight, bias, out, columns, epsilon, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, inside, other=0.0)
    mean = tl.sum(values, axis=0) / columns
    centred = tl.where(inside, values - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + epsilon)
    result = centred * scale * tl.load(weight + at, inside) + tl.load(bias + at, inside)
    tl.store(out + row * columns + at, result, inside)


random = np.random.default_rng(12)
x, weight, bias = random.standard_normal((16, 200)), random.standard_normal(200), random.standard_normal(200)
x, weight, bias = (v.astype(np.float32) for v in (x, weight, bias))
out = cp.zeros(x.shape, cp.float32)
layernorm[(16,)](*(Tensor(cp.asarray(v)) for v in (x, weight, bias)), Tensor(out), 200, 1e-5, BLOCK=256)
expected = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * weight + bias
np.testing.assert_allclose(out.get(), expected, rtol=1e-4, atol=1e-4)
print("right")
