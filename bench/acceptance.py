"""The five acceptance shapes on the emulator: verdict, difference and time, checked and unchecked.

    python3 bench/acceptance.py build/release/app/warplens [kernel ...]
"""

import json
import subprocess
import sys
import time

PRESETS = ("mission", "mission_causal", "long", "long_causal", "long_128")


def diagnose(program, kernel, preset, *options):
    start = time.monotonic()
    command = [program, "diagnose", kernel, "--preset", preset, "--threads", "2", "--json", *options]
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode > 1:
        sys.exit(said.stderr)
    return json.loads(said.stdout), time.monotonic() - start


def main(program, kernels):
    failed = 0
    print("kernel   shape            verdict   max |O - FP64|   checked   unchecked   (wall seconds, 2 threads)")
    for kernel in kernels:
        unchecked_sum = 0.0
        for preset in PRESETS:
            checked, seconds = diagnose(program, kernel, preset)
            _, unchecked = diagnose(program, kernel, preset, "--check", "none")
            unchecked_sum += unchecked
            output = checked["outputs"][0]
            ok = checked["verdict"] == "ok" and output["max_abs_difference"] <= 1e-3 and not checked["findings"]
            failed += not ok
            difference = output["max_abs_difference"]
            print(f"{kernel:8} {preset:16} {checked['verdict']:9} {difference:14.3g} {seconds:9.2f} {unchecked:11.2f}", flush=True)
        print(f"{kernel:8} all five, no checks: {unchecked_sum:.1f} s")
    sys.exit(1 if failed else 0)


main(sys.argv[1], sys.argv[2:] or ["v2b", "v2c_3"])
