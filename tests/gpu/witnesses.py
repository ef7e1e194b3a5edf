#!/usr/bin/env python3
"""Runs every manifest and fault of this repository with `--on both` and writes what the two witnesses say.

    tests/gpu/bundle.sh build/bundle                                        (where WarpLens is built)
    LD_LIBRARY_PATH=build/bundle/lib python3 tests/gpu/witnesses.py build/bundle/warplens OUT.json COMMIT   (GPU)

A kernel without findings of the emulator must agree: exit status 1 when one does not. What a faulty kernel does is
written down.
"""
import concurrent.futures
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile

JOBS = 12
SECONDS = 180


def cases(program):
    listed = json.loads(subprocess.run([program, "kernels", "--json"], capture_output=True, text=True).stdout)
    for kernel in listed["kernels"]:
        yield kernel["name"], [], "lineage"
        for fault in kernel["faults"]:
            yield kernel["name"], ["--fault", fault["name"]], "lineage"
    for path in sorted(pathlib.Path("tests/kernels").rglob("*.toml")):
        text = path.read_text()
        faults = re.findall(r"^\[faults?\.(\w+)\]", text, re.M)
        yield str(path), [], path.parent.name
        for fault in faults:
            yield str(path), ["--fault", fault], path.parent.name


def run(program, case):
    kernel, options, family = case
    name = "+".join([kernel, *options[1:]])
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", kernel, *options, "--on", "both", "--json", "--quiet", "--threads", "2",
                   "-o", f"{folder}/x.wlcap"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return {"case": name, "family": family, "outcome": "timeout"}
    try:
        said = json.loads(done.stdout)
    except json.JSONDecodeError:
        return {"case": name, "family": family, "outcome": "error", "status": done.returncode,
                "said": done.stderr[-400:]}
    row = {"case": name, "family": family, "outcome": said["verdict"], "status": done.returncode}
    row["findings"] = [f["rule"] for f in said.get("findings", [])]
    if "error" in said:
        row["said"] = said["error"][:400]
    if said.get("unsupported"):
        row["said"] = said["unsupported"]
    witnesses = said.get("witnesses")
    if witnesses:
        row["agree"], row["fault"], row["notes"] = witnesses["agree"], witnesses["fault"], witnesses["notes"]
        for key in ("tiles", "elements", "equal", "compared", "unjudged", "beyond", "missing"):
            row[key] = sum(w[key] for w in witnesses["each"])
        row["worst"] = max((w["worst"] for w in witnesses["each"]), default=0)
        row["worst_unjudged"] = max(
            (1e300 if w["worst_unjudged"] is None else w["worst_unjudged"] for w in witnesses["each"]), default=0)
    return row


def describe(program, commit):
    """What stands with every record: the device, its driver, the day, the commit."""
    devices = json.loads(subprocess.run([program, "devices", "--json"], capture_output=True, text=True).stdout)
    gpu = next(d for d in devices["executors"] if d["executor"] == "gpu")
    driver = pathlib.Path("/proc/driver/nvidia/version")
    return {"device": gpu["name"], "cuda": gpu["cuda"],
            "driver": driver.read_text().splitlines()[0] if driver.exists() else "",
            "date": datetime.date.today().isoformat(), "commit": commit}


def unexplained(row):
    others = [f for f in row.get("findings", []) if f != "executors_disagree"]
    return not others and row.get("agree") is False


def main():
    program, out, commit = sys.argv[1:4]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        rows = list(pool.map(lambda case: run(program, case), cases(program)))
    record = {
        **describe(program, commit),
        "command": "python3 tests/gpu/witnesses.py build/bundle/warplens OUT.json COMMIT", "cases": rows,
    }
    pathlib.Path(out).write_text(json.dumps(record, indent=1) + "\n")
    judged = [r for r in rows if "agree" in r]
    clean = [r for r in judged if not [f for f in r["findings"] if f != "executors_disagree"]]
    bad = [r for r in judged if unexplained(r)]
    print(f"{len(rows)} cases, {len(judged)} run by both; of {len(clean)} without a finding of the emulator "
          f"{len(clean) - len(bad)} agree, in {sum(r['equal'] for r in clean)} of {sum(r['elements'] for r in clean)} "
          f"elements in all their bits")
    for row in rows:
        if "agree" not in row:
            print(f"not run by both: {row['case']}: {row['outcome']} {row.get('said', '')}")
    for row in bad:
        print(f"UNEXPLAINED: {row['case']}: {row}")
    for row in judged:
        if row not in clean and not row["agree"]:
            print(f"differs: {row['case']}: {row['findings']} {row['fault']} beyond {row['beyond']}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
