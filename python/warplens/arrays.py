"""Arguments of a launch, as NumPy sees them and as a manifest describes them (docs/manifest.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .program import Error

# Element types that NumPy lacks, as ml_dtypes and PyTorch call them: our name and what carries their bits.
_CARRIED = {"bfloat16": ("bf16", "<u2"), "float8_e4m3fn": ("e4m3", "u1"), "float8_e5m2": ("e5m2", "u1")}
_PLAIN = {"f2": "f16", "f4": "f32", "f8": "f64", "i1": "s8", "i2": "s16", "i4": "s32", "i8": "s64",
          "u1": "u8", "u2": "u16", "u4": "u32", "u8": "u64", "b1": "u8"}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel: `type` as C++ has it, or empty; `ptx` such as "u64"; `bytes` its size."""

    name: str
    type: str
    ptx: str
    bytes: int

    @property
    def is_input(self) -> bool:
        """Does its type say that nothing is written through it (`const float*`)?"""
        pointee = self.type.replace("__restrict__", "").strip().rstrip("*& ")
        return "*" in self.type and "const" in pointee.split()

    @property
    def is_unknown(self) -> bool:
        """Does nobody tell its type, as in PTX of Triton and Numba?"""
        return not self.type


@dataclass
class Out:
    """An array that the kernel only fills: see `out`."""

    array: Any


def out(array: Any) -> Out:
    """Marks an array that the kernel fills: it starts poisoned, so that an element nobody wrote is a finding.

    Without it an array that is not const is in and out: the kernel sees what it holds.
    """
    return Out(array)


@dataclass
class Argument:
    """What one parameter gets: an array (`array` and `bits`, its carrier), or a scalar (`value`)."""

    parameter: Parameter
    name: str
    array: NDArray[Any] | None = None
    bits: NDArray[Any] | None = None
    dtype: str = ""
    value: Any = None
    poisoned: bool = False
    written: bool = False
    fields: list[Argument] = field(default_factory=list)

    def write_back(self, data: bytes) -> None:
        """Puts what the kernel left into the caller's array, bit by bit."""
        assert self.bits is not None
        if len(data) != self.bits.nbytes:
            raise Error(f"{self.name}: the capture holds {len(data)} bytes for an array of {self.bits.nbytes}")
        self.bits[...] = np.frombuffer(data, self.bits.dtype).reshape(self.bits.shape)

    def reference_value(self) -> Any:
        """As a reference gets it: int64, uint64 or float64 arrays, numbers, dicts of fields."""
        if self.fields:
            return {one.name: one.reference_value() for one in self.fields}
        if self.array is None:
            return self.value
        if self.poisoned:
            return np.full(self.array.shape, np.nan)
        if self.array.dtype.kind not in "biu":
            return self.array.astype(np.float64)
        return self.array.astype(np.uint64 if self.array.dtype == np.uint64 else np.int64)


