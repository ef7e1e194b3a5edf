"""Triton reads its kernels from files."""
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, inside) + tl.load(y + at, inside), inside)


@triton.jit
def softmax_kernel(rows, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    x = tl.load(rows + row * columns + at, inside, other=-float("inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(out + row * columns + at, e / tl.sum(e, 0), inside)
