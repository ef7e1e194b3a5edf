"""Kernels, and launching them in the emulator."""

from __future__ import annotations

import re
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import program
from .arrays import Argument, Parameter, arguments
from .describe import Comparing, Source, write_manifest
from .program import Error
from .reference import Served, tensors_of
from .result import Folder, Result

Extents = int | Sequence[int]
PerOutput = float | str | Mapping[str, float | str]


class KernelWarning(UserWarning):
    """A launch had findings; the result has them all."""


def _extents(value: Extents, what: str) -> tuple[int, ...]:
    out = (int(value),) if isinstance(value, int) else tuple(int(one) for one in value)
    if not 1 <= len(out) <= 3 or min(out) < 1:
        raise Error(f"{what} is {value!r}: write one to three whole numbers of at least 1, x first")
    return out


def _new_folder() -> Folder:
    return Folder(Path(tempfile.mkdtemp(prefix="warplens-")))


class Kernel:
    """A compiled kernel. `kernel[grid, block](...)` launches it, `kernel[grid, block].debug(...)` explains it.

    `parameters` are the kernel's, in order, with their names and types as far as the source or the symbol tells them.
    """

    def __init__(self, source: Source, arch: str = "", folder: Folder | None = None) -> None:
        self._source, self._arch, self._folder = source, arch, folder
        self.cwd = folder and str(folder.path)  # a source that was text is named by its bare name
        self.entry, self.parameters = _checked(source, arch)
        self.name = re.sub(r"[^\w.-]", "_", source.entry.split("(")[0].split("<")[0] or source.path.stem)

    def __getitem__(self, launch: tuple[Extents, Extents] | tuple[Extents, Extents, int]) -> Bound:
        if not isinstance(launch, tuple) or len(launch) not in (2, 3):
            raise Error("a launch is kernel[grid, block] or kernel[grid, block, bytes of dynamic shared memory]")
        shared = int(launch[2]) if len(launch) == 3 else 0
        return Bound(self, _extents(launch[0], "the grid"), _extents(launch[1], "the block"), shared)

    def debug(self, *values: Any, grid: Extents, block: Extents, shared: int = 0, **options: Any) -> Result:
        """The same as kernel[grid, block, shared].debug(...)."""
        return self[grid, block, shared].debug(*values, **options)

    def __repr__(self) -> str:
        return f"<warplens kernel {self.entry}>"


def _checked(source: Source, arch: str) -> tuple[str, tuple[Parameter, ...]]:
    words = ["check", str(source.path)] + (["--entry", source.entry] if source.entry else [])
    if source.path.suffix == ".cu":
        words += ["--arch", arch] if arch else []
        words += [f"--define={key}={value}" for key, value in source.defines.items()]
        words += [f"--include={folder}" for folder in source.include]
    entries = program.ask(words)["entries"]
    if len(entries) != 1:
        names = ", ".join(one["demangled"] for one in entries) or "none"
        raise Error(f"{source.path.name} has {len(entries)} kernels ({names}): name one")
    if entries[0]["unsupported"]:
        lacks = {f"{one['instruction']}: {one['reason']}" for one in entries[0]["unsupported"]}
        raise program.Unsupported("; ".join(sorted(lacks)))
    return entries[0]["demangled"], tuple(Parameter(one["name"], one["type"], one["ptx"], one["bytes"])
                                          for one in entries[0]["parameters"])


