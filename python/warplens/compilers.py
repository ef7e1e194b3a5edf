"""Kernels of Triton and Numba, by the PTX that these compile; no GPU is needed."""

from __future__ import annotations

import inspect
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from .arrays import Out
from .kernel import Bound, Extents, Kernel, _extents, kernel
from .program import Error
from .result import Result

_TRITON = {"float16": "fp16", "float32": "fp32", "float64": "fp64", "bfloat16": "bf16", "int8": "i8", "int16": "i16",
           "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
           "bool": "i1"}


def _plain(value: Any) -> Any:
    return value.array if isinstance(value, Out) else value


def _triton_type(value: Any) -> str:
    value = _plain(value)
    dtype = getattr(value, "dtype", None)
    if dtype is not None and getattr(value, "ndim", 0) > 0:
        return "*" + _TRITON[str(dtype).removeprefix("torch.")]
    if isinstance(value, np.generic):
        return _TRITON[value.dtype.name]
    if isinstance(value, float):
        return "fp32"
    return "i32" if -2**31 <= int(value) < 2**31 else "i64"


class TritonKernel:
    """A Triton function; `k[grid](arrays and scalars..., NAME=constexpr)` compiles it for these and launches it."""

    def __init__(self, function: Any, num_warps: int, arch: int, constants: Mapping[str, Any]) -> None:
        self.function, self.num_warps, self.arch, self.constants = function, num_warps, arch, dict(constants)

    def __getitem__(self, grid: Extents) -> TritonLaunch:
        return TritonLaunch(self, _extents(grid, "the grid"))

    def compiled(self, values: tuple[Any, ...]) -> tuple[Kernel, int]:
        """The kernel for arguments of these types, and its bytes of dynamic shared memory."""
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
        from triton.compiler import compile as compile_source

        names = [name for name in self.function.arg_names if name not in self.constants]
        if len(names) != len(values):
            raise Error(f"the kernel takes {len(names)} arguments ({', '.join(names)}); {len(values)} were given")
        signature = dict(zip(names, map(_triton_type, values))) | dict.fromkeys(self.constants, "constexpr")
        signature = {name: signature[name] for name in self.function.arg_names}
        positions = {name: (self.function.arg_names.index(name),) for name in self.constants}
        source = ASTSource(self.function, signature, {positions[name]: value for name, value in self.constants.items()})
        made = compile_source(source, target=GPUTarget("cuda", self.arch, 32), options={"num_warps": self.num_warps})
        out = kernel(made.asm["ptx"] + "\n")
        out.parameters = tuple(
            type(one)(names[i] if i < len(names) else one.name, one.type, one.ptx, one.bytes)
            for i, one in enumerate(out.parameters))
        out.name = self.function.__name__
        return out, int(made.metadata.shared)


class TritonLaunch:
    """A Triton kernel with its grid."""

    def __init__(self, kernel: TritonKernel, grid: tuple[int, ...]) -> None:
        self.kernel, self.grid = kernel, grid

    def _bound(self, values: tuple[Any, ...]) -> tuple[Bound, tuple[Any, ...]]:
        made, shared = self.kernel.compiled(values)
        scratch = (None,) * (len(made.parameters) - len(values))  # Triton's own, unused by these kernels
        return made[self.grid, 32 * self.kernel.num_warps, shared], (*values, *scratch)

    def __call__(self, *values: Any, **options: Any) -> Result:
        """Launches it, as Bound does."""
        bound, all_values = self._bound(values)
        return bound(*all_values, **options)

    def debug(self, *values: Any, **options: Any) -> Result:
        """Explains it, as Bound.debug does."""
        bound, all_values = self._bound(values)
        return bound.debug(*all_values, **options)


def triton(function: Any, *, num_warps: int = 4, arch: int = 80, **constants: Any) -> TritonKernel:
    """A kernel of `@triton.jit`, with its constexpr parameters: `wl.triton(add, BLOCK=128)[grid](x, y, out, n)`.

    `num_warps` is Triton's; `arch` its target, 80 for sm_80. The package triton must be there; a GPU need not.
    """
    return TritonKernel(function, num_warps, arch, constants)


class NumbaKernel:
    """A Numba function; `k[grid, block](arrays and scalars...)` compiles it for these and launches it."""

    def __init__(self, function: Any, arch: tuple[int, int]) -> None:
        self.function, self.arch = function, arch

    def __getitem__(self, launch: tuple[Extents, Extents]) -> NumbaLaunch:
        return NumbaLaunch(self, _extents(launch[0], "the grid"), _extents(launch[1], "the block"))

    def compiled(self, values: tuple[Any, ...]) -> Kernel:
        """The kernel for arguments of these types."""
        from numba import cuda, typeof

        signature = tuple(typeof(_plain(value)) for value in values)
        python = self.function if isinstance(self.function, types.FunctionType) else self.function.py_func
        text, _ = cuda.compile_ptx(python, signature, cc=self.arch, abi="numba", device=False, lineinfo=True)
        out = kernel(text + "\n")
        out.name = python.__name__
        return out


def _expanded(value: Any) -> list[Any]:
    """Numba's array by value: memory and parent, elements, bytes of one, the address, extents, strides in bytes."""
    array = _plain(value)
    if not isinstance(array, np.ndarray):
        return [value]
    return [None, None, array.size, array.itemsize, value, *array.shape, *array.strides]


def _names(function: Any, values: tuple[Any, ...]) -> list[str]:
    names = list(inspect.signature(function).parameters)
    out: list[str] = []
    for name, value in zip(names, values):
        parts = _expanded(value)
        out += [name] if len(parts) == 1 else [f"{name}_{i}" if i != 4 else name for i in range(len(parts))]
    return out


class NumbaLaunch:
    """A Numba kernel with its grid and block."""

    def __init__(self, kernel: NumbaKernel, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
        self.kernel, self.grid, self.block = kernel, grid, block

    def _bound(self, values: tuple[Any, ...]) -> tuple[Bound, tuple[Any, ...]]:
        made = self.kernel.compiled(values)
        function = getattr(self.kernel.function, "py_func", self.kernel.function)
        names = _names(function, values)
        made.parameters = tuple(type(one)(name, "", one.ptx, one.bytes)  # the symbol tells Numba's own types
                                for name, one in zip(names, made.parameters))
        return made[self.grid, self.block], tuple(part for value in values for part in _expanded(value))

    def __call__(self, *values: Any, **options: Any) -> Result:
        """Launches it, as Bound does."""
        bound, all_values = self._bound(values)
        return bound(*all_values, **options)

    def debug(self, *values: Any, **options: Any) -> Result:
        """Explains it, as Bound.debug does."""
        bound, all_values = self._bound(values)
        return bound.debug(*all_values, **options)


def numba(function: Any, *, arch: tuple[int, int] = (8, 0)) -> NumbaKernel:
    """A kernel of Numba, decorated or plain: `wl.numba(add)[grid, block](x, y, out)`.

    The packages numba and numba-cuda (with NVVM) must be there; a GPU need not.
    """
    return NumbaKernel(function, arch)
