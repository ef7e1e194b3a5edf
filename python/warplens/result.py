"""What a run came to."""

from __future__ import annotations

import functools
import shutil
import subprocess
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import program
from .capture import Tile, Tiles
from .reference import Served


@dataclass(frozen=True, repr=False)
class Finding:
    """One finding (docs/cli.md lists the rules). `where` has file, line, tile, element, block, warp, lanes, ... as far
    as they are known; `proof` says what was run to show it, and `proven` whether that was a changed program."""

    rule: str
    title: str
    explanation: str
    proof: str
    proven: bool
    file: str | None
    line: int | None
    where: dict[str, Any]
    json: dict[str, Any]

    def __repr__(self) -> str:
        place = f" at {self.file}:{self.line}" if self.line else ""
        return program.visible(f"{self.rule}{place}: {self.title}")


def _finding(one: dict[str, Any]) -> Finding:
    where = one.get("where", {})
    return Finding(one["rule"], one["title"], one["explanation"], one.get("proof", ""), bool(one.get("proven")),
                   where.get("file"), where.get("line"), where, one)


@dataclass(frozen=True, repr=False)
class Why:
    """Where an element comes from, back to the inputs: `text` as a person reads it, `json` as docs/cli.md has it."""

    text: str
    json: dict[str, Any]

    def __repr__(self) -> str:
        return self.text


class Folder:
    """A folder of a run, with its reference; both end with the last result that needs them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.served: Served | None = None
        self._finalizer = weakref.finalize(self, Folder._remove, path, served := [])
        self._served = served

    def serve(self, served: Served) -> None:
        """Keeps the reference answering."""
        self.served = served
        self._served.append(served)

    @staticmethod
    def _remove(path: Path, served: list[Served]) -> None:
        for one in served:
            one.close()
        shutil.rmtree(path, ignore_errors=True)


class Result:
    """A run of a kernel: its verdict, findings and tiles.

    `verdict` is "ok", "findings" or "incomplete"; `ok` is true of the first alone. `findings` has the root cause
    first. `tiles[NAME]` is a NumPy array (rows, columns); `tile(NAME, block, iteration)` has its reference as well.
    `capture` is the path of the .wlcap file, which lives as long as this result; `save(PATH)` keeps it.
    """

    def __init__(self, folder: Folder, manifest: Path, capture: Path, answer: dict[str, Any],
                 words: list[str]) -> None:
        self._folder, self._manifest, self._words = folder, manifest, words
        self.kernel: Any = None  # keeps a source that was text
        self.capture = capture
        self.json = answer
        self.verdict: str = answer["verdict"]
        self.findings = [_finding(one) for one in answer["findings"]]
        self.patch: str = answer.get("patch", "")
        self.tiles = Tiles(capture)

    @property
    def ok(self) -> bool:
        """Was everything that was asked for compared and checked, and nothing found?"""
        return self.verdict == "ok"

    def tile(self, name: str, block: int | tuple[int, ...] | None = None, iteration: int | None = None) -> Tile:
        """One tile, with its reference and bound; without block and iteration the first wrong one, else the last."""
        return self.tiles.tile(name, block, iteration)

    @functools.cached_property
    def text(self) -> str:
        """The summary as `warplens diagnose` prints it."""
        return program.run(["diagnose", self.capture, "--color", "never"]).stdout

    def why(self, name: str, element: tuple[int, ...], block: tuple[int, ...] | None = None,
            iteration: int | None = None) -> Why:
        """Where element (row, column) of a tile or an output comes from: lines, tiles, inputs, the first wrong link.

        The kernel runs again for it. An output's element may have as many indices as its array.
        """
        row, column = self._element(name, element)
        words = ["why", str(self._manifest), "--tile", name, "--element", f"{row},{column}"]
        if block is not None:
            words += ["--block", ",".join(map(str, (*block, 0, 0)[:3]))]
        if iteration is not None:
            words += ["--iteration", str(iteration)]
        words += self._words
        cwd = self.kernel and self.kernel.cwd
        served = self._folder.served is not None
        answer = program.ask(words, cwd, served)
        return Why(program.run([*words, "--color", "never"], cwd, served).stdout, answer)

    def _element(self, name: str, element: tuple[int, ...]) -> tuple[int, int]:
        shape = next((one["shape"] for one in self.json["outputs"] if one["name"] == name), None)
        index = (0, *element) if len(element) == 1 else tuple(element)
        if len(index) == 2 or shape is None or len(shape) != len(index):
            return index[0], index[1]
        row = 0
        for extent, i in zip(shape[:-1], index[:-1]):
            row = row * extent + i
        return row, index[-1]

    def save(self, path: str | Path) -> Path:
        """Copies the capture to a place of your own."""
        return Path(shutil.copy(self.capture, path))

    def open(self) -> subprocess.Popen[bytes]:
        """Opens the window on this run. It needs a display, and this result while it asks about the kernel."""
        return subprocess.Popen([str(program.program()), "open", str(self.capture)],
                                env=program.environment(self._folder.served is not None),
                                stdin=subprocess.DEVNULL)

    def __repr__(self) -> str:
        said = "; ".join(str(one) for one in self.findings if "caused_by" not in one.json)
        return f"<warplens {self.verdict}{': ' + said if said else ''}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from .display import result_html

        return {"text/plain": self.text, "text/html": result_html(self)}
