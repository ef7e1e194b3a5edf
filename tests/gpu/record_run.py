#!/usr/bin/env python3
"""Records launches of real programs on a GPU and replays each by the emulator; and what recording costs.

    LD_LIBRARY_PATH=build/bundle/lib python3 tests/gpu/record_run.py build/bundle/warplens OUT.json COMMIT [FOLDER]

Programs: tests/gpu/record/program.cu by nvcc, a PyTorch extension, CuPy, Triton, Numba, PyTorch's NVRTC kernels. Of
each kernel one launch is recorded while the program runs, and run again by the emulator: elements equal in all bits,
elements within the tolerance, findings. FOLDER gets the recordings. Exit status 1: a kernel that was to be replayed
was not, or differs.
"""
import collections
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent / "record"
SECONDS = 240
LAUNCHES = 200_000
ROUNDS = 11

# Program, kernel, launch.
CASES = [
    ("program", "scale", 3), ("program", "gather", 1), ("program", "evaluate", 1), ("program", "walk", 1),
    ("program", "block_sums", 1),
    ("extension", "rms_norm_kernel", 1),
    ("cupy", "saxpy", 1), ("cupy", "squared_diff", 1), ("cupy", "cupy_tanh__float32_float32", 1),
    ("cupy", "two_norm_pass1", 1),
    ("triton", "add_kernel", 1), ("triton", "softmax_kernel", 1),
    ("torch", "clamp", 1),
]
# Machine code alone, PyTorch's own and what Numba links: recorded, and said not to be replayable.
WITHOUT_PTX = [("numba", "scale_rows", 1), ("torch", "vectorized_elementwise_kernel", 1)]
# Wrong kernels whose program ends well on the GPU, and the rule that finds them.
BROKEN = [("program", "racing_sums", 1), ("exact", "differences", 1)]
RULES = {"racing_sums": "race_shared", "differences": "out_of_bounds"}


def build(folder):
    program = folder / "program"
    subprocess.run(["nvcc", "-std=c++17", "-gencode", "arch=compute_80,code=compute_80", "-o", program,
                    HERE / "program.cu"], check=True)
    return program


def command_of(program, built):
    """As the program is called without WarpLens: its libraries are its own."""
    own = str(pathlib.Path(sys.argv[1]).resolve().parent / "lib")
    path = ":".join(p for p in os.environ.get("LD_LIBRARY_PATH", "").split(":") if p and os.path.realpath(p) != own)
    words = [str(built)] if program == "program" else [sys.executable, str(HERE / "from_python.py"), program]
    return ["env", f"LD_LIBRARY_PATH={path}", *words]


def counts(warplens, program, built):
    """Kernels by name, and how often they are launched."""
    done = subprocess.run([warplens, "record", "--json", "--", *command_of(program, built)], capture_output=True,
                          text=True, timeout=SECONDS)
    if done.returncode != 0:
        return {"program": program, "problem": done.stderr[-600:]}
    return {"program": program, "launched": {k["kernel"]: k["launches"] for k in json.loads(done.stdout)["launched"]}}


def differing(capture):
    """Elements of the outputs that are equal in all bits, and those that are not."""
    equal = other = 0
    db = sqlite3.connect(capture)
    for data, reference, dtype in db.execute(
            "SELECT v.data, r.data, p.logical FROM tile t JOIN probe p USING(probe_id) JOIN blob v ON "
            "v.blob_id=t.blob_id JOIN blob r ON r.blob_id=t.reference_id WHERE p.kind='output'"):
        import numpy as np
        types = {"f32": "<f4", "f64": "<f8", "f16": "<f2", "u32": "<u4", "s32": "<i4", "u8": "u1", "s64": "<i8"}
        got = np.frombuffer(data, types[dtype]).astype("<f8") if dtype in types else None
        if got is None:
            continue
        want = np.frombuffer(reference, "<f8")
        same = (got == want) | np.isnan(want)
        equal, other = equal + int(same.sum()), other + int((~same).sum())
    return equal, other


