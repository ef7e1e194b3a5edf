"""WarpLens: a debugger for CUDA kernels that names the bug; kernels run in an emulator, without a GPU.

    import numpy as np
    import warplens as wl

    k = wl.kernel("gemm.cu", "gemm")
    k[(3, 4), (32, 8)](A, B, C, 128, 96, 160)              # runs it; C holds what it wrote
    r = k[(3, 4), (32, 8)].debug(A, B, wl.out(C), 128, 96, 160, reference=lambda A, B: A @ B)
    r.ok, r.verdict, r.findings, r.tiles["C"], r.why("C", (3, 5))

docs/python.md tells all of it.
"""

from .arrays import Out, Parameter, out
from .capture import Tile, Tiles
from .compilers import numba, triton
from .kernel import Bound, Kernel, KernelWarning, kernel
from .program import Error, Unsupported
from .result import Finding, Result, Why
from .testing import assert_kernel

__all__ = ["Bound", "Error", "Finding", "Kernel", "KernelWarning", "Out", "Parameter", "Result", "Tile", "Tiles",
           "Unsupported", "Why", "assert_kernel", "kernel", "numba", "out", "triton"]
__version__ = "0.1.0"