class Bound:
    """A kernel with a grid, a block and dynamic shared memory (bytes)."""

    def __init__(self, kernel: Kernel, grid: tuple[int, ...], block: tuple[int, ...], shared: int) -> None:
        self.kernel, self.grid, self.block, self.shared = kernel, grid, block, shared

    def __call__(self, *values: Any, threads: int = 0, write: bool = True) -> Result:
        """Launches it: arrays that are not const get what the kernel left there.

        Every access is checked, and nothing is compared. A fault of the kernel raises nothing: the result has it, and
        a KernelWarning says so.
        """
        words = ["--check", "races,uninitialised,bounds,barriers", *_threads(threads)]
        result = self._run(values, Comparing(), words, 0, None, write)
        if result.findings:
            warnings.warn(f"{self.kernel.entry}: {result.findings[0]}", KernelWarning, stacklevel=2)
        return result

    def debug(self, *values: Any, reference: Callable[..., Any] | None = None, terms: PerOutput = {},
              tolerance: PerOutput = {}, rtol: PerOutput = {}, ignore: Sequence[str] = (),
              tiles: Mapping[str, Mapping[str, Any]] = {}, search: int = 10, threads: int = 0,
              options: Sequence[str] = (), write: bool = False) -> Result:
        """Runs it with all checks, compares with the reference, and looks for the cause of what is wrong.

        `reference` is a NumPy function: by its parameters' names it gets those arguments of the kernel, else all in
        order, arrays as float64, those of integers as int64 or uint64. It returns a dict of arrays by the outputs'
        names (`C`, `C.scale`, tensors of tiles), or one array for each output. Without it the verdict is "incomplete" at best.
        `terms`: products or summands of an element of an output, `tolerance` and `rtol`: a limit in place of the
        derived one; a value for all outputs, or a dict by name. `ignore`: outputs that need not be compared. `tiles`:
        `[tile.NAME]` of the manifest. `search`: seconds to look for a change that mends. `options`: further words of
        `warplens run`. The arrays keep what they hold unless `write` is true.
        """
        given = arguments(self.kernel.parameters, values)
        comparing = Comparing(judged=True, ignored=list(ignore), tiles=tiles)
        names = [one.name for one in given if one.written]
        comparing.terms, comparing.tolerance, comparing.rtol = (
            dict(value) if isinstance(value, Mapping) else dict.fromkeys(names, value)
            for value in (terms, tolerance, rtol))
        return self._run(values, comparing, [*_threads(threads), *options], search, reference, write)

    def _run(self, values: tuple[Any, ...], comparing: Comparing, words: list[str], search: int,
             reference: Callable[..., Any] | None, write: bool) -> Result:
        kernel = self.kernel
        given = arguments(kernel.parameters, values)
        folder = _new_folder()
        if reference is not None:
            _serve(folder, reference, given, comparing)
        path = write_manifest(folder.path, kernel.name, kernel._source, self.grid, self.block, self.shared, given,
                              comparing)
        capture = folder.path / f"{kernel.name}.wlcap"
        if kernel._arch:
            words = [*words, "--arch", kernel._arch.replace("sm_", "compute_")]
        answer = program.ask(["run", path, "-o", capture, *words, "--search", str(search), "--quiet"], kernel.cwd,
                             folder.served is not None)
        if answer["verdict"] == "error":
            raise Error(f"no reference: {answer['covered'].get('reference_problem') or 'see the notes of the run'}")
        result = Result(folder, path, capture, answer, words)
        result.kernel = kernel
        if write:
            _write_back(result, given)
        return result


def _threads(threads: int) -> list[str]:
    return ["--threads", str(threads)] if threads else []


def _serve(folder: Folder, reference: Callable[..., Any], given: list[Argument], comparing: Comparing) -> None:
    """Asks the reference once here, so that its own exceptions reach the caller, and then for the program."""
    served = Served(reference, given, folder.path)
    folder.serve(served)
    comparing.reference = served.script
    known = served.ask({one.name: one.reference_value() for one in given})
    strangers = [name for name in known if name.split(".")[0] not in {*served.order, *comparing.tiles}]
    if strangers:
        raise Error(f"the reference returned {', '.join(strangers)}: the kernel has {', '.join(served.order)}")
    for one in given:
        if one.name in known and one.array is not None and known[one.name].shape != one.array.shape:
            raise Error(f"the reference's {one.name} has the shape {known[one.name].shape}; the kernel's has "
                        f"{one.array.shape}")
    untold = [one.name for one in given if one.written and one.parameter.is_unknown and not one.poisoned]
    comparing.ignored += [name for name in untold if name not in known]


def _write_back(result: Result, given: list[Argument]) -> None:
    left = result.tiles.output_bytes()
    for one in given:
        if one.written and one.name in left:
            one.write_back(left[one.name])


def kernel(source: str | Path, entry: str = "", *, defines: Mapping[str, Any] | None = None,
           include: Sequence[str | Path] = (), arch: str = "") -> Kernel:
    """A kernel of a .cu, a .ptx, a file that holds PTX, or of such text itself.

    `entry`: its name, where there are several; a template's instance as "scale<float>". `defines`: macros.
    `include`: folders of headers. `arch`: "compute_80", "compute_90", ...

    >>> import numpy as np
    >>> twice = kernel("extern \\"C\\" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }\\n")
    >>> twice.parameters[0].type
    'float*'
    >>> x = np.arange(4, dtype=np.float32)
    >>> twice[1, 4](x).verdict
    'ok'
    >>> x
    array([0., 2., 4., 6.], dtype=float32)
    """
    folder = None
    text = str(source)
    if "\n" in text:
        folder = _new_folder()
        path = folder.path / ("kernel.ptx" if re.search(r"^\s*\.version\s", text, re.MULTILINE) else "kernel.cu")
        path.write_text(text, encoding="utf-8")
    else:
        path = Path(text).resolve()
        if not path.is_file():
            raise Error(f"there is no file {text}; a kernel's text has line breaks")
    folders = [str(Path(one).resolve()) for one in include]
    return Kernel(Source(path, entry, dict(defines or {}), folders), arch, folder)
