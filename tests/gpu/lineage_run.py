#!/usr/bin/env python3
"""Runs every shipped kernel and fault on a GPU from the PTX that WarpLens compiled, and compares.

    build/release/tests/lineage_bundle build/lineage                       (where WarpLens is built)
    python3 tests/gpu/lineage_run.py build/lineage lineage-h200.json       (on the GPU machine)

Outputs are compared with FP64 by NumPy, element for element, and with the emulator's in the blocks that it ran. Inputs
are made again here and checked by their hash. Each case has a process of its own, as an illegal access ends a context.
Needs the CUDA driver and NumPy. Exit status 1 when a kernel without fault is wrong, or a fault shows another symptom
than it should (SYMPTOMS).
"""
import contextlib
import datetime
import fcntl
import hashlib
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))

SECONDS_A_CASE = 120
JOBS = 8
TIMED, WARM = 20, 3  # launches
DTYPES = {"f16": np.float16, "f32": np.float32}
SEED = 0


# ---- inputs and reference, once for all kernels


def mixed(x):
    """SplitMix64's finaliser (Steele, Lea, Flood 2014) on uint64 arrays, as manifest/fill.cpp has it."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def unit(start, counters):
    bits = mixed(start + (counters + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53


def normal(name, count):
    """The fill "normal" of an argument, in FP16. Where NumPy's logarithm is not libm's, the hash tells."""
    start = 0xCBF29CE484222325
    for byte in name.encode():
        start = (start ^ byte) * 0x100000001B3 % 2**64
    with np.errstate(over="ignore"):
        start = mixed(np.uint64(start) ^ mixed(np.array([SEED], np.uint64)))
        even = np.arange(0, count, 2, dtype=np.uint64)
        radius = np.sqrt(-2 * np.log(1 - unit(start, even)))
        angle = 2 * np.pi * unit(start, even + np.uint64(1))
    out = np.empty(count, np.float16)
    out[0::2], out[1::2] = radius * np.cos(angle), radius * np.sin(angle)
    return out


def attention(q, k, v, causal):
    """FP64, a head at a time."""
    out = np.empty(q.shape)
    for head in np.ndindex(q.shape[:2]):
        scores = q[head].astype(float) @ k[head].astype(float).T / math.sqrt(q.shape[3])
        if causal:
            scores[np.triu_indices(len(scores), 1)] = -np.inf
        scores = np.exp(scores - scores.max(1, keepdims=True))
        out[head] = scores @ v[head].astype(float) / scores.sum(1, keepdims=True)
    return out


def first_scores(q, k, keys):
    return q.astype(float) @ k[:, :, :keys].astype(float).swapaxes(2, 3) / math.sqrt(q.shape[3])


def limit_of(argument, case, inputs):
    """Per element: the manifest's own tolerance and one rounding, or what summing D products in FP32 allows."""
    if "tolerance" in argument:
        return argument["tolerance"] + 2.0**-11 * np.abs(reference_of(argument, case, inputs))
    q, k = (np.abs(inputs[name].astype(float)) for name in "QK")
    return (q.shape[3] + 2) * 2.0**-24 * first_scores(q, k, argument["shape"][3])


def reference_of(argument, case, inputs):
    if argument["of"] == "O":
        return attention(inputs["Q"], inputs["K"], inputs["V"], case["params"]["CAUSAL"])
    assert argument["of"] == "scores", argument
    return first_scores(inputs["Q"], inputs["K"], argument["shape"][3])


def key_of(case, argument, what):
    shape = "-".join(f"{case['params'][n]:g}" for n in ("B", "H", "S", "D", "CAUSAL"))
    return f"{what}-{argument['of']}-{argument['shape'][-1]}-{shape}.npy"


def inputs_of(case):
    """Throws when they are not those of the emulator, bit for bit."""
    out = {}
    for a in case["arguments"]:
        if not a["array"] or a["output"]:
            continue
        data = normal(a["name"], math.prod(a["shape"])).reshape(a["shape"])
        if hashlib.sha256(data.tobytes()).hexdigest() != a["sha256"]:
            raise RuntimeError(f"{case['kernel']} {case['preset']}: input {a['name']} is not the emulator's")
        out[a["name"]] = data
    return out


