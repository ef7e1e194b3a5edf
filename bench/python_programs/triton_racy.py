"""Blocks of Triton that add to one sum without an atomic: a race that is found. What it computes is not compared."""
import cupy as cp
import triton
import triton.language as tl
from triton_arrays import Tensor


@triton.jit
def total(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out, tl.load(out) + tl.sum(tl.load(x + at), axis=0))


x, out = cp.arange(1024, dtype=cp.float32), cp.zeros(1, cp.float32)
total[(4,)](Tensor(x), Tensor(out), BLOCK=256)
cp.cuda.Device().synchronize()
print("right")
