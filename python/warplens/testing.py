"""Tests of kernels: an assertion, and the pytest plugin that hands it out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .arrays import Out
from .kernel import Bound
from .result import Result


class Failure(AssertionError):
    """A kernel that is not right; `result` has all of it."""

    def __init__(self, text: str, result: Result) -> None:
        super().__init__(text)
        self.result = result


Arguments = Sequence[Any] | Callable[[np.random.Generator], Sequence[Any]]


def _noise(value: Any, random: np.random.Generator) -> Any:
    """Other numbers of the same mean and deviation; whole numbers and scalars stay, as indices would go astray."""
    if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
        return value
    wide = value.astype(np.float64)
    return random.normal(wide.mean(), wide.std(), value.shape).astype(value.dtype)


def _arguments(args: Arguments, seed: int) -> tuple[Any, ...]:
    random = np.random.default_rng(seed)
    if callable(args):
        return tuple(args(random))
    return tuple(args) if seed == 0 else tuple(one if isinstance(one, Out) else _noise(one, random) for one in args)


def assert_kernel(kernel: Bound, args: Arguments, reference: Callable[..., Any] | None = None, seeds: int = 1,
                  **options: Any) -> list[Result]:
    """Asserts that the kernel has no finding and, with a reference, that every output agrees within its bounds.

    `kernel` is a launch, `k[grid, block]`. `args` are its arguments, or a function of a NumPy random generator that
    makes them. There are `seeds` runs: a function is called with generators of the seeds 0, 1, ...; of arguments the
    first run has them as they are, and in the others arrays of floats hold noise of the same mean and deviation.
    Other options go to `debug`. Returns the results.

    >>> import numpy as np, warplens as wl
    >>> k = wl.kernel("extern \\"C\\" __global__ void twice(const float* x, float* y)\\n"
    ...               "{ y[threadIdx.x] = 2 * x[threadIdx.x]; }\\n")
    >>> x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    >>> [r.verdict for r in assert_kernel(k[1, 8], (x, wl.out(y)), reference=lambda x: 2 * x, seeds=2)]
    ['ok', 'ok']
    >>> assert_kernel(k[1, 8], (x, wl.out(y)), reference=lambda x: 3 * x)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    warplens.testing.Failure: twice, seed 0: findings...
    """
    __tracebackhide__ = True
    results = []
    for seed in range(max(1, seeds)):
        result = kernel.debug(*_arguments(args, seed), reference=reference, **options)
        results.append(result)
        fine = result.ok if reference is not None else not result.findings
        if not fine:
            raise Failure(f"{kernel.kernel.entry}, seed {seed}: {result.verdict}\n{result.text}", result)
    return results