def prepare(cases, scratch):
    """Inputs and references as files, each once."""
    for case in cases:
        outputs = [a for a in case["arguments"] if a["output"]]
        if all((scratch / key_of(case, a, "reference")).exists() for a in outputs):
            continue
        inputs = inputs_of(case)
        for a in outputs:
            np.save(scratch / key_of(case, a, "reference"), reference_of(a, case, inputs))
            np.save(scratch / key_of(case, a, "limit"), limit_of(a, case, inputs))


# ---- one case, in a process of its own


def part(pool, place):
    size, offset = place["bytes"], place["offset"]
    return bytes(size) if offset < 0 else pool[offset : offset + size]


def compare(got, want, limit):
    finite = np.isfinite(got)
    difference = np.abs(got[finite] - want[finite])
    return {
        "max_abs_diff": float(difference.max(initial=0)),
        "nan": int(np.isnan(got).sum()),
        "elements": got.size,
        "beyond_limit": int((~finite).sum() + (difference > limit[finite]).sum()),
        "out_range": [float(got[finite].min(initial=np.inf)), float(got[finite].max(initial=-np.inf))],
    }


def compare_emulated(got, emulated):
    """Where the emulator wrote: elements, those of other bits, and the largest difference of finite ones."""
    bits = np.uint16 if got.dtype == np.float16 else np.uint32
    theirs = np.frombuffer(emulated, got.dtype).reshape(got.shape)
    ran = theirs.view(bits) != np.iinfo(bits).max
    a, b = got[ran], theirs[ran]
    both_nan = np.isnan(a) & np.isnan(b)
    finite = np.isfinite(a) & np.isfinite(b)
    return {
        "compared": int(ran.sum()),
        "other_bits": int(((a.view(bits) != b.view(bits)) & ~both_nan).sum()),
        "max_abs_diff": float(np.abs(a[finite].astype(float) - b[finite].astype(float)).max(initial=0)),
        "finite_in_one_only": int((np.isfinite(a) != np.isfinite(b)).sum()),
    }


