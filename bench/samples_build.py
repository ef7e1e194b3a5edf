#!/usr/bin/env python3
"""Builds NVIDIA's cuda-samples (release 13) for bench/programs_run.py: how the table of docs/measured/programs.md was made.

    bench/samples_build.py CUDA_SAMPLES OUT      then: bench/programs_run.py OUT --arguments OUT/arguments.json

Left out: graphics, libraries (but NVRTC and the driver), MPI, dynamic parallelism. Nothing of the sources is changed; a
sample is built where its data lies, in OUT/NAME. The exit status is that all could be built."""

import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

LEFT_OUT = {"OpenGL", "GLUT", "EGL", "Vulkan", "MPI", "X11", "cublas", "cufft", "curand", "cusolver", "cusparse", "nvjpeg",
            "FreeImage"}
TARGET = ["-gencode", "arch=compute_80,code=compute_80"]
# Sizes by the samples' own arguments, where a full run takes over a minute.
SMALL = ["-wA=128", "-hA=128", "-wB=128", "-hB=128"]
ARGUMENTS = {
    "matrixMul": [SMALL], "matrixMul_nvrtc": [SMALL], "globalToShmemAsyncCopy": [SMALL],
    "transpose": [["-dimX=128", "-dimY=128"]], "reduction": [["--n=65536"]], "threadFenceReduction": [["--n=65536"]],
    "eigenvalues": [["--matrix-size=256", "--iters-timing=1"]], "radixSortThrust": [["-n=65536", "-iterations=1"]],
    "p2pBandwidthLatencyTest": [["--numElems=100000"]], "simpleHyperQ": [["--nstreams=4"]]}


def is_wanted(sample, cmake):
    libraries = {a or b for a, b in re.findall(r"CUDA::(\w+)|find_package\((\w+)", cmake)}
    graphics = "4_CUDA" in str(sample) or sample.name.startswith("simpleD3D")
    return not libraries & LEFT_OUT and not graphics and not sample.name.startswith("cdp")


def copy_data(sample, out):
    out.mkdir(parents=True, exist_ok=True)
    for path in sample.iterdir():
        if path.is_file():
            shutil.copy(path, out / path.name)
        elif path.name == "data":
            shutil.copytree(path, out / "data", dirs_exist_ok=True)


def build_modules(sample, cmake, out, include):
    """Kernels that the sample loads from a file: under each of the names that samples look for."""
    for source in re.findall(r'"?\$\{CMAKE_CURRENT_SOURCE_DIR\}/(\w+\.cu)"?', cmake):
        for suffix, form in (("64.fatbin", ["-fatbin", *TARGET]), ("64.ptx", ["-ptx", "-arch=compute_80"]),
                             (".ptx", ["-ptx", "-arch=compute_80"])):
            subprocess.run(["nvcc", *form, "-lineinfo", "-std=c++17", include, "-o", out / (source[:-3] + suffix),
                            sample / source], capture_output=True, check=False)


def copy_headers(cmake, out):
    """CUDA's own, for the samples that hand them to NVRTC from where they run."""
    include = Path(shutil.which("nvcc")).resolve().parents[1] / "include"
    if "cooperative_groups.h" in cmake:
        shutil.copy(include / "cooperative_groups.h", out)
    for folder in ("cooperative_groups", "nv", "cuda"):
        source = next((p for p in (include / folder, include / "cccl" / folder) if p.is_dir()), None)
        if f"/{folder} " in cmake and source:
            shutil.copytree(source, out / folder, dirs_exist_ok=True)


def build(sample, cmake, out, common):
    copy_data(sample, out)
    copy_headers(cmake, out)
    include = f"-I{common}"
    build_modules(sample, cmake, out, include)
    sources = re.findall(r"add_executable\(\S+\s+([^)]*)\)", cmake)[0].split()
    command = ["nvcc", "-cudart", "shared", *TARGET, "-lineinfo", "-std=c++17", "--extended-lambda", "-O2", "-w", include,
               f"-I{sample}", f"-I{sample}/inc", "-o", str(out / sample.name), *[str(sample / s) for s in sources]]
    if "OpenMP" in cmake:
        command += ["-Xcompiler", "-fopenmp"]
    if "CUDA::nvrtc" in cmake:
        command += ["-lnvrtc"]
    if "CUDA::cuda_driver" in cmake:
        command += ["-L/usr/local/cuda/lib64/stubs", "-lcuda"]
    command += ["-ldl", "-lrt", "-lpthread"]
    for more in ([], ["-rdc=true"]):  # some link device code of several files
        done = subprocess.run(command + more, cwd=out, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return ""
    return (done.stderr + done.stdout)[-800:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("samples", type=Path, metavar="CUDA_SAMPLES")
    parser.add_argument("out", type=Path)
    options = parser.parse_args()
    root, failed = options.samples.resolve(), 0
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "arguments.json").write_text(json.dumps(ARGUMENTS, indent=1) + "\n")
    for path in sorted(root.glob("Samples/[0-6]*/*/CMakeLists.txt")):
        sample, cmake = path.parent, path.read_text()
        if not is_wanted(sample, cmake):
            continue
        said = build(sample, cmake, options.out.resolve() / sample.name, root / "Common")
        failed += bool(said)
        print(f"{sample.name}: {said or 'built'}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
