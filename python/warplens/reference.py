"""References: NumPy functions of this process, asked by the program that runs the kernel."""

from __future__ import annotations

import contextlib
import inspect
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Argument
from .program import Error

Tensors = dict[str, NDArray[Any]]
_SCRIPT = """# Asks the Python that holds the reference: it answers as long as the result of the run is kept there.
from multiprocessing.connection import Client

def reference(inputs, params):
    with Client({address!r}, family="AF_UNIX", authkey=bytes.fromhex({key!r})) as there:
        there.send(inputs)
        problem, answer = there.recv()
    if problem:
        raise RuntimeError(problem)
    return answer
"""


def _called(function: Callable[..., Any], inputs: Mapping[str, Any]) -> Any:
    """By name where all parameters are named as the kernel's, else with all of the kernel's in order."""
    kinds = [one for one in inspect.signature(function).parameters.values()
             if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and one.default is one.empty]
    if kinds and all(one.name in inputs for one in kinds):
        return function(**{one.name: inputs[one.name] for one in kinds})
    return function(*inputs.values())


def tensors_of(answer: Any, outputs: Sequence[str]) -> Tensors:
    """The reference's answer by name: a dict as it is; an array, or a tuple of them, for the outputs in order."""
    if isinstance(answer, Mapping):
        return {str(name): np.asarray(value) for name, value in answer.items()}
    values = answer if isinstance(answer, (tuple, list)) else (answer,)
    if len(values) != len(outputs):
        raise Error(f"the reference returned {len(values)} arrays, and the kernel may write {len(outputs)} "
                    f"({', '.join(outputs)}): return a dict by name, or mark those that it fills by wl.out(...)")
    return {name: np.asarray(value) for name, value in zip(outputs, values)}


class Served:
    """A reference that a script beside the manifest asks, over a socket that only its owner can open."""

    def __init__(self, function: Callable[..., Any], given: Sequence[Argument], folder: Path) -> None:
        marked = [one.name for one in given if one.poisoned]
        self.function = function
        self.order = [one.name for one in given]
        self.outputs = marked or [one.name for one in given if one.written]
        self.script = "reference.py"
        self._address, self._key = str(folder / "reference.socket"), secrets.token_bytes(16)
        self._open = True
        self._listener = Listener(self._address, family="AF_UNIX", authkey=self._key)
        (folder / self.script).write_text(_SCRIPT.format(address=self._address, key=self._key.hex()))
        threading.Thread(target=self._serve, daemon=True, name="warplens reference").start()

    def ask(self, inputs: Mapping[str, Any]) -> Tensors:
        """The reference of these inputs, by name."""
        ordered = {name: inputs[name] for name in self.order if name in inputs}
        return tensors_of(_called(self.function, ordered), self.outputs)

    def _answer(self, there: Connection) -> None:
        inputs = there.recv()
        try:
            there.send(("", self.ask(inputs)))
        except Exception as error:  # of the caller's function: reported by the run
            there.send((f"{type(error).__name__}: {error}", None))

    def _serve(self) -> None:
        while self._open:
            with contextlib.suppress(OSError, EOFError):
                with self._listener.accept() as there:
                    if self._open:
                        self._answer(there)

    def close(self) -> None:
        """Ends the thread."""
        self._open = False
        with contextlib.suppress(OSError, EOFError):
            Client(self._address, family="AF_UNIX", authkey=self._key).close()
        self._listener.close()
