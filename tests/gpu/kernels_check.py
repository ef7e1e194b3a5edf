#!/usr/bin/env python3
"""Runs the shipped kernels, their faults and the test GEMM on the machine's GPU against FP64.

    python3 tests/gpu/kernels_check.py --json kernels.json
    compute-sanitizer --tool racecheck python3 tests/gpu/kernels_check.py --only "v2c_3 ragged"

Needs nvcc, the CUDA driver and PyTorch. Exit status 1 when a kernel without fault is wrong or a fault shows
another symptom than its manifest's.
"""
import argparse
import ctypes
import datetime
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT = 1e-3  # the lineage's acceptance limit for max |out - reference|
SHAPES = {  # (B, H, S, D, causal)
    "mission": (1, 8, 512, 64, 0),
    "mission_causal": (1, 8, 512, 64, 1),
    "long": (2, 8, 2048, 64, 0),
    "long_causal": (2, 8, 2048, 64, 1),
    "long_128": (2, 8, 2048, 128, 0),
    "ragged": (1, 1, 96, 64, 0),
    "ragged_causal": (1, 1, 96, 64, 1),
    "small": (1, 2, 128, 64, 0),
    "small_causal": (1, 2, 128, 64, 1),
    "small_128": (1, 2, 128, 128, 0),
    "small_128_causal": (1, 2, 128, 128, 1),
}
driver = ctypes.CDLL("libcuda.so.1")


def call(function, *arguments):
    status = getattr(driver, function)(*arguments)
    if status:
        text = ctypes.c_char_p()
        driver.cuGetErrorString(status, ctypes.byref(text))
        sys.exit(f"{function}: {text.value.decode() if text.value else status}")


def architecture():
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}"


class Kernel:
    """One entry of one build, ready to be launched."""

    def __init__(self, source, entry, defines, shared, marked=True):
        with tempfile.TemporaryDirectory() as folder:
            command = ["nvcc", "-cubin", f"-arch={architecture()}", "-lineinfo", "-o", f"{folder}/x.cubin", str(source)]
            command += [f"-D{name}={value}" for name, value in defines.items()]
            command += ["-I", str(ROOT / "instrumentation/probe")] if marked else []
            subprocess.run(command, check=True)
            cubin = Path(folder, "x.cubin").read_bytes()
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuModuleLoadData", ctypes.byref(module), cubin)
        call("cuModuleGetFunction", ctypes.byref(self.function), module, entry.encode())
        self.shared = shared
        max_dynamic_shared = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        call("cuFuncSetAttribute", self.function, max_dynamic_shared, shared)

    def attribute(self, number):
        value = ctypes.c_int()
        call("cuFuncGetAttribute", ctypes.byref(value), number, self.function)
        return value.value

    @property
    def registers(self):
        return self.attribute(4)  # CU_FUNC_ATTRIBUTE_NUM_REGS

    def launch(self, grid, block, arguments):
        """Tensors by address, ints by value as 32 bits."""
        values = [
            ctypes.c_void_p(a.data_ptr()) if isinstance(a, torch.Tensor) else ctypes.c_int(a) for a in arguments
        ]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values])
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        call("cuLaunchKernel", self.function, *grid, *block, self.shared, stream, pointers, None)


def tiles(d):
    return (64, 64) if d == 64 else (48, 32)  # M, N


def attention_kernel(name, d, causal, fault="", marked=True):
    m, n = tiles(d)
    defines = {"D": d, "M": m, "N": n, "CAUSAL": causal} | ({f"WL_FAULT_{fault.upper()}": 1} if fault else {})
    shared = 2 * (m + 4 * n) * (d + 8) + 4 * m * n + 4 * m * (d + 8) + 12 * m
    return Kernel(ROOT / f"kernels/{name}.cu", name, defines, shared, marked)


def attention_inputs(shape):
    b, h, s, d, _ = shape
    generator = torch.Generator(device="cuda").manual_seed(0)
    return [torch.randn(b, h, s, d, generator=generator, device="cuda").half() for _ in range(3)]


def attention_reference(q, k, v, causal):
    """FP64, one head at a time."""
    out = torch.empty(q.shape, dtype=torch.float64, device="cuda")
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            scores = q[b, h].double() @ k[b, h].double().T / math.sqrt(q.shape[3])
            if causal:
                scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
            out[b, h] = scores.softmax(-1) @ v[b, h].double()
    return out


def run_attention(kernel, shape, inputs):
    b, h, s, d, _ = shape
    out = torch.full((b, h, s, d), math.nan, dtype=torch.float16, device="cuda")
    grid = (math.ceil(s / tiles(d)[0]), h, b)
    arguments = (*inputs, out, s)
    kernel.launch(grid, (256, 1, 1), arguments)
    torch.cuda.synchronize()
    return out, lambda: kernel.launch(grid, (256, 1, 1), arguments)


