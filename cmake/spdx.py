#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether every file of the repository has a licence and an author, by REUSE.toml (https://reuse.software/spec-3.3).

    python3 cmake/spdx.py [FOLDER]

Prints what is wrong, a line each; exit status 1 if something is."""

import re
import subprocess
import sys
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10
    tomllib = None

TAGGED = ("LICENSE", "pyproject.toml", "CMakeLists.txt")  # what people and tools open to learn the licence


def files(root):
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"], capture_output=True)
    if listed.returncode == 0:
        return [name for name in listed.stdout.decode().split("\0") if name and (root / name).is_file()]
    return [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]


def annotations(root):
    with open(root / "REUSE.toml", "rb") as file:
        return tomllib.load(file)["annotations"]


def covers(pattern, name):
    """`**` is any text, `*` any text without a slash."""
    words = re.split(r"(\*\*|\*)", pattern)
    return re.fullmatch("".join({"**": ".*", "*": "[^/]*"}.get(word, re.escape(word)) for word in words), name)


def objections(root):
    rows, found = annotations(root), []
    for row in rows:
        for key in ("SPDX-FileCopyrightText", "SPDX-License-Identifier"):
            if not row.get(key):
                found.append(f"REUSE.toml: {row['path']} lacks {key}")
        licence = row.get("SPDX-License-Identifier")
        if licence and not (root / f"LICENSES/{licence}.txt").is_file():
            found.append(f"LICENSES/{licence}.txt is missing")
    patterns = [p for row in rows for p in ([row["path"]] if isinstance(row["path"], str) else row["path"])]
    found += [f"{name}: no row of REUSE.toml covers it" for name in files(root)
              if not any(covers(pattern, name) for pattern in patterns)]
    for name in TAGGED:
        lines = (root / name).read_text().splitlines()[:1] if (root / name).is_file() else []
        if not any("SPDX-License-Identifier: " in line for line in lines):
            found.append(f"{name}: its first line has no SPDX-License-Identifier")
    return found


if __name__ == "__main__":
    if tomllib is None:
        sys.exit("spdx.py needs Python 3.11 or newer.")
    wrong = objections(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]))
    print("\n".join(wrong) if wrong else "every file has a licence and an author")
    sys.exit(1 if wrong else 0)
