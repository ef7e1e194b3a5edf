#!/usr/bin/env python3
"""The probe header prints the PTX lines of docs/marks.md, optimised and with -G, and knows wl::DType's order.

Exit status 77: no nvcc on this machine.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CUDA = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
TYPES_OF_MARKS_CU = "u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64 e4m3 e5m2".split()


def dtypes():
    """The enumerators of wl::DType in their order."""
    header = (ROOT / "instrumentation/base/dtype.h").read_text()
    return re.search(r"enum class DType[^{]*{([^}]*)}", header)[1].replace(" ", "").replace("\n", "").split(",")


def marks(nvcc, options):
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "marks.ptx")
        command = [nvcc, "-ptx", "-arch=compute_80", *options, "-I", str(ROOT / "instrumentation/probe")]
        subprocess.run([*command, str(ROOT / "tests/kernels/marks.cu"), "-o", str(target)], check=True)
        return re.findall(r"^\s*(//@wl .*)$", target.read_text(), re.MULTILINE)


def expected():
    """One pattern a line, in the order of marks.cu; NUMBER is a register or an immediate."""
    index = {name: i for i, name in enumerate(dtypes())}
    number, pointer = r"(%r\d+|\d+)", r"%rd\d+"
    matrix = f"{pointer} {number} {number} {number}"
    lines = [f'tile "typed" {index[t]} {matrix}' for t in TYPES_OF_MARKS_CU]
    return lines + [
        r'stage "50% \\"warm\\""',
        f'tile "shared" {index["f16"]} {matrix}',
        f'warp_tile "half" {index["f16"]} {matrix}',
        f'layout "keys" {index["f16"]} {matrix} 1',
        f'fragment "sums" {index["f32"]} 0 2 %f\\d+',
        f'fragment "sums" {index["f32"]} 1 2 %f\\d+',
        f'fragment "packed" {index["f16"]} 0 1 %r\\d+',
        f'lanes "single" {index["f32"]} %f\\d+',
        f'lanes "double" {index["f64"]} %fd\\d+',
        f'lanes "half" {index["f16"]} %rs\\d+',
        f'lanes "lane" {index["u32"]} %r\\d+',
    ]


def main():
    folders = os.pathsep.join([str(ROOT / ".env/wheels/nvidia/cu13/bin"), str(CUDA / "bin")])
    nvcc = shutil.which("nvcc", path=folders) or shutil.which("nvcc")
    if not nvcc:
        print("skipped: no nvcc in .env/wheels, $CUDA_HOME or PATH (./dev setup installs it)")
        return 77
    failed = False
    for options in (["-lineinfo"], ["-G"]):
        got, patterns = marks(nvcc, options), expected()
        if options == ["-G"]:  # functions are not inlined: the typed tiles stand in their own .func
            got, patterns = sorted(got), sorted(patterns)
        wrong = [(p, g) for p, g in zip(patterns, got) if not re.fullmatch("//@wl " + p, g)]
        for pattern, line in wrong:
            print(f"FAILED {options[0]}: {line} is not {pattern}")
        if len(got) != len(patterns):
            print(f"FAILED {options[0]}: {len(got)} marks instead of {len(patterns)}")
        failed |= bool(wrong) or len(got) != len(patterns)
        print(f"{options[0]}: {len(got)} marks read")
    return 1 if failed else 0


sys.exit(main())
