#!/usr/bin/env python3
"""What a GPU's driver answers to a program of two processes that have memory in common (tests/runtime/interprocess.cpp).

    python3 tests/gpu/interprocess.py PROGRAM OUT.json COMMIT
"""
import datetime
import json
import pathlib
import subprocess
import sys

from cuda_driver import Device


def main():
    program, out, commit = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    device = Device()
    answers = {}
    for how in ("handle", "descriptor", "pool"):
        said = subprocess.run([program, how], capture_output=True, text=True, timeout=60)
        answers[how] = {"status": said.returncode, "out": said.stdout.splitlines(), "err": said.stderr.splitlines()}
    driver = pathlib.Path("/proc/driver/nvidia/version")
    table = {"device": device.name, "driver": driver.read_text().splitlines()[0] if driver.exists() else "",
             "driver_api": device.driver_api, "commit": commit, "date": datetime.date.today().isoformat(),
             "command": "python3 tests/gpu/interprocess.py PROGRAM OUT.json COMMIT", "answers": answers}
    out.write_text(json.dumps(table, indent=1) + "\n")
    print(json.dumps(answers, indent=1))


if __name__ == "__main__":
    main()
