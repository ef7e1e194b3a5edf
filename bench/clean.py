"""Every check on every clean kernel in several schedules: nothing may be found.

    python3 bench/clean.py build/release/app/warplens [--seeds 0,1,2,3] [kernel ...]

Kernels: the shipped ones and the clean twins of tests/kernels/hazards and orders, unless they are named.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def all_kernels():
    folders = ("kernels", "tests/kernels/hazards", "tests/kernels/orders")
    return [kernel for folder in folders for kernel in sorted((ROOT / folder).glob("*.toml"))]


def hazards(program, kernel, seed):
    command = [program, "hazards", kernel, "--schedule", str(seed), "--json", "--quiet"]
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode not in (0, 1):
        sys.exit(f"{kernel}: {said.stderr}")
    return json.loads(said.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("kernels", nargs="*")
    parser.add_argument("--seeds", default="0,1,2,3")
    options = parser.parse_intermixed_args()
    begin, runs, reports = time.monotonic(), 0, 0
    for kernel in options.kernels or map(str, all_kernels()):
        for seed in options.seeds.split(","):
            said = hazards(options.program, kernel, seed)
            runs += 1
            for finding in said["findings"]:
                reports += 1
                print(f"{kernel}, schedule {seed}: {finding['title']}", flush=True)
    print(f"{runs} runs, {reports} findings, {time.monotonic() - begin:.0f} s")
    sys.exit(1 if reports else 0)


if __name__ == "__main__":
    main()
