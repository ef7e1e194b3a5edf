#!/usr/bin/env python3
"""Runs every program of bench/python_programs under `warplens run -- python` and prints a line each: exit status, whether the
program found its own results right, launches, findings by rule, seconds. A program whose name ends with _racy has to be
found; any other has to have no finding.

    python3 bench/python_programs.py WARPLENS PYTHON [NAME ...]

PYTHON needs cupy-cuda13x, numba-cuda[cu13] and triton, but no PyTorch: Triton gets CuPy's arrays (triton_arrays.py).
"""

import json
import pathlib
import subprocess
import sys
import time


def run(warplens: str, python: str, program: pathlib.Path) -> bool:
    start = time.monotonic()
    try:
        done = subprocess.run(
            [warplens, "run", "--json", "--", python, program.name],
            cwd=program.parent, capture_output=True, text=True, timeout=300, check=False)
        said = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError) as failed:
        print(f"{program.stem:20} {failed}")
        return False
    rules = sorted({finding["rule"] for finding in said["findings"]})
    right = "right\n" in done.stderr
    launches = sum(launch["times"] for launch in said["launches"])
    as_it_should = right and bool(rules) == program.stem.endswith("_racy") and not said["errors"]
    print(f"{program.stem:20} {'as it should' if as_it_should else 'NOT'}: status {done.returncode}, "
          f"{'right' if right else 'wrong'}, {launches} launches, findings: {', '.join(rules) or 'none'}, "
          f"{time.monotonic() - start:.1f} s")
    for text in said["errors"] + said["unsupported"]:
        print(f"    {text}")
    if not right:
        print("    " + "\n    ".join(done.stderr.strip().splitlines()[-3:]))
    return as_it_should


def main() -> int:
    warplens, python, *names = sys.argv[1:]
    folder = pathlib.Path(__file__).resolve().parent / "python_programs"
    programs = [p for p in sorted(folder.glob("*.py")) if p.stem != "triton_arrays" and (not names or p.stem in names)]
    right = sum(run(str(pathlib.Path(warplens).resolve()), python, p) for p in programs)
    print(f"{right} of {len(programs)} as they should be")
    return 0 if right == len(programs) else 1


if __name__ == "__main__":
    sys.exit(main())
