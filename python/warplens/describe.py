"""A call as a manifest (docs/manifest.md) with its arrays, in a folder of its own."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .arrays import Argument, save
from .program import Error, visible


@dataclass
class Comparing:
    """How outputs are judged: `[output.*]` and `[tile.*]` of the manifest, and who is compared."""

    judged: bool = False  # else nothing is to be compared, and nothing is missing then
    reference: str = ""  # a script beside the manifest
    ignored: list[str] = field(default_factory=list)
    terms: Mapping[str, Any] = field(default_factory=dict)
    tolerance: Mapping[str, float] = field(default_factory=dict)
    rtol: Mapping[str, float] = field(default_factory=dict)
    tiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass
class Source:
    """What is launched: a file, its entry and how it is compiled."""

    path: Path
    entry: str = ""
    defines: Mapping[str, Any] = field(default_factory=dict)
    include: Sequence[str] = ()


def toml(value: Any) -> str:
    """A value as TOML writes it.

    >>> toml({"name": "a", "shape": [2, 3], "output": True})
    '{ name = "a", shape = [2, 3], output = true }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return str(value) if math.isfinite(value) else ("nan" if math.isnan(value) else "inf" if value > 0 else "-inf")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(one) for one in value) + "]"
    return _text(str(value))


def _text(text: str) -> str:
    """Between quotes. Raises Error for a name that is no UTF-8, as TOML has no way to write it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Error(f"{visible(text)}: a manifest can only name what is UTF-8; rename it") from None
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else _text(name)


def _entry_of(one: Argument, folder: Path) -> dict[str, Any]:
    if one.fields:
        return {"name": one.name, "fields": [_entry_of(member, folder) for member in one.fields]}
    if one.array is None:
        return {"name": one.name, "dtype": one.dtype, "value": one.value}
    out: dict[str, Any] = {"name": one.name, "dtype": one.dtype, "shape": list(one.array.shape)}
    if not one.poisoned:
        out["fill"] = save(one, folder)
    if one.written:
        out["output"] = True
    return out


def _judged(one: Argument, comparing: Comparing) -> dict[str, Any]:
    if not comparing.judged or one.name in comparing.ignored:
        return {"compare": False}
    rules = {"terms": comparing.terms, "tolerance": comparing.tolerance, "rtol": comparing.rtol}
    return {key: values[one.name] for key, values in rules.items() if one.name in values}


def write_manifest(folder: Path, name: str, source: Source, grid: Sequence[int], block: Sequence[int], shared: int,
                   given: Sequence[Argument], comparing: Comparing) -> Path:
    """Writes NAME.toml and its arrays into the folder."""
    lines = [f"source = {toml(source.path)}"]
    if source.entry:
        lines.append(f"entry = {toml(source.entry)}")
    if source.include:
        lines.append(f"include = {toml(list(source.include))}")
    lines.append("args = [")
    lines += [f"  {toml(_entry_of(one, folder))}," for one in given]
    lines += ["]", "[launch]", f"grid = {toml(list(grid))}", f"block = {toml(list(block))}"]
    if shared:
        lines.append(f"shared = {shared}")
    if source.defines:
        lines += ["[define]", *(f"{_key(key)} = {toml(value)}" for key, value in source.defines.items())]
    if comparing.reference:
        lines += ["[reference]", f"python = {toml(comparing.reference)}"]
    for one in given:
        if one.written and (rules := _judged(one, comparing)):
            lines += [f"[output.{_key(one.name)}]", *(f"{key} = {toml(value)}" for key, value in rules.items())]
    for tile, table in comparing.tiles.items():
        lines += [f"[tile.{_key(tile)}]", *(f"{_key(key)} = {toml(value)}" for key, value in table.items())]
    path = folder / f"{name}.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
