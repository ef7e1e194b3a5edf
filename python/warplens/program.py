"""The `warplens` program: where it is, and how it is asked."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

_HERE = Path(__file__).resolve().parent
_NVRTC = ("libnvrtc.so.13", "libnvrtc.so.12")


class Error(RuntimeError):
    """What was asked cannot be done; the sentence says what, where, and what to do."""


_STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def visible(text: str) -> str:
    r"""A text of a file with what would steer a terminal (controls, marks of direction) shown, as the program shows it.

    >>> visible("k\x1b[2J")
    'k\\u001b[2J'
    """
    return _STEERS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class Unsupported(Error):
    """The kernel needs what the emulator lacks; the sentence names the instruction and its line."""


@functools.lru_cache(maxsize=1)
def program() -> Path:
    """The executable: $WARPLENS_PROGRAM, else the wheel's own, else the one on PATH, else the source tree's.

    >>> program().name
    'warplens'
    """
    if chosen := os.environ.get("WARPLENS_PROGRAM"):
        return Path(chosen)
    ours = [_HERE / "installed/bin/warplens", _HERE.parents[1] / "build/release/app/warplens"]
    found = shutil.which("warplens", path=_path_without_ourselves())
    for candidate in (ours[0], *([Path(found)] if found else []), ours[1]):
        if candidate.is_file():
            return candidate
    raise Error("the program `warplens` was not found: install the wheel, or name it by WARPLENS_PROGRAM")


def _path_without_ourselves() -> str:
    """PATH without this Python's scripts: the `warplens` there is ours, and asks here."""
    scripts = Path(sys.executable).parent
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if folder and Path(folder) != scripts)


def _nvrtc_of_the_wheels() -> str | None:
    """libnvrtc of the packages nvidia-cuda-nvrtc (13) or nvidia-cuda-nvrtc-cu12, where one is installed."""
    spec = importlib.util.find_spec("nvidia")
    for root in (spec.submodule_search_locations or []) if spec else []:
        for folder in ("cu13/lib", "cuda_nvrtc/lib"):
            for name in _NVRTC:
                if (library := Path(root, folder, name)).is_file():
                    return str(library)
    return None


def environment(served: bool = False) -> dict[str, str]:
    """What the program is started with: references run in this Python, and NVRTC may be that of its packages.

    `served`: the reference is a function of this process, which a script asks over a socket: it may have sockets.
    """
    out = dict(os.environ)
    if served:
        out["WARPLENS_PYTHON_SANDBOX"] = "off"
    out.setdefault("WARPLENS_PYTHON", sys.executable)
    if "WARPLENS_NVRTC" not in out and (library := _nvrtc_of_the_wheels()):
        out["WARPLENS_NVRTC"] = library
    return out


def run(words: Sequence[str | os.PathLike[str]], cwd: str | None = None,
        served: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs `warplens WORDS`; exit status 1 (findings) and 3 (incomplete) are answers, not errors."""
    return subprocess.run([str(program()), *map(str, words)], capture_output=True, encoding="utf-8",
                          errors="replace", env=environment(served), cwd=cwd, stdin=subprocess.DEVNULL, check=False)


def ask(words: Sequence[str | os.PathLike[str]], cwd: str | None = None, served: bool = False) -> dict[str, Any]:
    """The JSON object that `warplens WORDS --json` prints. Raises Error or Unsupported with its sentence.

    >>> ask(["kernels"])["verb"]
    'kernels'
    """
    said = run([*words, "--json"], cwd, served)
    try:
        answer: dict[str, Any] = json.loads(said.stdout)
    except json.JSONDecodeError:
        last = said.stderr.strip() or said.stdout.strip() or f"it ended with status {said.returncode}"
        raise Error(f"{program()} {' '.join(map(str, words))}: {last}") from None
    if answer.get("verdict") == "error" and answer.get("error"):
        raise Error(visible(str(answer["error"])))
    if answer.get("verdict") == "unsupported" and "entries" not in answer:
        reasons = answer.get("unsupported")
        raise Unsupported(visible("; ".join(reasons) if isinstance(reasons, list) else str(reasons)))
    return answer


def main() -> NoReturn:
    """The console script: becomes the program."""
    os.execve(program(), ["warplens", *sys.argv[1:]], environment())