class Launch:
    def __init__(self, device, case, pool, inputs):
        import ctypes

        self.device, self.case, self.ctypes = device, case, ctypes
        module = device.load(part(pool, case["ptx"]) + b"\0")
        self.function = device.function(module, case["entry"])
        if case["shared"] > 48 << 10:  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            device._check("cuFuncSetAttribute", self.function, 8, case["shared"])
        self.parameters, self.outputs, at = [], [], device.arena
        for a in case["arguments"]:
            if not a["array"]:
                self.parameters.append(bytes(a["value"]))
                continue
            self.parameters.append(at.to_bytes(8, "little"))
            size = math.prod(a["shape"]) * np.dtype(DTYPES[a["dtype"]]).itemsize
            if a["output"]:
                self.outputs.append((a, at, size))
            else:
                device.put(at, inputs[a["name"]].tobytes())
            at += (size + 255) // 256 * 256 + 256

    def attribute(self, number):
        value = self.ctypes.c_int()
        self.device._check("cuFuncGetAttribute", self.ctypes.byref(value), number, self.function)
        return value.value

    def run(self):
        """Outputs by name, which begin as 0xff in every byte."""
        for _, at, size in self.outputs:
            self.device.put(at, b"\xff" * size)
        self.device.start(self.function, self.case, self.parameters)
        return {
            a["name"]: np.frombuffer(self.device.get(at, size), DTYPES[a["dtype"]]).reshape(a["shape"])
            for a, at, size in self.outputs
        }

    def microseconds(self):
        """Of single launches, each between two events; the median of TIMED after WARM."""
        ctypes, check = self.ctypes, self.device._check
        events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in events:
            check("cuEventCreate", ctypes.byref(event), 0)
        kept = [ctypes.create_string_buffer(p, len(p)) for p in self.parameters]
        pointers = (ctypes.c_void_p * len(kept))(*[ctypes.addressof(p) for p in kept])
        where = [self.function, *self.case["grid"], *self.case["block"], self.case["shared"], None, pointers, None]
        times = []
        for _ in range(WARM + TIMED):
            check("cuEventRecord", events[0], None)
            check("cuLaunchKernel", *where)
            check("cuEventRecord", events[1], None)
            check("cuEventSynchronize", events[1])
            passed = ctypes.c_float()
            check("cuEventElapsedTime", ctypes.byref(passed), *events)
            times.append(passed.value * 1000)
        return sorted(times[WARM:])[TIMED // 2]


def run_case(bundle, scratch, index):
    from cuda_driver import Device

    case = json.loads((bundle / "lineage.json").read_text())["cases"][index]
    pool = zlib.decompress((bundle / "data.z").read_bytes())
    launch = Launch(Device(512 << 20), case, pool, inputs_of(case))
    with gpu(scratch, fcntl.LOCK_SH):
        result = outputs_of(launch, case, scratch, pool)
    with gpu(scratch, fcntl.LOCK_EX):
        result["microseconds"] = launch.microseconds()
    print(json.dumps(result))


@contextlib.contextmanager
def gpu(scratch, how):
    """Cases run side by side, but each is timed alone."""
    with open(scratch / "gpu.lock", "w") as file:
        fcntl.flock(file, how)
        yield


def outputs_of(launch, case, scratch, pool):
    result = {"registers": launch.attribute(4), "local_bytes": launch.attribute(3)}
    result["shared_bytes"] = case["shared"] + launch.attribute(1)  # static: CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
    first = launch.run()
    for a, _, _ in launch.outputs:
        want, limit = (np.load(scratch / key_of(case, a, what)) for what in ("reference", "limit"))
        result |= compare(first[a["name"]].astype(float), want, limit)
        result["reference_range"] = [float(want.min()), float(want.max())]
        if "emulated" in case:
            result["emulator"] = compare_emulated(first[a["name"]], part(pool, case["emulated"][a["name"]]))
    again = [launch.run() for _ in range(4)]
    result["runs_unlike_the_first"] = sum(any(r[n].tobytes() != first[n].tobytes() for n in first) for r in again)
    return result


# ---- all cases


def as_emulated(result):
    """The same outputs in every run, and those of the emulator but for the order of sums in FP32 and one rounding."""
    close = max(result["emulator"]["max_abs_diff"], 0) <= 2e-3 and not result["emulator"]["finite_in_one_only"]
    return close and result["runs_unlike_the_first"] == 0


def wrong_as_emulated(result, case):
    return result["beyond_limit"] > 0 and result["nan"] == 0 and as_emulated(result)


def wrong_or_varying(result, case):
    return result["beyond_limit"] > 0 or result["runs_unlike_the_first"] > 0


def wrong_in_buffer(result, case):
    """With fewer keys than dimensions the reads leave the buffer, for what nobody wrote: then wrong is enough."""
    inside = case["params"]["D"] <= case["params"]["N"]
    return wrong_as_emulated(result, case) if inside else wrong_or_varying(result, case)


def rows_of_nan(result, case):
    """Those of one warp of eight, in every block, and nothing else is wrong."""
    rows = case["params"]["M"] / 8
    blocks = math.ceil(case["params"]["S"] / case["params"]["M"]) * case["params"]["B"] * case["params"]["H"]
    expected = rows * blocks * case["params"]["D"]
    last = case["params"]["S"] % case["params"]["M"]  # of a last block that is not full, the warp's rows may be missing
    missing = rows * case["params"]["B"] * case["params"]["H"] * case["params"]["D"] if last else 0
    return result["nan"] == result["beyond_limit"] and expected - missing <= result["nan"] <= expected


def ratio_of(factor):
    def holds(result, case):
        ratios = [a / b for a, b in zip(result["out_range"], result["reference_range"])]
        return wrong_as_emulated(result, case) and all(abs(r * factor - 1) < 0.02 for r in ratios)

    return holds


# What a user of a GPU sees, of each fault. A launch that ends with an error has `error` alone.
SYMPTOMS = {
    "v2+race": ("wrong, or other in another run", wrong_or_varying),
    "v2b+warp7": ("NaN in one warp's rows, the rest right", rows_of_nan),
    "v2b+smem": ("refused, or right where a block may have 170 KB", lambda r, c: r["beyond_limit"] == 0),
    "v2c_1+fragment": ("an illegal access, or wrong", wrong_or_varying),
    "v2c_2+qk": ("wrong as in the emulator", wrong_in_buffer),
    "v2c_3+sync": ("wrong, or other in another run, or right by luck", lambda r, c: True),
    "v2c_3+scale": ("wrong as in the emulator", wrong_as_emulated),
    "v2c_3+32x": ("the reference / 32", ratio_of(32)),
    "v2c_4+ld": ("wrong, or other in another run", wrong_or_varying),
    "v2c_4+stripe": ("wrong, or other in another run", wrong_or_varying),
    "flashcore_1+qk": ("wrong as in the emulator", wrong_as_emulated),
    "flashcore_2+col_major": ("wrong as in the emulator", wrong_as_emulated),
    "flashcore_2+row_major": ("wrong as in the emulator", wrong_in_buffer),
}
MAY_END = ("v2b+smem", "v2c_1+fragment")  # with an error


def name_of(case):
    return case["kernel"] + ("+" + case["fault"] if case["fault"] else "")


def judge(case, result):
    if "error" in result:
        return name_of(case) in MAY_END
    if not case["fault"]:
        return result["beyond_limit"] == 0
    result["expected"], holds = SYMPTOMS[name_of(case)]
    return bool(holds(result, case))


def ask(bundle, scratch, index):
    command = [sys.executable, __file__, str(bundle), str(scratch), "--case", str(index)]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_A_CASE)
    except subprocess.TimeoutExpired:
        return {"error": f"no end within {SECONDS_A_CASE} s"}
    if said.returncode == 0:
        return json.loads(said.stdout.splitlines()[-1])
    lines = said.stderr.strip().splitlines()
    return {"error": lines[-1] if lines else f"status {said.returncode}"}