def one(warplens, built, folder, case):
    program, kernel, launch = case
    row = {"program": program, "kernel": kernel}
    file = folder / f"{program}-{kernel}.wllaunch"
    begun = time.monotonic()
    done = subprocess.run([warplens, "record", "--kernel", kernel, "--launch", str(launch), "-o", file, "--json", "--",
                           *command_of(program, built)], capture_output=True, text=True, timeout=SECONDS)
    row["record_s"] = round(time.monotonic() - begun, 2)
    if done.returncode not in (0, 3):
        return row | {"outcome": "not recorded", "said": done.stderr[-600:]}
    told = json.loads(done.stdout)
    row |= {k: told[k] for k in ("entry", "grid", "block", "on", "memory", "bytes", "ptx", "fault", "notes")}
    row["file_bytes"] = file.stat().st_size
    if not told["ptx"]:
        return row | {"outcome": "no PTX"}
    begun = time.monotonic()
    capture = folder / f"{program}-{kernel}.wlcap"
    again = subprocess.run([warplens, "run", file, "--json", "--quiet", "-o", capture], capture_output=True, text=True,
                           timeout=SECONDS)
    row["replay_s"] = round(time.monotonic() - begun, 2)
    if again.returncode not in (0, 1, 3) or not again.stdout:
        return row | {"outcome": "not replayed", "said": again.stderr[-600:]}
    answer = json.loads(again.stdout)
    row["verdict"] = answer["verdict"]
    row["outputs"] = [{k: o.get(k) for k in ("name", "max_abs_difference", "ok")} for o in answer.get("outputs", [])]
    row["rules"] = [f["rule"] for f in answer.get("findings", [])]
    row["findings"] = [f["title"] for f in answer.get("findings", [])]
    row["unsupported"] = answer.get("unsupported", [])
    if capture.exists():
        row["equal"], row["other"] = differing(capture)
    if kernel in RULES:
        return row | {"outcome": "found" if row["rules"][:1] == [RULES[kernel]] else "missed"}
    return row | {"outcome": "same" if answer["verdict"] == "ok" else answer["verdict"]}


def overhead(warplens, built):
    """Nanoseconds a launch, plain and with the recorder inside: counting all, waiting for a launch, and after it."""
    with tempfile.TemporaryDirectory() as folder:
        loop = [str(built), "loop", str(LAUNCHES)]
        ways = {
            "plain": loop,
            "counting": [warplens, "record", "--json", "--", *loop],
            "other kernel": [warplens, "record", "--json", "--kernel", "scale", "--", *loop],
            "waiting": [warplens, "record", "--json", "--kernel", "nothing", "--launch", "1000000000", "--", *loop],
            "recorded": [warplens, "record", "--json", "--kernel", "nothing", "--launch", "100", "-o",
                         f"{folder}/x.wllaunch", "--", *loop],
        }
        took = collections.defaultdict(list)
        for _ in range(ROUNDS):
            for name, words in ways.items():
                done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS)
                found = re.search(r"([\d.]+) ns a launch", done.stdout + done.stderr)
                if found:
                    took[name].append(float(found[1]))
    plain = took["plain"]
    return {name: {"ns": statistics.median(each), "each": each,
                   "ratio": round(statistics.median(a / b for a, b in zip(each, plain)), 4)}  # of each round
            for name, each in took.items()}


def main():
    warplens, out, commit = sys.argv[1:4]
    warplens = str(pathlib.Path(warplens).resolve())
    folder = pathlib.Path(sys.argv[4] if len(sys.argv) > 4 else tempfile.mkdtemp()).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["TRITON_CACHE_DIR"] = str(folder / "triton")
    built = build(folder)
    devices = json.loads(subprocess.run([warplens, "devices", "--json"], capture_output=True, text=True).stdout)
    gpu = next(d for d in devices["executors"] if d["executor"] == "gpu")
    driver = pathlib.Path("/proc/driver/nvidia/version")
    cost = overhead(warplens, built)  # alone, before others use the machine
    print("overhead:", {k: (v["ns"], v["ratio"]) for k, v in cost.items()}, flush=True)
    programs = sorted({p for p, _, _ in CASES + WITHOUT_PTX + BROKEN})
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        listed = list(pool.map(lambda p: counts(warplens, p, built), programs))
        for row in listed:
            print(row, flush=True)
        rows = list(pool.map(lambda c: one(warplens, built, folder, c), CASES + WITHOUT_PTX + BROKEN))
    pathlib.Path(out).write_text(json.dumps({
        "device": gpu["name"], "cuda": gpu["cuda"],
        "driver": driver.read_text().splitlines()[0] if driver.exists() else "",
        "date": datetime.date.today().isoformat(), "commit": commit,
        "command": "python3 tests/gpu/record_run.py build/bundle/warplens OUT.json COMMIT",
        "overhead": cost, "launched": listed, "kernels": rows,
    }, indent=1) + "\n")
    for row in rows:
        print({k: v for k, v in row.items() if k not in ("grid", "block", "on", "entry")}, flush=True)
    replayed = sum(r["outcome"] == "same" for r in rows)
    found = sum(r["outcome"] == "found" for r in rows)
    print(f"{replayed} of {len(CASES)} kernels replayed with what the GPU left, {found} of {len(BROKEN)} wrong ones found")
    return 0 if (replayed, found) == (len(CASES), len(BROKEN)) else 1


if __name__ == "__main__":
    sys.exit(main())
