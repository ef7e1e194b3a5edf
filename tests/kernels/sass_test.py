#!/usr/bin/env python3
"""Marks cost nothing: the shipped kernels are the same machine code with the probe header and without.

Prints one line a build. --all adds the builds with a fault and the GEMM of tests/kernels, --lineage every other
shipped kernel as its manifest stands: their difference is measured (docs/marks.md has the table), but is no failure.
Exit status 77: no nvcc, ptxas or nvdisasm on this machine.
"""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROBE = ROOT / "instrumentation" / "probe"
ARCHITECTURES = ["sm_90"]  # and sm_80 with --all
ATTENTION = [
    {"D": d, "M": m, "N": n, "CAUSAL": causal} for d, m, n, causal in [(64, 64, 64, 0), (128, 48, 32, 1)]
]
SHIPPED = {ROOT / "kernels" / "v2b.cu": ATTENTION, ROOT / "kernels" / "v2c_3.cu": ATTENTION}
OTHERS = {ROOT / "tests" / "kernels" / "gemm.cu": [{"TILE": 32}]}
SKIPPED = 77


def lineage():
    """Every shipped kernel that SHIPPED does not hold, with the numbers of its manifest."""
    kernels = {}
    for path in sorted((ROOT / "kernels").glob("*.toml")):
        manifest = tomllib.loads(path.read_text())
        if path.with_suffix(".cu") not in SHIPPED:
            kernels[path.with_suffix(".cu")] = [{name: f"({manifest['params'][name]})" for name in manifest["define"]}]
    return kernels


def tool(name):
    folders = [ROOT / ".env/wheels/nvidia/cu13/bin", Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin"]
    return shutil.which(name, path=os.pathsep.join(map(str, folders))) or shutil.which(name)


def nvcc(source, target, kind, arch, defines, marked):
    command = [tool("nvcc"), kind, f"-arch={arch}", "-lineinfo", "-o", str(target), str(source)]
    command += [f"-D{name}={value}" for name, value in defines.items()]
    command += ["-I", str(PROBE)] if marked else []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def instructions(cubin):
    """The kernel's instructions, each with its encoding; addresses and labels are in the operands."""
    text = subprocess.run([tool("nvdisasm"), "-c", "-hex", cubin], capture_output=True, text=True, check=True).stdout
    lines = [line.strip() for line in text.splitlines()]
    found = [re.sub(r"\s+", " ", line) for line in lines if re.match(r"(/\*[0-9a-f]{4,}\*/|/\* 0x[0-9a-f]+ \*/)", line)]
    if not found:
        sys.exit(f"nvdisasm printed no instruction for {cubin}")
    return found


def machine_code(source, arch, defines, marked):
    with tempfile.TemporaryDirectory() as folder:
        nvcc(source, Path(folder, "x.cubin"), "-cubin", arch, defines, marked)
        return instructions(Path(folder, "x.cubin"))


def marks_in_ptx(source, defines, marked):
    with tempfile.TemporaryDirectory() as folder:
        nvcc(source, Path(folder, "x.ptx"), "-ptx", "sm_90", defines, marked)
        return Path(folder, "x.ptx").read_text().count("//@wl ")


def compare(build):
    source, arch, defines = build
    with_marks, without = (machine_code(source, arch, defines, marked) for marked in (True, False))
    difference = list(difflib.unified_diff(without, with_marks, "without", "with marks", n=0, lineterm=""))
    return with_marks, without, difference


def name_of(build):
    source, arch, defines = build
    return f"{source.stem} {arch} " + " ".join(f"{k}={v}" if v != "" else k for k, v in defines.items())


def faults_of(source):
    manifest = tomllib.loads(source.with_suffix(".toml").read_text())
    return [f"WL_FAULT_{name.upper()}" for name in manifest.get("fault", {})]


def check_marks_are_there(failures):
    """Without this a header that is not found would make every comparison hold."""
    for source, shapes in (SHIPPED | OTHERS).items():
        marked, plain = (marks_in_ptx(source, shapes[0], m) for m in (True, False))
        written = len(re.findall(r"^ +WL_[A-Z_]+\(", source.read_text(), re.MULTILINE))
        print(f"{source.stem}: {written} marks in the source, {marked} in its PTX, {plain} without the header")
        if marked < written or plain:
            failures.append(f"{source.stem}: the marks of the source are not those of the PTX")


def check_difference_is_seen(failures):
    """A barrier made a __syncwarp is one instruction's difference; the comparison must see it."""
    source = ROOT / "kernels" / "v2c_3.cu"
    mended, broken = (machine_code(source, "sm_90", ATTENTION[0] | f, True) for f in ({}, {"WL_FAULT_SYNC": ""}))
    if mended == broken:
        failures.append("v2c_3 and its fault sync are the same machine code: the comparison sees nothing")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--all", action="store_true")
    arguments.add_argument("--lineage", action="store_true")
    options = arguments.parse_args()
    everything = options.all
    missing = [name for name in ("nvcc", "ptxas", "nvdisasm") if not tool(name)]
    if missing:
        print(f"skipped: no {', '.join(missing)} in .env/wheels, $CUDA_HOME or PATH (./dev setup installs them)")
        return SKIPPED

    failures = []
    check_marks_are_there(failures)
    check_difference_is_seen(failures)
    chosen = SHIPPED | (OTHERS if everything else {}) | (lineage() if options.lineage else {})
    builds = [
        (source, arch, shape | fault)
        for source, shapes in chosen.items()
        for fault in [{}] + [{name: ""} for name in faults_of(source) if everything]
        for arch in ARCHITECTURES + (["sm_80"] if everything else [])
        for shape in shapes
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for build, (with_marks, without, difference) in zip(builds, pool.map(compare, builds)):
            counts = f"{len(with_marks) // 2} instructions with marks, {len(without) // 2} without"
            print(f"{name_of(build)}: {'identical' if not difference else 'differ'}, {counts}", flush=True)
            shipped = build[0] in SHIPPED and not any(name.startswith("WL_FAULT_") for name in build[2])
            if difference and shipped:
                failures.append(name_of(build) + "\n" + "\n".join(difference[:40]))
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


sys.exit(main())
