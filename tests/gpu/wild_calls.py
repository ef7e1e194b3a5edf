#!/usr/bin/env python3
"""What a GPU's driver answers to calls with wrong arguments, row by row (tests/runtime/wild/).

    python3 tests/gpu/wild_calls.py PROGRAM OUT.json COMMIT [SECONDS]

PROGRAM is the table, linked with a static runtime and -lcuda; no row is begun after SECONDS, 200 if none are given.
"""
import datetime
import json
import pathlib
import subprocess
import sys

from cuda_driver import Device


def main():
    program, out, commit = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    seconds = sys.argv[4] if len(sys.argv) > 4 else "200"
    device = Device()
    said = subprocess.run([program, "--jobs", "16", "--seconds", seconds], capture_output=True, text=True, check=True)
    # A row's name may hold ": ", an answer never does.
    answers = dict(line.rsplit(": ", 1) for line in said.stdout.splitlines())
    driver = pathlib.Path("/proc/driver/nvidia/version")
    table = {"device": device.name, "driver": driver.read_text().splitlines()[0] if driver.exists() else "",
             "driver_api": device.driver_api, "commit": commit, "date": datetime.date.today().isoformat(),
             "command": "python3 tests/gpu/wild_calls.py PROGRAM OUT.json COMMIT", "answers": answers}
    out.write_text(json.dumps(table, indent=1) + "\n")
    for answer in ("not run", "hang", "signal"):
        print(answer, [name for name, a in answers.items() if answer in a])
    print(len(answers), "rows")


if __name__ == "__main__":
    main()
