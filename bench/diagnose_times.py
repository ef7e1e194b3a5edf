"""How long the diagnosis of every fault of the lineage takes, and where: medians of several runs, in seconds.

    python3 bench/diagnose_times.py build/release/app/warplens [--runs 3] [--threads 1] [--most 3] [kernel ...]

Exits with 1 when the user seconds of a fault are more than --most (0: no limit). User seconds grow on a busy
machine; one thread and an idle machine give those to compare.
"""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
STAGES = ("run", "trace", "diagnose")


def all_faults(kernels):
    for path in sorted((ROOT / "kernels").glob("*.toml")):
        if kernels and path.stem not in kernels:
            continue
        for fault in tomllib.loads(path.read_text()).get("fault", {}):
            yield path.stem, fault


def user_seconds():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def diagnose(program, kernel, fault, threads):
    """Wall and user seconds, and those of the stages."""
    command = [program, "diagnose", kernel, "--fault", fault, "--threads", str(threads), "--json", "--quiet"]
    wall, user = time.monotonic(), user_seconds()
    said = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    wall, user = time.monotonic() - wall, user_seconds() - user
    if said.returncode not in (0, 1):
        sys.exit(f"{kernel} --fault {fault}: {said.stderr}")
    stages = json.loads(said.stdout)["seconds"]
    return [wall, user] + [stages.get(name, 0) for name in STAGES]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("kernels", nargs="*")
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("--threads", type=int, default=1)
    arguments.add_argument("--most", type=float, default=3)
    options = arguments.parse_intermixed_args()
    program = str(pathlib.Path(options.program).resolve())
    slow = []
    print(f"{'kernel --fault':28}{'wall':>8}{'user':>8}" + "".join(f"{name:>10}" for name in STAGES))
    for kernel, fault in all_faults(options.kernels):
        runs = [diagnose(program, kernel, fault, options.threads) for _ in range(options.runs)]
        wall, user, *stages = [statistics.median(column) for column in zip(*runs)]
        row = f"{kernel + ' ' + fault:28}{wall:8.2f}{user:8.2f}" + "".join(f"{s:10.2f}" for s in stages)
        print(row, flush=True)
        if options.most and user > options.most:
            slow.append(f"{kernel} --fault {fault}")
    if slow:
        sys.exit(f"more than {options.most} s: {', '.join(slow)}")


if __name__ == "__main__":
    main()
