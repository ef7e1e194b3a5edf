"""How results and tiles look in a notebook."""

from __future__ import annotations

import html
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from . import program
from .program import Error

if TYPE_CHECKING:
    from .capture import Tile
    from .result import Result


def _written_by(words: list[str], suffix: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="warplens-") as folder:
        path = Path(folder, f"out{suffix}")
        said = program.run([*words, str(path)])
        if not path.is_file():
            raise Error(said.stderr.strip() or said.stdout.strip())
        return path.read_bytes()


def tile_png(tile: Tile) -> bytes:
    """The tile's values as a PNG, a square an element, in the palette of the window."""
    words = ["show", str(tile.capture), f"--tile={tile.name}", "--iteration", str(tile.iteration), "--plain"]
    if tile.block is not None:
        words += ["--block", ",".join(map(str, tile.block))]
    return _written_by([*words, "-o"], ".png")


def result_html(result: Result) -> str:
    """The HTML report in a frame of its own, so that its style stays its own, and without the right to run anything."""
    page = _written_by(["diagnose", str(result.capture), "--quiet", "--report"], ".html").decode()
    return (f'<iframe sandbox="" srcdoc="{html.escape(page)}" title="warplens: {html.escape(result.verdict)}" '
            'style="width:100%;height:640px;border:0"></iframe>')