def line_of(case, result):
    head = f"{'ok  ' if result['pass'] else 'FAIL'} {name_of(case):22} {case['preset']:15}"
    if "error" in result:
        return f"{head} {result['error']}"
    e = result.get("emulator")
    emulator = f"{e['other_bits']} of {e['compared']} other bits, max {e['max_abs_diff']:.1e}" if e else "not sent"
    return (
        f"{head} max diff {result['max_abs_diff']:.2e}  NaN {result['nan']:6}  {result['registers']:3} registers "
        f"{result['shared_bytes'] / 1024:5.1f} KB {result['microseconds']:8.1f} us  emulator: {emulator}; "
        f"{result['runs_unlike_the_first']} of 4 runs differ"
    )


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().splitlines()[-1]
    except (OSError, subprocess.CalledProcessError, IndexError) as error:
        return f"unknown: {error}"


def main(bundle, out):
    index = json.loads((bundle / "lineage.json").read_text())
    results = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        prepare(index["cases"], scratch)
        with ThreadPoolExecutor(JOBS) as pool:
            asked = pool.map(lambda i: ask(bundle, scratch, i), range(len(index["cases"])))
            for case, result in zip(index["cases"], asked):
                result["pass"] = judge(case, result)
                print(line_of(case, result), flush=True)
                results.append({key: case[key] for key in ("kernel", "fault", "preset", "params")} | result)
    record = {
        "device": first_line("nvidia-smi", "--query-gpu=name", "--format=csv,noheader"),
        "driver": first_line("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"),
        "bundle": hashlib.sha256((bundle / "lineage.json").read_bytes()).hexdigest()[:16],
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": "python3 " + " ".join(sys.argv),
        "cases": results,
        "left_out": index["left_out"],
    }
    out.write_text(json.dumps(record, indent=1) + "\n")
    failed = [r for r in results if not r["pass"]]
    print(f"{record['device']}: {len(results) - len(failed)} of {len(results)} as expected")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[3] == "--case":
        run_case(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[4]))
    elif len(sys.argv) == 3:
        sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
    else:
        sys.exit(__doc__)
