"""Runs compute-sanitizer's four tools over the kernels of tests/kernels/hazards and stores what each reports.

usage: hazards_sanitizer.py OUT.json [--commit HASH]
       hazards_sanitizer.py --launch KERNEL.toml KERNEL.cubin     (one launch; what the tools watch)

Each kernel runs without a fault and with each of its faults, compiled by nvcc -lineinfo for this GPU. Every argument
is an allocation of its own, so that memcheck sees the ends of each; outputs without a fill are left uninitialised.
"""
import argparse
import concurrent.futures
import ctypes
import datetime
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parent / "kernels" / "hazards"
sys.path.insert(0, str(HERE))
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SECONDS = 20  # a run that takes longer hangs: kernels end in microseconds
FORMATS = {"f32": "f", "s32": "i", "u32": "I", "u8": "B"}


def number(expression, params):
    if not isinstance(expression, str):
        return expression
    return eval(expression.replace("/", "//"), {"ceil_div": lambda a, b: -(-a // b), **params})


def initial(arg, count):
    """The bytes that an array starts with; None: nobody writes it before the kernel."""
    fill = arg.get("fill")
    if fill is None:
        return None
    values = {"zeros": lambda k: 0, "ones": lambda k: 1, "coordinates": lambda k: k, "normal": lambda k: (k * 37 % 19 - 9) / 8}
    return struct.pack(f"<{count}{FORMATS[arg['dtype']]}", *(values[fill](k) for k in range(count)))


def launch(manifest, cubin):
    from cuda_driver import Device

    device = Device(1 << 20)
    params = dict(manifest.get("params", {}))
    words, kept = [], []
    for arg in manifest["args"]:
        if "shape" not in arg:
            words.append(struct.pack("<" + FORMATS[arg["dtype"]], number(arg["value"], params)))
            continue
        count = 1
        for extent in arg["shape"]:
            count *= number(extent, params)
        data, address = initial(arg, count), ctypes.c_uint64()
        device._check("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(4 * count))
        if data:
            device.put(address.value, data)
        words.append(struct.pack("<Q", address.value))
    buffers = [ctypes.create_string_buffer(w, len(w)) for w in words]
    pointers = (ctypes.c_void_p * len(buffers))(*[ctypes.addressof(b) for b in buffers])
    three = lambda extents: [number(e, params) for e in extents] + [1] * (3 - len(extents))
    function = device.function(device.load(cubin.read_bytes()), manifest["entry"])
    grid, block = three(manifest["launch"]["grid"]), three(manifest["launch"]["block"])
    device._check("cuLaunchKernel", function, *grid, *block, 0, None, pointers, None)
    device._check("cuCtxSynchronize")
    kept.append(buffers)


def read_manifest(path):
    manifest = tomllib.loads(path.read_text())
    manifest.setdefault("entry", path.stem)
    return manifest


def run(command):
    begin = time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        return done.stdout + done.stderr, done.returncode, time.time() - begin
    except subprocess.TimeoutExpired as error:
        text = error.stdout or b""
        return text.decode(errors="replace") if isinstance(text, bytes) else text, "no end", time.time() - begin


def reports(text):
    """The first line of each different report, with the source lines that it names."""
    found = {}
    blocks = re.split(r"^=========\s*$", text, flags=re.M)
    for block in blocks:
        lines = [line.removeprefix("=========").strip() for line in block.splitlines() if line.startswith("=========")]
        if not lines or "SUMMARY" in lines[0] or lines[0].startswith(("COMPUTE-SANITIZER", "Host", "Target")):
            continue
        places = sorted(set(re.findall(r"(\w+\.cu):(\d+)", block)))
        key = re.sub(r"0x[0-9a-f]+|\(\d+,\d+,\d+\)|\d+ hazards?", "", lines[0])[:160]
        entry = found.setdefault((key, tuple(places)), {"report": lines[0][:200], "lines": [f"{f}:{n}" for f, n in places], "count": 0})
        entry["count"] += 1
    return list(found.values())[:6]


def marked_lines(source, fault):
    """Where the fault is, by the comments "first: FAULT", "second: FAULT", "here: FAULT"."""
    mark = re.compile(rf"//.*\b(first|second|here): {fault}\b")
    return [number for number, line in enumerate(source.read_text().splitlines(), 1) if mark.search(line)]


def examine(case):
    toml, fault, cubin = case
    command = [sys.executable, __file__, "--launch", str(toml), str(cubin)]
    text, status, seconds = run(command)
    lines = marked_lines(toml.with_suffix(".cu"), fault) if fault else []
    result = {"kernel": toml.stem, "fault": fault, "marked": lines, "plain": {"status": status, "seconds": round(seconds, 2)}}
    for tool in TOOLS:
        text, status, seconds = run(["compute-sanitizer", "--tool", tool, "--print-limit", "20", *command])
        errors = sum(int(n) for n in re.findall(r"ERROR SUMMARY: (\d+) error", text))
        hazards = sum(int(n) for n in re.findall(r"RACECHECK SUMMARY: (\d+) hazard", text))
        result[tool] = {"status": status, "found": errors + hazards, "seconds": round(seconds, 2), "reports": reports(text) if errors + hazards else []}
    return result


def main():
    if sys.argv[1] == "--launch":
        return launch(read_manifest(pathlib.Path(sys.argv[2])), pathlib.Path(sys.argv[3]))
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--commit", default="unknown")
    args = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    cases = []
    for toml in sorted(KERNELS.glob("*.toml")):
        for fault in [None, *read_manifest(toml).get("fault", {})]:
            cubin = folder / f"{toml.stem}_{fault}.cubin"
            defines = [f"-DWL_FAULT_{fault.upper()}"] if fault else []
            subprocess.run(
                ["nvcc", "-arch=sm_90", "-lineinfo", "-std=c++17", "-cubin", *defines, "-o", cubin, toml.with_suffix(".cu")], check=True
            )
            cases.append((toml, fault, cubin))
    from conformance_run import describe_device

    name, driver = describe_device()
    version = subprocess.run(["compute-sanitizer", "--version"], capture_output=True, text=True).stdout
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        results = list(pool.map(examine, cases))
    record = {
        "device": name, "driver": driver, "date": datetime.date.today().isoformat(), "commit": args.commit,
        "command": "tests/gpu/hazards_sanitizer.py", "sanitizer": re.findall(r"[Vv]ersion ([\d.]+)", version)[:1],
    }
    args.out.write_text(json.dumps({"record": record, "results": results}, indent=1))
    for r in results:
        print(r["kernel"], r["fault"], r["plain"]["status"], {t: (r[t]["found"], r[t]["status"], r[t]["seconds"]) for t in TOOLS})


if __name__ == "__main__":
    main()
