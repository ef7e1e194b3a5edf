#!/usr/bin/env python3
"""Changed programs on a GPU, of a kernel with an instruction that the emulator lacks (tests/kernels/clustered.cu).

    python3 tests/gpu/trials_run.py WARPLENS OUT.json COMMIT

Each fault by the rules alone and with the search, and three ideas, one of which never ends: what was found, what was
measured, how long it took. Status 1: a fault was not proven on the device, or the clean kernel has a finding.
"""
import datetime
import json
import pathlib
import subprocess
import sys
import time

KERNEL = "tests/kernels/clustered.toml"


def line_of(text):
    lines = pathlib.Path(KERNEL).with_suffix(".cu").read_text().split("\n")
    return next(k for k, line in enumerate(lines, 1) if text in line)


def run(program, name, words):
    begun = time.monotonic()
    done = subprocess.run([program, "run", KERNEL, "--on", "gpu", "--json", "--quiet", *words], capture_output=True, text=True)
    row = {"case": name, "words": words, "status": done.returncode, "seconds": round(time.monotonic() - begun, 2)}
    try:
        said = json.loads(done.stdout)
    except json.JSONDecodeError:
        return {**row, "failed": (done.stderr or done.stdout)[-600:]}
    keep = ("rule", "title", "where", "evidence_kind", "evidence", "proof", "explanation")
    return {**row, "verdict": said["verdict"], "notes": said.get("notes", []),
            "findings": [{key: f[key] for key in keep if key in f} for f in said.get("findings", [])]}


def is_measured(row):
    return any("measured on gpu: " in f.get("proof", "") for f in row.get("findings", []))


def main():
    program, out, commit = sys.argv[1:4]
    sign, loop = line_of("2 * row[i] - sum / 64"), line_of("for (int k")
    ideas = ["--search", "0", "--try", f"{sign}: 64 -> 32", "--try", f"{loop}: ++k -> (void)0", "--try", f"{sign}: - -> +"]
    rows = [run(program, "clean", []),
            run(program, "sign, by the search", ["--fault", "sign"]),
            run(program, "factor, by a rule", ["--fault", "factor", "--search", "0"]),
            run(program, "factor, by all", ["--fault", "factor"]),
            run(program, "sign, three ideas, the second without an end", ["--fault", "sign", *ideas])]
    devices = json.loads(subprocess.run([program, "devices", "--json"], capture_output=True, text=True).stdout)
    gpu = next(d for d in devices["executors"] if d["executor"] == "gpu")
    driver = pathlib.Path("/proc/driver/nvidia/version")
    pathlib.Path(out).write_text(json.dumps({
        "device": gpu["name"], "cuda": gpu["cuda"],
        "driver": driver.read_text().splitlines()[0] if driver.exists() else "",
        "date": datetime.date.today().isoformat(), "commit": commit,
        "command": "tests/gpu/run.sh BUNDLE OUT COMMIT trials", "cases": rows}, indent=1) + "\n")
    right = rows[0]["status"] == 0 and all(is_measured(row) for row in rows[1:])
    for row in rows:
        first = row.get("findings") or [{}]
        print(row["case"], row.get("verdict", row.get("failed")), f"{row['seconds']} s", first[0].get("proof", ""))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