def microseconds(launch, repeats=20):
    """Median over single launches, each between two events."""
    times = []
    for _ in range(repeats):
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        launch()
        stop.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(stop) * 1000)
    return sorted(times)[repeats // 2]


def measure(out, reference):
    finite = out.isfinite()
    got, want = out.double()[finite], reference[finite]
    return {
        "max_abs_diff": (got - want).abs().max().item(),
        "nan": int(out.isnan().sum()),
        "elements": out.numel(),
        "out_range": [got.min().item(), got.max().item()],
        "reference_range": [reference.min().item(), reference.max().item()],
        "ratio": (got @ want / (want @ want)).item(),  # least squares: out = ratio * reference
    }


def check_attention(name, shape_name):
    shape = SHAPES[shape_name]
    inputs = attention_inputs(shape)
    kernel = attention_kernel(name, shape[3], shape[4])
    out, again = run_attention(kernel, shape, inputs)
    plain, _ = run_attention(attention_kernel(name, shape[3], shape[4], marked=False), shape, inputs)
    result = measure(out, attention_reference(*inputs, shape[4]))
    result |= {
        "same_without_marks": torch.equal(out, plain),
        "registers": kernel.registers,
        "shared_bytes": kernel.shared,
        "microseconds": microseconds(again),
    }
    good = result["nan"] == 0 and result["max_abs_diff"] <= LIMIT and result["same_without_marks"]
    return {"kernel": name, "fault": "", "case": shape_name, "shape": shape, "pass": good} | result


def check_fault(name, fault):
    shape = SHAPES["mission"]
    inputs = attention_inputs(shape)
    kernel = attention_kernel(name, shape[3], shape[4], fault)
    reference = attention_reference(*inputs, shape[4])
    outs = [run_attention(kernel, shape, inputs)[0] for _ in range(5)]
    result = measure(outs[0], reference)
    b, h, s, d, _ = shape
    # fp16 rounds each element within 2^-11 of it, so the fitted ratio is within 2^-11 of 1/32.
    symptom = {
        "warp7": result["nan"] == b * h * s * d // 8 and result["max_abs_diff"] <= LIMIT,
        "scale": result["nan"] == 0 and result["max_abs_diff"] > LIMIT,
        "32x": result["nan"] == 0 and abs(32 * result["ratio"] - 1) <= 2**-11,
        "sync": True,  # a race: it may also come out right
    }[fault]
    worst = [measure(o, reference)["max_abs_diff"] for o in outs]
    different = sum(not torch.equal(o.nan_to_num(), outs[0].nan_to_num()) for o in outs)
    result |= {"max_abs_diff_by_run": worst, "runs_unlike_the_first": different}
    return {"kernel": name, "fault": fault, "case": "mission", "shape": shape, "pass": bool(symptom)} | result


def check_gemm(name, fault):
    m, n, k, tile = 75, 50, 70, 32
    a, b = torch.randn(m, k, device="cuda").half(), torch.randn(k, n, device="cuda").half()
    out = torch.full((m, n), math.nan, device="cuda")
    defines = {"TILE": tile} | ({f"WL_FAULT_{fault.upper()}": 1} if fault else {})
    kernel = Kernel(ROOT / f"tests/kernels/{name}.cu", name, defines, 0)
    kernel.launch((math.ceil(n / tile), math.ceil(m / tile), 1), (tile, 8, 1), (a, b, out, m, n, k))
    torch.cuda.synchronize()
    reference, scale = a.double() @ b.double(), a.double().abs() @ b.double().abs()
    # k products and their additions, each rounded to fp32: Higham 2002, section 3.1.
    inside = bool(((out.double() - reference).abs() <= k * 2**-24 * scale).all())
    good = True if fault == "sync" else inside == (not fault)
    result = measure(out, reference)
    return {"kernel": name, "fault": fault, "case": "ragged", "shape": (m, n, k), "pass": good} | result


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()[-1]
    except (OSError, subprocess.CalledProcessError, IndexError) as error:
        return f"unknown: {error}"


def print_case(c):
    low, high = c["out_range"]
    line = f"{'ok  ' if c['pass'] else 'FAIL'} {c['kernel']:6} {c['fault'] or '-':7} {c['case']:17}"
    line += f" max diff {c['max_abs_diff']:.2e}  NaN {c['nan']:6}  out [{low:.4f}, {high:.4f}]"
    line += " reference [{:.4f}, {:.4f}]".format(*c["reference_range"])
    if "microseconds" in c:
        line += f"  {c['registers']} registers  {c['shared_bytes'] / 1024:.1f} KB  {c['microseconds']:.0f} us"
    if "runs_unlike_the_first" in c:
        line += f"  ratio {c['ratio']:.6f}  {c['runs_unlike_the_first']} of 4 further runs differ"
    print(line, flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--json", help="write the record here")
    arguments.add_argument("--only", default="", help='jobs whose words all occur, as in --only "v2c_3 sync"')
    options = arguments.parse_args()
    if not torch.cuda.is_available():
        sys.exit("kernels_check: no CUDA device; this check needs one")
    torch.cuda.init()
    torch.manual_seed(0)
    torch.empty(1, device="cuda")  # makes the context current
    jobs = [(check_attention, (k, s)) for k in ("v2b", "v2c_3") for s in SHAPES]
    jobs += [(check_fault, kf) for kf in (("v2b", "warp7"), ("v2c_3", "sync"), ("v2c_3", "scale"), ("v2c_3", "32x"))]
    jobs += [(check_gemm, ("gemm", f)) for f in ("", "stride", "last", "sync")]
    cases = []
    for check, values in jobs:
        if not set(options.only.split()) <= set(values):
            continue
        cases.append(check(*values))
        print_case(cases[-1])
    record = {
        "device": torch.cuda.get_device_name(),
        "driver": first_line("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"),
        "nvcc": first_line("nvcc", "--version"),
        "torch": torch.__version__,
        "commit": first_line("git", "-C", str(ROOT), "rev-parse", "HEAD"),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": "python3 " + " ".join(sys.argv),
        "cases": cases,
    }
    if options.json:
        Path(options.json).write_text(json.dumps(record, indent=1) + "\n")
    failed = [c for c in cases if not c["pass"]]
    print(f"{record['device']}, driver {record['driver']}: {len(cases) - len(failed)} of {len(cases)} as expected")
    return 1 if failed else 0


sys.exit(main())