def _host_array(value: Any, name: str) -> NDArray[Any]:
    """The caller's own memory as a NumPy array; nothing is copied."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__cuda_array_interface__"):
        raise Error(f"{name}: this array lies on a GPU, and the kernel runs on the CPU here: hand over a copy in "
                    "host memory")
    if type(value).__module__.split(".")[0] == "torch" and str(value.dtype) in {f"torch.{key}" for key in _CARRIED}:
        import ml_dtypes  # NumPy has no such type

        kind = str(value.dtype).removeprefix("torch.")
        carrier = value.detach().view(__import__("torch").int16 if kind == "bfloat16" else __import__("torch").uint8)
        return np.asarray(carrier.numpy()).view(getattr(ml_dtypes, kind))
    if hasattr(value, "__array_interface__"):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        return np.from_dlpack(value)
    raise Error(f"{name}: a {type(value).__name__} is no array, number or struct that a kernel takes")


def _array_argument(parameter: Parameter, name: str, value: Any, poisoned: bool) -> Argument:
    array = _host_array(value, name)
    if array.ndim == 0:
        array = array.reshape(1)
    if not array.flags.c_contiguous:
        raise Error(f"{name}: the array is not C-contiguous, and a kernel gets its address: "
                    f"hand over np.ascontiguousarray({name})")
    if array.size == 0:
        raise Error(f"{name}: the array has no elements (shape {array.shape})")
    if array.dtype.name in _CARRIED:
        dtype, carrier = _CARRIED[array.dtype.name]
    elif array.dtype.kind in "fiub" and array.dtype.str[1:] in _PLAIN and array.dtype.isnative:
        dtype, carrier = _PLAIN[array.dtype.str[1:]], "u1" if array.dtype.kind == "b" else array.dtype.str
    else:
        raise Error(f"{name}: no element type of the emulator is {array.dtype.name}")
    writable = array.flags.writeable and not parameter.is_input
    if poisoned and not writable:
        raise Error(f"{name} is an output, but " + (f"its type is {parameter.type}" if array.flags.writeable
                                                    else "its array is read-only"))
    return Argument(parameter, name, array, array.view(carrier), dtype, poisoned=poisoned, written=writable)


def _scalar_dtype(parameter: Parameter, value: Any) -> str:
    if isinstance(value, np.generic):
        named = _CARRIED.get(value.dtype.name, ("",))[0] or _PLAIN.get(value.dtype.str[1:], "")
        if named:
            return named
    if parameter.type and "*" not in parameter.type:
        return parameter.type.removeprefix("const ").removesuffix(" const")
    if parameter.ptx in ("f32", "f64"):
        return parameter.ptx
    if isinstance(value, float):
        return {2: "f16", 4: "f32", 8: "f64"}[parameter.bytes]
    return ("s" if value < 0 else "u") + str(8 * parameter.bytes)


def _struct_argument(parameter: Parameter, name: str, value: Any) -> Argument:
    members = [Argument(parameter, member, dtype=_PLAIN[value.dtype[member].str[1:]], value=value[member].item())
               for member in value.dtype.names]
    return Argument(parameter, name, fields=members)


def argument(parameter: Parameter, value: Any) -> Argument:
    """Describes what the caller handed over for one parameter."""
    name = parameter.name
    if isinstance(value, Out):
        return _array_argument(parameter, name, value.array, True)
    if value is None:
        return Argument(parameter, name, dtype="u64", value=0)
    if isinstance(value, np.void) and value.dtype.names:
        return _struct_argument(parameter, name, value)
    if isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)) or (
            isinstance(value, np.generic) and value.dtype.name in _CARRIED):
        plain = value.item() if isinstance(value, np.generic) and value.dtype.name not in _CARRIED else value
        plain = float(plain) if isinstance(plain, (float, np.generic)) else int(plain)
        return Argument(parameter, name, dtype=_scalar_dtype(parameter, value), value=plain)
    if isinstance(value, tuple):
        return Argument(parameter, name, dtype=parameter.type, value=list(value))
    return _array_argument(parameter, name, value, False)


def arguments(parameters: tuple[Parameter, ...], values: tuple[Any, ...]) -> list[Argument]:
    """Describes a whole call. Raises Error for a wrong number of them, and for arrays that share memory."""
    if len(values) != len(parameters):
        names = ", ".join(one.name for one in parameters)
        raise Error(f"the kernel takes {len(parameters)} arguments ({names}); {len(values)} were given")
    made = [argument(parameter, value) for parameter, value in zip(parameters, values)]
    arrays = [one for one in made if one.array is not None]
    for i, one in enumerate(arrays):
        for other in arrays[:i]:
            if (one.written or other.written) and np.may_share_memory(one.array, other.array):
                raise Error(f"{other.name} and {one.name} share memory; here each argument is an array of its own")
    return made


def save(one: Argument, folder: Path) -> str:
    """Writes an array for the manifest; returns the file's name."""
    assert one.bits is not None
    np.save(folder / f"{one.name}.npy", one.bits)
    return f"{one.name}.npy"
