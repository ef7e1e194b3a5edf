#!/usr/bin/env python3
"""The pictures of README.md and docs/window.md, drawn off screen by the program itself, so that none shows an older window.

    python3 bench/pictures.py build/release/app/warplens          # all of them, in place
    python3 bench/pictures.py build/release/app/warplens lanes    # these alone
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
READY = "wait 10\nuntil worker none\nwait 6\n"
SETTLED = "wait 5\nuntil waiting no\nmove menu/file\nwait 8\nuntil waiting no\nwait 4\n"


def desk(number):
    return f"hold Ctrl\nhold Shift\nkey {number}\nrelease Shift\nrelease Ctrl\nwait 8\n"


# Name, what is opened, size, scale, and what a user does then.
PICTURES = {
    "window": ("../assets", "v2c_3 --fault 32x", "1676x1080", 2,
               READY + desk(2) + "until waiting no\nmove lanes/rule\nhold Ctrl\nkey M\nrelease Ctrl\nclick headline/fold\n" + SETTLED),
    "headline": ("images", "v2c_3 --fault 32x", "1280x720", 1, READY + "click headline/try\nwait 5\nuntil worker none\n" + SETTLED),
    "step": ("images", "v2c_3 --fault 32x", "1440x900", 1, READY + desk(2) + SETTLED),
    "cells": ("images", "v2b --fault warp7", "1440x900", 1,
              READY + "click tiles/first-bad\nwait 4\nkey Z\nwait 3\ndouble tab/Heatmaps\n" + SETTLED),
    "lanes": ("images", "v2c_3 --fault 32x", "1440x900", 1, READY + "panel Lanes\n" + SETTLED),
    "fragments": ("images", "flashcore_2 --fault col_major", "1440x900", 1, READY + desk(3) + "panel Fragments\n" + SETTLED),
    "shared": ("images", "flashcore_2 --fault col_major", "1440x900", 1,
               READY + desk(3) + "click tab/Shared-memory\nwait 4\n" + SETTLED),
    "provenance": ("images", "v2c_3 --fault 32x", "1440x900", 1,
                   READY + "click headline/next\nwait 3\npanel Provenance\nwait 4\n" + SETTLED),
    "findings": ("images", "v2 --fault race", "1440x900", 1, READY + "click findings/0/second\nwait 3\npanel Lanes\n" + SETTLED),
    "learn": ("images", "v2c_3 --fault 32x", "1440x900", 1,
              READY + desk(4) + "until lesson 16 lessons\nclick learn/02\nwait 4\n" + SETTLED),
}


def draw(program, name):
    folder, words, size, scale, script = PICTURES[name]
    out = (ROOT / "docs" / folder / f"{name}.png").resolve()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(script)
        file.flush()
        done = subprocess.run(
            [program, "open", *words.split(), "--size", size, "--scale", str(scale), "--script", file.name,
             "--screenshot", out], capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr or done.stdout}")
    print(out.relative_to(ROOT))


def main():
    program = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or PICTURES:
        draw(program, name)


if __name__ == "__main__":
    main()
