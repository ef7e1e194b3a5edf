"""A capture (.wlcap, an SQLite database, docs/format.md) as NumPy arrays."""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .program import Error


def _decoded(data: bytes, dtype: str, logical: str) -> NDArray[Any]:
    """Elements as NumPy numbers; what NumPy lacks as float32, which holds them exactly."""
    raw = np.frombuffer(data, dtype)
    if logical == "bf16":
        return (raw.view("<u2").astype("<u4") << 16).view("<f4")
    if logical in ("e4m3", "e5m2"):
        return np.array([_float8(code, logical) for code in range(256)], "<f4")[raw.view("u1")]
    return raw


def _float8(code: int, kind: str) -> float:
    """OCP's 8-bit formats: e5m2 is the upper half of a float16; e4m3 has no infinity, and NaN at 0x7f.

    >>> _float8(0x38, "e4m3"), _float8(0x3c, "e5m2"), _float8(0x7e, "e4m3"), _float8(0x01, "e4m3") * 512
    (1.0, 1.0, 448.0, 1.0)
    """
    if kind == "e5m2":
        return float(struct.unpack("<e", bytes([0, code]))[0])
    sign, exponent, mantissa = -1.0 if code & 0x80 else 1.0, code >> 3 & 15, code & 7
    if exponent == 15 and mantissa == 7:
        return float("nan")
    return sign * (mantissa / 8 * 2.0**-6 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7))


@dataclass(frozen=True)
class Tile:
    """One matrix at one instant of one block (or of the whole launch: an output).

    `got` (rows, columns) holds the kernel's values, `reference` (float64) the truth, NaN where there is none, `bound`
    (float32) the limit of |got - reference|; both are None where nothing was compared. `block` is (x, y, z), None for
    an output; `iteration` counts how often the block had met the mark before.
    """

    name: str
    block: tuple[int, int, int] | None
    iteration: int
    verdict: str
    got: NDArray[Any]
    reference: NDArray[Any] | None
    bound: NDArray[Any] | None
    capture: Path

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which elements are outside their bounds (rows, columns)."""
        if self.reference is None or self.bound is None:
            return np.zeros(self.got.shape, bool)
        known = ~np.isnan(self.reference)
        return known & ~(np.abs(self.got.astype(np.float64) - self.reference) <= self.bound)

    def _repr_png_(self) -> bytes:
        from .display import tile_png

        return tile_png(self)


class Tiles(Mapping[str, NDArray[Any]]):
    """The tiles by name: `tiles["scores"]` is the first wrong one that was kept, else the last, (rows, columns)."""

    def __init__(self, capture: Path, problem: str = "") -> None:
        self._capture, self._problem = capture, problem

    def _rows(self, sql: str, values: tuple[Any, ...] = ()) -> list[Any]:
        if self._problem:
            raise Error(self._problem)
        # As a URI has it: ?, # and % are part of the name, and so are bytes that are no UTF-8. `immutable`: no journal
        # that lies beside the file is looked at.
        uri = self._capture.absolute().as_uri() + "?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as file:
            return file.execute(sql, values).fetchall()

    def __iter__(self) -> Iterator[str]:
        return iter([name for name, in self._rows(
            "SELECT DISTINCT name FROM probe JOIN tile USING(probe_id) WHERE blob_id IS NOT NULL ORDER BY step")])

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.tile(name).got

    def _linear(self, block: int | tuple[int, ...] | None) -> int | None:
        if block is None or isinstance(block, int):
            return block
        x, y, z = (*block, 0, 0)[:3]
        width, height, _ = self._grid()
        return x + width * (y + height * z)

    def _grid(self) -> tuple[int, int, int]:
        width, height, depth = json.loads(self._rows("SELECT grid FROM launch")[0][0])
        return width, height, depth

    def tile(self, name: str, block: int | tuple[int, ...] | None = None, iteration: int | None = None) -> Tile:
        """One tile with its reference; without block and iteration the first wrong one, else the last.

        Raises KeyError for a name that there is not, and for a block or iteration that was not kept.
        """
        rows = self._rows(
            "SELECT cta, iter, verdict, t.rows, t.cols, dtype, logical, blob_id, reference_id, bound_id "
            "FROM probe JOIN tile t USING(probe_id) "
            "WHERE name = ? AND blob_id IS NOT NULL AND (? IS NULL OR cta = ?) AND (? IS NULL OR iter = ?) "
            "ORDER BY verdict = 'bad' DESC, CASE verdict WHEN 'bad' THEN iter ELSE -iter END, cta LIMIT 1",
            (name, (cta := self._linear(block)), cta, iteration, iteration))
        if not rows:
            raise KeyError(f"{name}: no such tile was kept; there are {', '.join(self) or 'none'}")
        cta, number, verdict, height, width, dtype, logical, *blobs = rows[0]
        data, reference, bound = (None if blob is None else self._content(blob) for blob in blobs)
        shape, (across, down, _) = (height, width), self._grid()
        place = None if cta < 0 else (cta % across, cta // across % down, cta // (across * down))
        return Tile(name, place, number, verdict, _decoded(data, dtype, logical).reshape(shape),
                    None if reference is None else np.frombuffer(reference, "<f8").reshape(shape),
                    None if bound is None else np.frombuffer(bound, "<f4").reshape(shape), self._capture)

    def output_bytes(self) -> dict[str, bytes]:
        """What each output's array holds at the end, row-major, by name."""
        outputs = self._rows("SELECT o.name, blob_id FROM output o JOIN tile USING(tile_id) WHERE blob_id IS NOT NULL")
        return {name: self._content(blob) for name, blob in outputs}

    def _content(self, blob: int) -> bytes:
        """A blob's bytes; what a row cannot hold goes on in rows after all blobs."""
        rows = [blob]
        said = self._rows("SELECT value FROM meta WHERE key = 'continued'")
        more = [tuple(map(int, word.split(":"))) for word in said[0][0].split()] if said else []
        next_row = self._rows("SELECT max(blob_id) FROM blob")[0][0] - sum(count for _, count in more) + 1
        for of, count in more:
            rows += range(next_row, next_row + count) if of == blob else ()
            next_row += count
        return b"".join(self._rows("SELECT data FROM blob WHERE blob_id = ?", (row,))[0][0] for row in rows)
